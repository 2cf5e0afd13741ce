/* Requests of revision 2026-07-28, which needs no handshake: each says in params._meta what it needs (protocol version,
 * what the client can do), and repeats in headers what a proxy may want to see. The two are held against each other
 * (MCP 2026-07-28, transports, standard headers). */
#ifndef MCP_STATELESS_H
#define MCP_STATELESS_H

#include "mcp/envelope.h"
#include "server/base/error.h"

/* What a request says outside its body; NULL when absent. Borrowed, or owned by a copy. */
struct exchange_headers {
        const char *version, *method, *name; /* MCP-Protocol-Version, Mcp-Method, Mcp-Name */
        const char *toolsets;                /* X-MCP-Toolsets */
        const char *toolset_query;           /* toolsets of the endpoint's URL */
        const char *accept;
};
void exchange_headers_copy(struct exchange_headers *to, const struct exchange_headers *from);
void exchange_headers_clear(struct exchange_headers *headers);

/* Why a request is not served. */
struct stateless_refusal {
        enum envelope_code code;
        struct error error; /* its message is the sentence, its details the data */
};

/* The protocol version that params._meta names, NULL when it names none. `document` may be anything. */
const char *stateless_version(const json_t *document);
/* What the client of the request can do; an object. NULL when it does not say. */
const json_t *stateless_capabilities(const struct message *message);
/* Whether the request is one of the revision and its headers say the same; otherwise *refusal is filled, which the
 * caller clears. Notifications need no headers, but those that came must be right. */
MUST_CHECK bool stateless_check(const struct message *message, const struct exchange_headers *headers,
                                struct stateless_refusal *refusal);
/* Undoes the form in which headers carry what is no visible ASCII, "=?base64?...?="; anything else stands for itself,
 * but for white space around it. NULL when the base64 is not valid or holds a NUL. On the heap. */
char *stateless_header_decode(const char *value);

#endif
