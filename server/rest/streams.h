/* GET /events and GET /tasks/:id/stream: server-sent events (WHATWG HTML, section 9.2) of what goes on. */
#ifndef REST_STREAMS_H
#define REST_STREAMS_H

#include "server/http/request.h"
#include "server/services/services.h"

/* Answers with the changes of tasks that the caller may see, from now on or behind the Last-Event-ID. The id may also
 * come as the query parameter lastEventId. */
void rest_events(struct http_request *request, const struct services *services, struct store_db *reader);
/* Answers with the events of the task `:id`, from the first or behind the Last-Event-ID. */
void rest_task_stream(struct http_request *request, const struct services *services, struct store_db *reader);

#endif
