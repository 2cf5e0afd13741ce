/* The HTTP server: libmicrohttpd on threads of our own, a table of routes, closed by default.
 *
 * Each worker thread owns its connections and runs the handlers of their requests. A handler that would block suspends
 * its request and lets another thread answer it (server/http/request.h). */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/error.h"
#include "server/http/route.h"
#include "server/http/tls.h"

struct http_server;

/* Zero means the default that stands beside a member. Callbacks run on worker threads, several at once, and get
 * `context`; each may be left out. What the options point to must outlive
 * the server; the structure itself is copied. */
struct http_server_options {
        const char *host; /* address or name to listen on; "127.0.0.1" */
        uint16_t port;    /* 0 takes a free one */
        unsigned threads; /* processors, at most 4 */
        const struct http_route *routes;
        size_t route_count;
        void *context;
        const char *const *headers_once; /* NULL-ended: besides HTTP's own, what a request may have only one of */

        const struct http_tls *tls;    /* NULL: without TLS. 1.2 and 1.3 are spoken */
        const char *trusted_proxies;   /* addresses and networks, commas between, whose X-Forwarded-For and
                                          X-Forwarded-Proto count; NULL: none */
        unsigned address_maximum;      /* connections from one address (of IPv6, one /64 network); no limit. The
                                          proxies, 127.0.0.1 and ::1 may have more */
        unsigned connection_maximum;   /* in all; 4096 */
        unsigned suspended_maximum;    /* requests waiting for an answer from another thread; 2048 */
        size_t connection_memory;      /* bytes a connection holds, its headers in them; 12288. More is 431 */
        unsigned idle_timeout_seconds; /* without a byte in either direction; 60 */
        unsigned request_timeout_ms;   /* for the headers to arrive, and again for the body; 30000 */
        unsigned body_rate;            /* bytes a second: so fast a body may take longer than that; 16384 */
        unsigned stop_timeout_ms;      /* for requests in flight to finish when the server stops; 3000 */
        unsigned stream_maximum;       /* open streams in all; 2048 */
        size_t stream_buffer;          /* bytes that may wait for each; 65536 */
        unsigned heartbeat_ms;         /* between the comments of a stream on which nothing is sent; 12000 */
        const char *spool_folder;      /* where bodies go that are not for memory; "/tmp" */
        unsigned spool_maximum;        /* such bodies at once, until they are answered; 4. More are 429 */
        size_t body_memory_each;       /* bytes of a body that are kept in memory, a larger one goes to a file; 1 MiB */
        size_t body_memory_total;      /* bytes of all bodies in memory; 64 MiB. More are 429 */

        /* What a thread keeps for itself (a reader connection to the store): made before it serves, http_request_thread
         * tells it, given back after its last request. */
        bool (*thread_begin)(void *context, void **thread, struct error *error);
        void (*thread_end)(void *context, void *thread);
        /* Sees every request first, with only its headers; false with the error set refuses it (origin, host). */
        bool (*admit)(struct http_request *request, void *context, struct error *error);
        /* Decides over a row whose access is public, with only the headers: false refuses, and it has responded then.
         */
        bool (*admit_public)(struct http_request *request, void *context);
        /* Decides over a row whose access is not public, with only the headers: true lets it in (the actor goes into
         * http_request_set_user), false refuses; it may have responded, otherwise the answer is a bare 401. */
        bool (*authenticate)(struct http_request *request, enum http_access access, void *context);
        /* The most bytes that the body of a request may have, with only its headers; what its row says holds as well.
         */
        size_t (*body_maximum)(struct http_request *request, void *context);
        /* Sees a request whose path no row has; when it does not respond the answer is 404. */
        void (*missing)(struct http_request *request, void *context);
        /* Answers OPTIONS on a path that exists and has no row for it; without it the answer is 204 with Allow. `allow`
         * is the list of methods and already a header of the answer. */
        void (*preflight)(struct http_request *request, const char *allow, void *context);
        /* Hears of each request when it is over: `path` is the row's pattern, NULL when none matched; `status` is 0
         * when the client went away before there was an answer. */
        void (*observe)(void *context, const char *method, const char *path, unsigned status, int64_t microseconds);
        /* Hears of each connection that was not taken because its address has too many. */
        void (*observe_refusal)(void *context);
};

/* Listens and starts the workers; the port is exclusively this server's. secret_init() must have been called. NULL with
 * ERROR_UNAVAILABLE when the address or port cannot be had (the message names it), ERROR_INVALID_INPUT for a host that
 * is none or a row that is not complete, or thread_begin's error. */
struct http_server *http_server_start(const struct http_server_options *options, struct error *error);
/* The port it listens on. */
uint16_t http_server_port(const struct http_server *server);
/* Stops listening, lets requests in flight finish for stop_timeout_ms, answers those that are still suspended with 503,
 * closes every connection and frees the server. Whoever still holds a suspended request may respond to it later: the
 * answer is dropped. NULL is allowed. */
void http_server_stop(struct http_server *server);

#endif
