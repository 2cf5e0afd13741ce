/* The dedicated MCP listener: which routes it has, and whether and where there is one. */
#ifndef SERVER_INGRESS_H
#define SERVER_INGRESS_H

#include "server/routes.h"

#define INGRESS_PORT_DEFAULT 3004

/* Whether the settings want it, and its port. */
bool ingress_is_wanted(const struct settings *settings, uint16_t *port);
/* The address it listens on. */
const char *ingress_host(const struct settings *settings);
/* Like routes_apply, for the listener: only its own routes exist there. */
void ingress_apply(struct routes_context *context, struct http_server_options *options);

#endif
