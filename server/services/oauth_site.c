#include "server/services/oauth_site.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/document.h"
#include "server/base/url.h"
#include "server/services/public_url.h"

void oauth_site_clear(struct oauth_site *site)
{
        free(site->issuer);
        free(site->main);
        free(site->resource);
        *site = (struct oauth_site){0};
}

static bool is_secure(const char *origin)
{
        struct url url;

        return url_parse(origin, &url) && (url_part_is(&url.scheme, "https") || url_is_loopback(&url));
}

static bool is_loopback(const char *origin)
{
        struct url url;

        return url_parse(origin, &url) && url_is_loopback(&url);
}

/* Whether the Host header names this machine; without one nobody was called by another name. */
static bool is_called_here(const char *host)
{
        auto_free char *origin = text_format("http://%s", host ? host : "localhost");

        return is_loopback(origin);
}

/* Without SITE_URL the addresses follow from the name that it was called by, which anybody can choose: that will do on
 * this machine only. */
static bool is_usable(const struct oauth_site *site, const char *host)
{
        if (!settings_current()->site_url)
                return is_loopback(site->issuer) && is_loopback(site->main) && is_called_here(host);
        return is_secure(site->issuer) && is_secure(site->main);
}

bool oauth_site_find(const struct services *services, const char *host, struct oauth_site *site, struct error *error)
{
        const struct settings *settings = settings_current();

        if (!settings->mcp_server_enabled || !settings->mcp_oauth_enabled)
                return error_set(error, ERROR_NOT_FOUND, "OAuth for MCP clients is switched off.");
        auto_oauth_site found = {.issuer = public_url_mcp_origin(services, host),
                                 .main = public_url_site_origin(services, host),
                                 .resource = public_url_mcp(services, host)};
        if (!is_usable(&found, host))
                return error_set(error, ERROR_UNAVAILABLE,
                                 "OAuth needs an https address: set SITE_URL (and MCP_PUBLIC_BASE_URL, where it is "
                                 "used) to one that begins with https://.");
        *site = found;
        found = (struct oauth_site){0};
        return true;
}

static json_t *below(const char *origin, const char *path)
{
        auto_free char *url = text_format("%s%s", origin, path);

        return json_string(url);
}

json_t *oauth_site_server_metadata(const struct oauth_site *site)
{
        json_t *document = json_pack("{s:s, s:o, s:o, s:o, s:o}", "issuer", site->issuer, "authorization_endpoint",
                                     below(site->main, OAUTH_AUTHORIZE_PATH), "token_endpoint",
                                     below(site->issuer, "/mcp/oauth/token"), "registration_endpoint",
                                     below(site->issuer, "/mcp/oauth/register"), "revocation_endpoint",
                                     below(site->issuer, "/mcp/oauth/revoke"));
        auto_json *methods = json_pack("[s, s, s]", "none", "client_secret_post", "client_secret_basic");
        auto_json *rest = json_pack(
                "{s:[s], s:[s], s:[s], s:[s, s], s:O, s:O, s:[s], s:[s], s:b, s:b}", "scopes_supported", OAUTH_SCOPE,
                "response_types_supported", "code", "response_modes_supported", "query", "grant_types_supported",
                "authorization_code", "refresh_token", "token_endpoint_auth_methods_supported", methods,
                "revocation_endpoint_auth_methods_supported", methods, "code_challenge_methods_supported", "S256",
                "protected_resources", site->resource, "authorization_response_iss_parameter_supported", 1,
                "client_id_metadata_document_supported", settings_current()->mcp_oauth_client_documents);

        json_object_update(document, rest);
        return document;
}

json_t *oauth_site_resource_metadata(const struct oauth_site *site)
{
        return json_pack("{s:s, s:[s], s:[s], s:[s], s:s}", "resource", site->resource, "authorization_servers",
                         site->issuer, "scopes_supported", OAUTH_SCOPE, "bearer_methods_supported", "header",
                         "resource_name", "Longshore");
}

char *oauth_site_challenge(const struct services *services, const char *host, bool has_token)
{
        auto_oauth_site site = {0};
        auto_error error = {0};

        if (!oauth_site_find(services, host, &site, &error))
                return text_copy("Bearer");
        return text_format("Bearer %sresource_metadata=\"%s" OAUTH_RESOURCE_METADATA_PATH "\", scope=\"" OAUTH_SCOPE
                           "\"",
                           has_token ? "error=\"invalid_token\", " : "", site.issuer);
}

/* Without a setting the name under which it was called is part of the resource, which is loopback then. */
bool oauth_site_is_resource(const char *resource)
{
        const struct settings *settings = settings_current();
        static const struct services none = {.address = ""};

        if (!settings->mcp_public_base_url && !settings->site_url)
                return is_loopback(resource);
        auto_free char *expected = public_url_mcp(&none, NULL);
        return !strcmp(resource, expected);
}
