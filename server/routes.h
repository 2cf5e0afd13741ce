/* The table of HTTP routes, and what an HTTP server needs besides to serve it. */
#ifndef SERVER_ROUTES_H
#define SERVER_ROUTES_H

#include "mcp/door.h"
#include "oauth/door.h"
#include "server/http/server.h"
#include "server/rest/run.h"
#include "server/services/services.h"

/* Who may call a row of this table, besides what the driver knows. */
enum route_access {
        ROUTE_ACCESS_MCP =
                HTTP_ACCESS_OTHER, /* an API key or an OAuth access token as bearer, while MCP is switched on */
        ROUTE_ACCESS_METRICS,      /* this machine, or an API key with settings:view */
};

extern const struct http_route routes[];
extern const size_t route_count;
/* What a row does, in a sentence or two of Markdown. */
const char *route_sentence(size_t row);
/* What the caller of a row needs besides a credential, NULL for nothing. */
const char *route_permission(size_t row);
/* What a row does for its caller, NULL for one whose handler reads and answers by itself. */
const struct rest_operation *route_operation(size_t row);
/* Who may call a row, in words. */
const char *route_access_words(size_t row);

/* Outlives the HTTP server. */
struct routes_context {
        struct services *services;
        struct mcp_door mcp;
        struct rest_door rest;
        struct oauth_door oauth;
};

/* Sets the members of the options that belong to the table: routes, context and every callback. Each thread of the
 * server gets a reader of the store. */
void routes_apply(struct routes_context *context, struct http_server_options *options);

#endif
