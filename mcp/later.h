/* Requests that another thread than the HTTP server's answers. */
#ifndef MCP_LATER_H
#define MCP_LATER_H

#include "mcp/door.h"

/* Suspends the request and has its exchange, which is taken over, run where it has to; answers when that is done. */
void door_postpone(const struct mcp_door *door, struct http_request *request, const struct caller *caller,
                   struct exchange *exchange);

/* The same for a request whose body is too large to be read here: it is read on the worker pool. */
void door_postpone_whole(const struct mcp_door *door, struct http_request *request, const struct caller *caller,
                         const char *version);

/* Answers with the exchange's answers (202 when there are none). */
void door_send(struct http_request *request, struct exchange *exchange);
/* Answers with an error that concerns the request as a whole; 401 carries a challenge. */
void door_refuse(struct http_request *request, const struct error *error);

#endif
