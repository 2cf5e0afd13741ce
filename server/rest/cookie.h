/* The cookie of a web session. */
#ifndef REST_COOKIE_H
#define REST_COOKIE_H

#include "server/http/request.h"

/* Whether people reach the server by https, so that cookies must not travel otherwise. */
bool rest_cookie_is_secure(void);
/* Gives the browser the session's token for as long as a session can live; NULL takes it away. */
void rest_session_cookie(struct http_request *request, const char *token);

#endif
