#include "server/app_proxy.h"

#include <string.h>

#include "server/base/log.h"
#include "server/base/url.h"
#include "server/http/gateway.h"
#include "server/services/app_access.h"
#include "server/services/oidc.h"
#include "server/services/session.h"

#define COOKIE "longshore_app"
/* Its name keeps other hosts from setting it (RFC 6265bis, section 4.1.3.2); only where there is TLS. */
#define SECURE_COOKIE "__Host-" COOKIE

#define NO_APP "There is no application here.\n"
#define NO_ACCESS                                                                                                      \
        "You have no access to this application, or none any more. Open it from its task (POST "                       \
        "/tasks/TASK/app-server/access gives its address).\n"
#define FOREIGN "A page of another origin may not call this application.\n"
#define NO_ANSWER "The application does not answer on its port.\n"

static bool is_own_cookie(const char *name, size_t length)
{
        static const char *const names[] = {COOKIE, SECURE_COOKIE, SESSION_COOKIE, OIDC_TICKET_COOKIE};

        for (size_t i = 0; i < COUNT_OF(names); i++)
                if (strlen(names[i]) == length && !strncmp(names[i], name, length))
                        return true;
        return false;
}

static bool is_secure(const char *origin)
{
        return !strncmp(origin, "https:", 6);
}

static void answer(struct gateway_decision *decision, unsigned status, const char *text)
{
        decision->status = status;
        decision->text = text;
}

/* The token is exchanged for a cookie of this origin. */
static void enter(struct app_access *access, const struct gateway_request *request, const char *task,
                  const char *origin, struct gateway_decision *decision)
{
        const char *token = strstr(request->target, "?token=");
        char cookie[APP_ACCESS_SECRET_SIZE];

        if (strcmp(request->method, "GET") != 0 || !token ||
            !app_access_enter(access, task, token + strlen("?token="), cookie)) {
                answer(decision, 401, NO_ACCESS);
                return;
        }
        answer(decision, 303, "");
        decision->location = text_copy("/");
        decision->cookie = text_format("%s=%s; Path=/; HttpOnly; SameSite=Lax; Max-Age=%d%s",
                                       is_secure(origin) ? SECURE_COOKIE : COOKIE, cookie,
                                       (int)(APP_ACCESS_COOKIE_MS / 1000), is_secure(origin) ? "; Secure" : "");
}

/* What was let in, for as long as its bytes are carried. */
struct ticket {
        char *task, *cookie;
};

static void release(void *argument, void *context)
{
        struct ticket *ticket = argument;

        (void)context;
        free(ticket->task);
        free(ticket->cookie);
        free(ticket);
}

static bool is_allowed(void *argument, void *context)
{
        const struct ticket *ticket = argument;
        const struct services *services = context;
        int64_t port;

        return app_access_admits(services->app_access, ticket->task, ticket->cookie, &port);
}

static void carry(struct app_access *access, const char *task, char **cookie, int64_t port,
                  struct gateway_decision *decision)
{
        auto_error error = {0};

        decision->target = app_access_connect(access, task, port, &error);
        if (decision->target < 0) {
                answer(decision, 502, NO_ANSWER);
                return;
        }
        struct ticket *ticket = memory_new(sizeof *ticket);
        *ticket = (struct ticket){text_copy(task), take(*cookie)};
        decision->ticket = ticket;
}

static void decide(const struct gateway_request *request, struct gateway_decision *decision, void *context)
{
        const struct services *services = context;
        struct app_access *access = services->app_access;
        auto_free char *task = app_access_task(access, request->host);
        int64_t port;

        if (!task) {
                answer(decision, 404, NO_APP);
                return;
        }
        auto_free char *origin = app_access_origin(services, task);
        if (!strncmp(request->target, APP_ACCESS_PATH, strlen(APP_ACCESS_PATH))) {
                enter(access, request, task, origin, decision);
                return;
        }
        auto_free char *cookie = gateway_cookie(request, is_secure(origin) ? SECURE_COOKIE : COOKIE);
        if (!cookie || !app_access_admits(access, task, cookie, &port))
                answer(decision, 401, NO_ACCESS);
        else if (request->origin && strcasecmp(request->origin, origin) != 0)
                answer(decision, 403, FOREIGN);
        else
                carry(access, task, &cookie, port, decision);
}

/* An application below which the product's own host stands could set cookies for it. */
static bool check_host(const char *address, struct error *error)
{
        const char *site = settings_current()->site_url;
        struct url own, product;

        if (!site || !url_parse(address, &own) || !url_parse(site, &product) || product.host.length < own.host.length)
                return true;
        size_t more = product.host.length - own.host.length;
        bool is_below = !strncasecmp(product.host.at + more, own.host.at, own.host.length) &&
                        (!more || product.host.at[more - 1] == '.');
        return !is_below || url_is_loopback(&own) ||
               error_set(
                       error, ERROR_INVALID_INPUT,
                       "APP_PROXY_BASE_URL must be of another host than SITE_URL, which must not be below it either.");
}

static bool open_access(struct services *services, const char *scheme, unsigned port, struct error *error)
{
        const char *chosen = settings_current()->app_proxy_base_url;
        auto_free char *address = chosen ? text_copy(chosen) : text_format("%s://localhost:%u", scheme, port);

        if (!check_host(address, error))
                return false;
        services->app_access = app_access_new(services, address, error);
        if (services->app_access)
                log_info("listening for application servers' users", "address", address);
        return services->app_access;
}

bool app_proxy_open(struct app_proxy *proxy, struct services *services, const struct http_tls *tls, struct error *error)
{
        const struct settings *settings = settings_current();
        struct gateway_options options = {
                .host = settings->app_proxy_host ? settings->app_proxy_host : settings->host,
                .port = (uint16_t)settings->app_proxy_port,
                .tls = tls,
                .trusted_proxies = settings->trusted_proxies,
                .connection_maximum = (unsigned)settings->app_proxy_connections,
                .address_maximum = (unsigned)settings->connections_per_address,
                .head_timeout_ms = (unsigned)settings->request_timeout_seconds * 1000,
                .keep_timeout_ms = (unsigned)settings->idle_timeout_seconds * 1000,
                .context = services,
                .decide = decide,
                .is_allowed = is_allowed,
                .release = release,
                .is_own_cookie = is_own_cookie,
        };

        if (!settings->app_proxy_port)
                return true;
        if (!open_access(services, tls ? "https" : "http", options.port, error))
                return error_prefix(error, "the proxy of application servers");
        proxy->gateway = gateway_start(&options, error);
        return proxy->gateway || error_prefix(error, "the proxy of application servers");
}

void app_proxy_close(struct app_proxy *proxy)
{
        gateway_stop(take(proxy->gateway));
}
