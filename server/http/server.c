#include <string.h>
#include <unistd.h>

#include "server/base/id.h"
#include "server/base/text.h"
#include "server/http/internal.h"

static unsigned default_threads(void)
{
        long processors = sysconf(_SC_NPROCESSORS_ONLN);

        return processors < 1 ? 1 : processors > 4 ? 4 : (unsigned)processors;
}

#define DEFAULT(member, value) options->member = options->member ? options->member : (value)

static void set_defaults(struct http_server_options *options)
{
        DEFAULT(host, "127.0.0.1");
        DEFAULT(threads, default_threads());
        DEFAULT(connection_maximum, 4096);
        DEFAULT(suspended_maximum, 2048);
        DEFAULT(connection_memory, 12288);
        DEFAULT(idle_timeout_seconds, 60);
        DEFAULT(request_timeout_ms, 30000);
        DEFAULT(body_rate, 16384);
        DEFAULT(stop_timeout_ms, 3000);
        DEFAULT(stream_maximum, 2048);
        DEFAULT(stream_buffer, 65536);
        DEFAULT(heartbeat_ms, 12000);
        DEFAULT(spool_folder, "/tmp");
        DEFAULT(spool_maximum, 4);
        DEFAULT(body_memory_each, 1024 * 1024);
        DEFAULT(body_memory_total, 64 * 1024 * 1024);
}

/* Eight random characters, so that ids of two runs differ. */
static void new_id_prefix(struct http_server *server)
{
        char id[ID_SIZE];

        id_new("r", id);
        snprintf(server->id_prefix, sizeof server->id_prefix, "%.8s-", id + 2);
}

static bool start_workers(struct http_server *server, struct error *error)
{
        for (unsigned i = 0; i < server->options.threads; i++, server->worker_count++)
                if (!worker_new(server, i, &server->workers[i], error))
                        return false;
        for (unsigned i = 0; i < server->worker_count; i++)
                if (!worker_start(server->workers[i], error))
                        return false;
        return true;
}

struct http_server *http_server_start(const struct http_server_options *given, struct error *error)
{
        struct http_server_options options = *given;

        set_defaults(&options);
        if (!router_check(options.routes, options.route_count, error))
                return NULL;
        struct http_server *server = memory_new(sizeof *server + options.threads * sizeof *server->workers);
        server->options = options;
        server->socket = -1;
        new_id_prefix(server);
        server->connections = address_counts_new();
        if (address_list_read(options.trusted_proxies, &server->proxies, error) &&
            listen_open(options.host, options.port, &server->socket, &server->port, error) &&
            start_workers(server, error))
                return server;
        http_server_stop(server);
        return NULL;
}

uint16_t http_server_port(const struct http_server *server)
{
        return server->port;
}

void http_server_stop(struct http_server *server)
{
        if (!server)
                return;
        for (unsigned i = 0; i < server->worker_count; i++)
                worker_stop(server->workers[i]);
        for (unsigned i = 0; i < server->worker_count; i++)
                worker_await(server->workers[i]);
        if (server->socket >= 0)
                close(server->socket);
        for (unsigned i = 0; i < server->worker_count; i++)
                worker_free(server->workers[i]);
        free(server->proxies);
        address_counts_free(server->connections);
        free(server);
}
