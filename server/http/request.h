/* A request, and how it is answered.
 *
 * A handler borrows its request until it has responded; one that suspended it owns it, on whatever thread, until it
 * calls one http_respond function, which gives it back. After that it must not be touched. Strings returned here are
 * borrowed and live as long as the request. */
#ifndef HTTP_REQUEST_H
#define HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/error.h"

#define HTTP_PEER_SIZE 48
#define HTTP_JSON "application/json"

struct http_request;
struct http_route;

/* On any thread. */

const char *http_request_method(const struct http_request *request);
/* The decoded path, without the query. */
const char *http_request_path(const struct http_request *request);
/* The part of the path that matched :name (or *name) of the row, decoded; NULL when the row has no such part. */
const char *http_request_param(const struct http_request *request, const char *name);
/* The body's bytes, NUL-terminated behind `length`; "" when there is none. */
const char *http_request_body(const struct http_request *request, size_t *length);
/* The body, handed over: the caller frees it. NULL when there is none. */
char *http_request_take_body(struct http_request *request, size_t *length);
/* The file of a body that was spooled, at its start and without a name; the caller closes it, and whatever is not taken
 * is gone with the request. -1 when there is none: the body is in memory. */
int http_request_take_file(struct http_request *request, uint64_t *size);
/* Unique while the server runs; the answer carries it as X-Request-Id. */
const char *http_request_id(const struct http_request *request);
/* The row of the route table that the request came to; NULL while it is refused. */
const struct http_route *http_request_route(const struct http_request *request);
/* Whether it came over TLS, here or (X-Forwarded-Proto) at a trusted proxy. */
bool http_request_is_secure(const struct http_request *request);
/* A slot for whoever authenticated the request. `release` (may be NULL) gets the value when the request is over,
 * on any thread. */
void http_request_set_user(struct http_request *request, void *user, void (*release)(void *user));
void *http_request_user(const struct http_request *request);

/* Only on the worker's thread, before http_suspend. */

/* The first header of that name (in any case), NULL when there is none. */
const char *http_request_header(const struct http_request *request, const char *name);
/* The decoded query parameter, "" for one without a value, NULL when there is none. */
const char *http_request_query(const struct http_request *request, const char *name);
/* Calls `each` with every decoded query parameter, in their order. */
void http_request_each_query(const struct http_request *request,
                             void (*each)(const char *name, const char *value, void *context), void *context);
/* The value of a cookie as it was sent, NULL when there is none. */
const char *http_request_cookie(const struct http_request *request, const char *name);
/* The client's numeric address, without its port; behind a trusted proxy the one it tells in X-Forwarded-For. */
void http_request_peer(const struct http_request *request, char peer[HTTP_PEER_SIZE]);
/* What thread_begin made for this thread. */
void *http_request_thread(const struct http_request *request);

/* Postpones the answer: the handler returns, and any thread may respond. False when too many requests are suspended: it
 * has been answered with 429 then, and is gone. A client that disconnects meanwhile is noticed only when the answer is
 * sent: nothing that was begun for it is undone. */
MUST_CHECK bool http_suspend(struct http_request *request);

/* Has the answer to a suspended request made on its worker's thread: `finish` is called there, once, and responds. When
 * the server stops meanwhile it is called at once, on this thread. */
void http_request_finish(struct http_request *request, void (*finish)(void *context), void *context);

/* Answering, exactly once. On any thread for a suspended request, on the worker's thread otherwise. */

/* Adds a header to the answer that follows. `name` must live for ever, the value is copied. Without a call for them
 * answers carry X-Content-Type-Options: nosniff and Cache-Control: no-store; a call replaces that. */
void http_request_add_header(struct http_request *request, const char *name, const char *value);
/* Adds a cookie for scripts to leave alone (HttpOnly, SameSite=Lax) that lasts so many seconds, 0 to delete it,
 * negative for as long as the browser runs; `is_secure`, or that the request came so, keeps it to HTTPS. The value must
 * need no quoting (RFC 6265, section 4.1.1). */
void http_request_set_cookie(struct http_request *request, const char *name, const char *value, int64_t seconds,
                             bool is_secure);
/* Answers with a heap body, which it takes (NULL for none). A NULL content type leaves that header out. */
void http_respond(struct http_request *request, unsigned status, const char *content_type, char *body, size_t length);
/* Answers with bytes that outlive the server; nothing is copied. */
void http_respond_static(struct http_request *request, unsigned status, const char *content_type, const void *body,
                         size_t length);
/* Answers with an open regular file of `size` bytes, which it takes: all of it, or the one range that the request asks
 * for (206, 416; If-Range by entity tag). `etag` is a quoted entity tag, NULL for none. */
void http_respond_file(struct http_request *request, int file, uint64_t size, const char *content_type,
                       const char *etag);
/* Answers with the error's status and {"error", "code", "message"}, and "details" where there are some; their
 * retryAfterSeconds becomes Retry-After. A status of 500 and above is logged with the request's id. */
void http_respond_error(struct http_request *request, const struct error *error);

#endif
