/* What the OAuth server tells of itself: its issuer, its endpoints and the resource it guards (RFC 8414, RFC 9728). */
#ifndef SERVICES_OAUTH_SITE_H
#define SERVICES_OAUTH_SITE_H

#include "server/services/services.h"

#define OAUTH_SCOPE "mcp"
#define OAUTH_RESOURCE_METADATA_PATH "/.well-known/oauth-protected-resource/mcp"
#define OAUTH_AUTHORIZE_PATH "/mcp/oauth/authorize"

/* Owns its strings. */
struct oauth_site {
        char *issuer;   /* an origin; compared exactly by clients */
        char *main;     /* the origin where people sign in and consent */
        char *resource; /* the MCP endpoint: what every token is for */
};
void oauth_site_clear(struct oauth_site *site);
#define auto_oauth_site CLEANUP(oauth_site_clear) struct oauth_site

/* `host` is the request's Host header, NULL for none. ERROR_NOT_FOUND while the MCP server or OAuth is switched off;
 * ERROR_UNAVAILABLE while the addresses are neither https nor loopback. */
MUST_CHECK bool oauth_site_find(const struct services *services, const char *host, struct oauth_site *site,
                                struct error *error);

/* The metadata of the authorization server (RFC 8414, section 2) and of the resource (RFC 9728, section 2). */
json_t *oauth_site_server_metadata(const struct oauth_site *site);
json_t *oauth_site_resource_metadata(const struct oauth_site *site);

/* The value of WWW-Authenticate for a call of the MCP endpoint that was refused (RFC 6750, section 3; RFC 9728, section
 * 5.1), on the heap. `has_token`: a credential was shown, and was not good. Without OAuth it names only the scheme. */
char *oauth_site_challenge(const struct services *services, const char *host, bool has_token);

/* Whether a token for that resource is for this server as its settings say now. */
bool oauth_site_is_resource(const char *resource);

#endif
