#include "server/ingress.h"

#include <pthread.h>
#include <string.h>

#include "server/cors.h"
#include "server/services/origin.h"

/* What machines need, and nothing that a person sees: signing in and consent stay on the main port. Rows that the table
 * of routes has, in its order. */
static const struct {
        const char *method, *path;
} own[] = {
        {"GET", "/health"},
        {"HEAD", "/health"},
        {"POST", "/mcp"},
        {"*", "/mcp"},
        {"POST", "/mcp/oauth/token"},
        {"POST", "/mcp/oauth/register"},
        {"POST", "/mcp/oauth/revoke"},
        {"GET", "/.well-known/oauth-authorization-server"},
        {"HEAD", "/.well-known/oauth-authorization-server"},
        {"GET", "/.well-known/oauth-protected-resource/mcp"},
        {"HEAD", "/.well-known/oauth-protected-resource/mcp"},
};

static struct http_route rows[COUNT_OF(own)];
static size_t row_count;
static pthread_once_t rows_once = PTHREAD_ONCE_INIT;

static bool is_own(const struct http_route *route)
{
        for (size_t i = 0; i < COUNT_OF(own); i++)
                if (!strcmp(route->path, own[i].path) && !strcmp(route->method, own[i].method))
                        return true;
        return false;
}

/* A session does not let anybody in here. */
static void make_rows(void)
{
        for (size_t i = 0; i < route_count; i++)
                if (is_own(&routes[i]) && routes[i].access != HTTP_ACCESS_SESSION && row_count < COUNT_OF(own))
                        rows[row_count++] = routes[i];
}

bool ingress_is_wanted(const struct settings *settings, uint16_t *port)
{
        const char *mode = settings->mcp_ingress_mode;

        *port = settings->mcp_ingress_port ? (uint16_t)settings->mcp_ingress_port : INGRESS_PORT_DEFAULT;
        return mode ? !strcmp(mode, "listener") : settings->mcp_ingress_port > 0;
}

const char *ingress_host(const struct settings *settings)
{
        return settings->mcp_ingress_host ? settings->mcp_ingress_host : settings->host;
}

/* The names it answers to depend on where it listens. */
static bool admit(struct http_request *request, void *context, struct error *error)
{
        struct settings settings = *settings_current();

        (void)context;
        settings.host = ingress_host(&settings);
        if (!origin_check(http_request_header(request, "Origin"), http_request_header(request, "Host"), &settings,
                          error))
                return false;
        cors_decorate(request);
        return true;
}

void ingress_apply(struct routes_context *context, struct http_server_options *options)
{
        pthread_once(&rows_once, make_rows);
        routes_apply(context, options);
        options->routes = rows;
        options->route_count = row_count;
        options->admit = admit;
}
