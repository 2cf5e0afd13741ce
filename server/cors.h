/* Cross-origin resource sharing (the Fetch standard, section 3.3): what lets pages of other allowed origins read the
 * answers they get. */
#ifndef SERVER_CORS_H
#define SERVER_CORS_H

#include "server/base/text.h"
#include "server/http/request.h"

/* Adds the headers to whatever the request is going to be answered with; its Origin has been found to be allowed. A
 * preflight gets them before anybody asks for a credential. Not for the paths that make, end or use a browser's
 * session, and never with Access-Control-Allow-Credentials: other origins bring a bearer credential. */
void cors_decorate(struct http_request *request);

/* Appends the header names of an Access-Control-Request-Headers that a page may send, "" when none is. */
void cors_append_headers(struct text *out, const char *asked);

#endif
