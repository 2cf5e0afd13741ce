/* One bounded request to another server: no redirects, no proxy, nothing larger or slower than said. */
#ifndef HTTP_FETCH_H
#define HTTP_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "server/base/error.h"

struct http_fetch {
        const char *url;           /* https; http only when `allows_http` */
        const char *body;          /* NULL: GET; otherwise POST */
        const char *content_type;  /* of the body */
        const char *accept;        /* NULL: application/json */
        const char *authorization; /* the header's value; NULL for none */
        size_t maximum;            /* bytes of the answer; more is an error */
        unsigned timeout_ms;       /* for all of it */
        bool allows_http;
        bool is_public_only; /* connect to public addresses only: the address that is checked is the one connected to */
};

/* Owns its strings. */
struct http_fetched {
        unsigned status;
        char *content_type;  /* NULL when the answer has none */
        char *cache_control; /* NULL when the answer has none */
        char *body;          /* NUL-terminated behind `length` */
        size_t length;
};
void http_fetched_clear(struct http_fetched *fetched);
#define auto_http_fetched CLEANUP(http_fetched_clear) struct http_fetched

/* Blocks, at most timeout_ms: not for a thread that serves others. Any status is a success; ERROR_FETCH_FAILED says
 * what went wrong without telling more of the URL than its host. On any thread. */
MUST_CHECK bool http_fetch(const struct http_fetch *wanted, struct http_fetched *fetched, struct error *error);

/* Whether the address can be one of the public internet: not loopback, private, link-local, shared, multicast,
 * documentation or otherwise special (RFC 6890 and the IANA registries), nor such an IPv4 address within an IPv6 one.
 */
bool http_address_is_public(const struct sockaddr *address);

#endif
