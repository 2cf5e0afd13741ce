/* Under which addresses the server is known to people and to MCP clients.
 *
 * People use the main address: SITE_URL, else the address the request came to. MCP clients use MCP_PUBLIC_BASE_URL when
 * it is set: the endpoint, the discovery documents, the issuer and the token, registration and revocation endpoints are
 * published there, and only the authorization endpoint under the main address. Without it everything is under the main
 * one; a dedicated listener without any of these settings is known by the address it listens on.
 *
 * All of these are origins, scheme://host[:port], without a slash at the end: a path in SITE_URL is not carried over.
 * `host` is the request's Host header, NULL for none or outside a request; it counts only while neither a setting nor a
 * dedicated listener says what the address is. Results are on the heap and never NULL. */
#ifndef SERVICES_PUBLIC_URL_H
#define SERVICES_PUBLIC_URL_H

#include "server/services/services.h"

/* Where people sign in and consent: the base of the authorization endpoint. */
char *public_url_site_origin(const struct services *services, const char *host);
/* Where MCP clients send everything else: the issuer, and the base of discovery documents and token endpoints. */
char *public_url_mcp_origin(const struct services *services, const char *host);
/* The MCP endpoint, the `resource` of its metadata (RFC 9728): the origin and "/mcp". */
char *public_url_mcp(const struct services *services, const char *host);

/* Whether the text is an http or https origin and nothing else: no path, no user, no slash at the end. */
bool public_url_is_origin(const char *text);

#endif
