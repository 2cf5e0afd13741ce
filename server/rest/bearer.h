/* Who calls a REST route. */
#ifndef REST_BEARER_H
#define REST_BEARER_H

#include "server/http/request.h"
#include "server/services/access.h"

/* Resolves the API key of the Authorization header (RFC 6750, section 2.1) with the thread's reader.
 * ERROR_UNAUTHENTICATED when there is none or it is not valid. On the request's thread. */
MUST_CHECK bool rest_authenticate(struct http_request *request, struct store_db *reader, struct actor *actor,
                                  struct error *error);
/* The same for a row of the route table: the request's user becomes the actor, a struct actor of its own. Otherwise it
 * has answered. */
MUST_CHECK bool rest_admit(struct http_request *request, struct store_db *reader);
/* Answers with the error; one that asks for a credential carries the challenge. */
void rest_refuse(struct http_request *request, const struct error *error);

#endif
