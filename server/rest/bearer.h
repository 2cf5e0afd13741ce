/* Who calls a REST route: the bearer of an API key, or a browser with a session's cookie. */
#ifndef REST_BEARER_H
#define REST_BEARER_H

#include "server/http/request.h"
#include "server/services/caller.h"
#include "server/services/session.h"

#define REST_SESSION_COOKIE SESSION_COOKIE
#define REST_CSRF_HEADER "X-CSRF-Token"

/* The caller as the request says, with the thread's reader; its token is borrowed from the request and "" when there is
 * none. A bearer goes before a cookie. On the request's thread. */
struct caller rest_caller(struct services *services, struct http_request *request);

/* Resolves the API key of the Authorization header (RFC 6750, section 2.1) or the session of the cookie with the
 * thread's reader. ERROR_UNAUTHENTICATED when there is none or it is not valid; ERROR_PERMISSION_DENIED when a session
 * is to change something and its CSRF token is not shown. On the request's thread. */
MUST_CHECK bool rest_authenticate(struct http_request *request, struct store_db *reader, struct actor *actor,
                                  struct error *error);
/* The same for a row of the route table whose handler looks for itself who calls; otherwise it has answered. */
MUST_CHECK bool rest_let_in(struct http_request *request, struct store_db *reader);
/* Answers with the error; one that asks for a credential carries the challenge, one that asks for patience when to come
 * back. */
void rest_refuse(struct http_request *request, const struct error *error);

#endif
