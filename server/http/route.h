/* Rows of the table of HTTP routes.
 *
 * The table is constant and outlives the server. What has no row does not exist: the router answers 404 for an unknown
 * path, 405 with Allow for a method without a row (HEAD included: it is answered only where it is listed), 413, 415 and
 * 401 before a handler runs. */
#ifndef HTTP_ROUTE_H
#define HTTP_ROUTE_H

#include <stddef.h>

struct http_request;

/* Who may call. The driver knows only the first two; every other value is handed to the server's authenticate callback,
 * and doors may number further ones from HTTP_ACCESS_OTHER. A row without an access is refused when the server starts.
 */
enum http_access {
        HTTP_ACCESS_UNSET,
        HTTP_ACCESS_PUBLIC,  /* no credential is asked for */
        HTTP_ACCESS_BEARER,  /* Authorization: Bearer (RFC 6750) */
        HTTP_ACCESS_SESSION, /* a browser's session, or a bearer */
        HTTP_ACCESS_OTHER = 16
};

enum http_body {
        HTTP_BODY_NONE,  /* what little is sent is read and dropped */
        HTTP_BODY_JSON,  /* in memory; a declared type that is not JSON is refused with 415 */
        HTTP_BODY_BYTES, /* in memory, of any type */
        HTTP_BODY_FILE,  /* of any type, spooled to a file as it arrives (http_request_take_file) */
};
/* Where a row accepts more than the server keeps of a body in memory (body_memory_each), a larger body of the first two
 * kinds is spooled too: its handler has to ask for the file. */

/* Answers a request whose whole body has arrived, on a worker's thread. Before it returns it must have called one of
 * the http_respond functions or http_suspend; otherwise the answer is 500. It must not block. */
typedef void (*http_handler)(struct http_request *request, void *context);

struct http_route {
        /* "GET", "POST", ...; "*" answers every method that no other row of the same path lists. */
        const char *method;
        /* Segments: "/tasks/:id/stream" matches one non-empty segment for :id, a last segment "*rest" matches all that
         * is left, also nothing. The first row whose path matches decides; its methods are the rows of the same path.
         */
        const char *path;
        enum http_access access;
        enum http_body body;
        size_t body_maximum; /* bytes */
        http_handler handler;
};

#endif
