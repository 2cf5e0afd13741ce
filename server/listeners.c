#include "server/listeners.h"

#include <string.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/ingress.h"

static const char *scheme(const struct listeners *listeners)
{
        return listeners->tls ? "https" : "http";
}

static char *address_of(const struct listeners *listeners, const char *host, unsigned port)
{
        if (!strcmp(host, "0.0.0.0") || !strcmp(host, "::"))
                host = "localhost";
        return text_format(strchr(host, ':') ? "%s://[%s]:%u" : "%s://%s:%u", scheme(listeners), host, port);
}

static bool write_address(const struct listeners *listeners, struct error *error)
{
        auto_free char *line = text_format("%s\n", strstr(listeners->address, "://") + 3);

        return path_write(listeners->address_file, line, strlen(line), 0600, error);
}

static void log_expiry(const struct http_tls *tls, const char *file)
{
        char until[CLOCK_ISO_SIZE];

        clock_format(http_tls_expires_at(tls), until);
        if (http_tls_expires_at(tls) < clock_now())
                log_warning("the certificate has expired", "file", file, "at", until);
        else
                log_info("certificate", "file", file, "until", until);
}

static bool open_tls(struct listeners *listeners, struct error *error)
{
        const struct settings *settings = settings_current();
        const char *certificate = settings->tls_certificate_file, *key = settings->tls_key_file;

        if (!certificate && !key)
                return true;
        if (!certificate || !key)
                return error_set(error, ERROR_INVALID_INPUT,
                                 "TLS needs both TLS_CERTIFICATE_FILE and TLS_KEY_FILE; %s is not set.",
                                 key ? "TLS_CERTIFICATE_FILE" : "TLS_KEY_FILE");
        listeners->tls = http_tls_open(certificate, key, error);
        if (listeners->tls)
                log_expiry(listeners->tls, certificate);
        return listeners->tls;
}

static struct http_server_options options_of(const struct listeners *listeners, const char *data_folder)
{
        const struct settings *settings = settings_current();

        return (struct http_server_options){
                .host = settings->host,
                .port = (uint16_t)settings->port,
                .threads = (unsigned)settings->http_threads,
                .spool_folder = data_folder,
                .spool_maximum = (unsigned)settings->uploads_at_once,
                .tls = listeners->tls,
                .trusted_proxies = settings->trusted_proxies,
                .address_maximum = (unsigned)settings->connections_per_address,
                .connection_maximum = (unsigned)settings->connections_maximum,
                .request_timeout_ms = (unsigned)settings->request_timeout_seconds * 1000,
                .idle_timeout_seconds = (unsigned)settings->idle_timeout_seconds,
        };
}

/* The address is set before the first request can come; only a port that was free is not known until then, and nobody
 * else knows it either. */
static bool open_main(struct listeners *listeners, const char *data_folder, struct error *error)
{
        struct http_server_options options = options_of(listeners, data_folder);
        struct services *services = listeners->routes->services;

        routes_apply(listeners->routes, &options);
        services->address = listeners->address = address_of(listeners, options.host, options.port);
        listeners->main = http_server_start(&options, error);
        if (!listeners->main)
                return false;
        if (!options.port) {
                free(listeners->address);
                listeners->address = address_of(listeners, options.host, http_server_port(listeners->main));
                services->address = listeners->address;
        }
        return true;
}

static bool open_ingress(struct listeners *listeners, const char *data_folder, struct error *error)
{
        struct http_server_options options = options_of(listeners, data_folder);
        struct services *services = listeners->routes->services;

        if (!ingress_is_wanted(settings_current(), &options.port))
                return true;
        options.host = ingress_host(settings_current());
        ingress_apply(listeners->routes, &options);
        services->mcp_address = listeners->mcp_address = address_of(listeners, options.host, options.port);
        listeners->ingress = http_server_start(&options, error);
        if (!listeners->ingress)
                return error_prefix(error, "the dedicated MCP listener");
        log_info("listening for MCP clients", "address", listeners->mcp_address);
        return true;
}

bool listeners_open(struct listeners *listeners, struct routes_context *context, const char *data_folder,
                    struct error *error)
{
        listeners->routes = context;
        listeners->address_file = path_join(data_folder, "address");
        if (!open_tls(listeners, error) ||
            !app_proxy_open(&listeners->app_proxy, context->services, listeners->tls, error) ||
            !open_ingress(listeners, data_folder, error) || !open_main(listeners, data_folder, error) ||
            !write_address(listeners, error))
                return false;
        log_info("listening", "address", listeners->address);
        return true;
}

void listeners_close(struct listeners *listeners)
{
        unlink(listeners->address_file);
        http_server_stop(listeners->ingress);
        http_server_stop(listeners->main);
        app_proxy_close(&listeners->app_proxy);
        http_tls_close(listeners->tls);
        free(listeners->address);
        free(listeners->mcp_address);
        free(listeners->address_file);
        *listeners = (struct listeners){0};
}

void listeners_reload(struct listeners *listeners)
{
        const struct settings *settings = settings_current();
        auto_error error = {0};

        if (!listeners->tls) {
                log_info("there is nothing to reload: TLS is not in use");
                return;
        }
        if (!settings->tls_certificate_file || !settings->tls_key_file)
                log_error("the certificate stays: TLS_CERTIFICATE_FILE and TLS_KEY_FILE are not both set");
        else if (!http_tls_load(listeners->tls, settings->tls_certificate_file, settings->tls_key_file, &error))
                log_error("the certificate stays as it is", "reason", error.message);
        else
                log_expiry(listeners->tls, settings->tls_certificate_file);
}
