#include "server/rest/health.h"

#include <string.h>

#include "server/base/document.h"
#include "server/rest/bearer.h"
#include "server/services/health.h"
#include "server/services/metrics.h"

#define METRICS_MAXIMUM (4 * 1024 * 1024)
#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

void rest_health(struct http_request *request, const struct services *services)
{
        auto_json *report = health_report(services);
        char *body = document_print(report);

        http_respond(request, 200, HTTP_JSON, body, strlen(body));
}

static bool is_local(struct http_request *request)
{
        char peer[HTTP_PEER_SIZE];

        http_request_peer(request, peer);
        return !http_request_header(request, "X-Forwarded-For") && !http_request_header(request, "Forwarded") &&
               (!strncmp(peer, "127.", 4) || !strcmp(peer, "::1") || !strncmp(peer, "::ffff:127.", 11));
}

bool rest_metrics_authenticate(struct http_request *request, struct store_db *reader)
{
        auto_error error = {0};
        struct actor actor;

        if (is_local(request))
                return true;
        if (rest_authenticate(request, reader, &actor, &error)) {
                if (access_allows(&actor, PERMISSION_SETTINGS_VIEW, 0))
                        return true;
                error_set(&error, ERROR_PERMISSION_DENIED, "The metrics need the permission settings:view.");
        }
        rest_refuse(request, &error);
        return false;
}

void rest_metrics(struct http_request *request, const struct services *services, struct store_db *reader)
{
        auto_text out = TEXT_WITH_MAXIMUM(METRICS_MAXIMUM);
        auto_error error = {0};

        if (!metrics_print(services, reader, &out, &error)) {
                http_respond_error(request, &error);
                return;
        }
        size_t length = out.length;
        http_respond(request, 200, METRICS_TYPE, text_take(&out), length);
}
