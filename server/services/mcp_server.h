/* What there is to know about the MCP server's own addresses. */
#ifndef SERVICES_MCP_SERVER_H
#define SERVICES_MCP_SERVER_H

#include "server/base/field.h"
#include "server/services/services.h"

/* {enabled, endpointUrl, siteUrl, publicBaseUrl, listener: {mode, address}}: whether it answers, which address clients
 * are to be given, and whether a listener of its own runs (mode `listener`, else `main`) and where. Reads; needs
 * settings:view. */
MUST_CHECK bool mcp_server_get(struct call *call, json_t **result, struct error *error);

#endif
