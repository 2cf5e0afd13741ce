/* The ports of the process: the main one, and where the settings want them the dedicated MCP listener and the
 * proxy of application servers. */
#ifndef SERVER_LISTENERS_H
#define SERVER_LISTENERS_H

#include "server/app_proxy.h"
#include "server/routes.h"

struct listeners {
        struct routes_context *routes;
        char *address_file; /* DATA/address, where scripts and tests read the main port */
        struct http_tls *tls;
        struct http_server *main, *ingress; /* ingress: NULL without one */
        struct app_proxy app_proxy;
        char *address, *mcp_address; /* scheme://host:port of each */
};

/* Starts to listen as the settings say, and tells the services under which addresses. The context outlives the
 * listeners. On failure listeners_close is still due. */
MUST_CHECK bool listeners_open(struct listeners *listeners, struct routes_context *context, const char *data_folder,
                               struct error *error);
void listeners_close(struct listeners *listeners);
/* Reads certificate and key again; a pair that is not good is logged and changes nothing. */
void listeners_reload(struct listeners *listeners);

#endif
