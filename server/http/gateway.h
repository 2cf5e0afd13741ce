/* A port whose requests are carried on to somebody else's HTTP server, each where it is decided for it.
 *
 * Every connection has a thread of its own, of a bounded number of them, and a fixed amount of memory: bodies pass
 * through as they come, in both directions, event streams and WebSockets included. A connection of a client is used
 * again after a response whose length is known; each request gets a new one to its target. */
#ifndef HTTP_GATEWAY_H
#define HTTP_GATEWAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/error.h"
#include "server/http/tls.h"

struct gateway;

/* Borrowed, for the time of the decision. */
struct gateway_request {
        const char *method, *target;
        const char *host, *origin; /* "" and NULL when they are absent */
        const char *client;        /* numeric address */
        bool is_secure;
        const void *head; /* for gateway_cookie */
};
/* The value of a cookie, on the heap; NULL when there is none. */
char *gateway_cookie(const struct gateway_request *request, const char *name);

/* What is to become of a request: carried to a connected socket, which is taken, or answered. */
struct gateway_decision {
        int target;              /* -1: answered */
        void *ticket;            /* for is_allowed and release; NULL: neither is called */
        unsigned status;         /* of the answer */
        const char *text;        /* its body, plain text that outlives it */
        char *location, *cookie; /* heap: of Location and Set-Cookie; NULL for none */
};

/* Zero means the default that stands beside a member. Callbacks run on the connections' threads, several at once, and
 * may block for a moment. */
struct gateway_options {
        const char *host;
        uint16_t port;
        const struct http_tls *tls;  /* NULL: without */
        const char *trusted_proxies; /* as of struct http_server_options */
        unsigned connection_maximum; /* in all; 256 */
        unsigned address_maximum;    /* from one address, 0: any number; loopback and proxies may have more */
        unsigned head_timeout_ms;    /* for a head to arrive, and for the target's first byte 4 times as long; 30000 */
        unsigned keep_timeout_ms;    /* between requests; 30000 */
        unsigned idle_timeout_ms;    /* without a byte in either direction; 600000 */
        unsigned look_ms;            /* between two questions whether it still may be; 5000 */
        uint64_t body_maximum;       /* bytes of a request's body; 1 GiB */
        void *context;
        void (*decide)(const struct gateway_request *request, struct gateway_decision *decision, void *context);
        bool (*is_allowed)(void *ticket, void *context);
        void (*release)(void *ticket, void *context);
        /* Cookies that never pass, in either direction. */
        bool (*is_own_cookie)(const char *name, size_t length);
};

/* Listens; the options are copied, what they point to must outlive the gateway. NULL with ERROR_UNAVAILABLE or
 * ERROR_INVALID_INPUT. */
struct gateway *gateway_start(const struct gateway_options *options, struct error *error);
uint16_t gateway_port(const struct gateway *gateway);
/* Closes every connection and waits for their threads. NULL is allowed. */
void gateway_stop(struct gateway *gateway);

#endif
