#include "server/services/mcp_server.h"

#include "server/base/document.h"
#include "server/services/public_url.h"

bool mcp_server_get(struct call *call, json_t **result, struct error *error)
{
        const struct services *services = call->services;
        const struct settings *settings = settings_current();

        if (!access_require(call->actor, PERMISSION_SETTINGS_VIEW, error))
                return false;
        auto_free char *endpoint = public_url_mcp(services, NULL);
        *result = json_pack("{s:b, s:s, s:o, s:o, s:{s:s, s:o}}", "enabled", settings->mcp_server_enabled,
                            "endpointUrl", endpoint, "siteUrl", document_string(settings->site_url), "publicBaseUrl",
                            document_string(settings->mcp_public_base_url), "listener", "mode",
                            services->mcp_address ? "listener" : "main", "address",
                            document_string(services->mcp_address));
        return true;
}
