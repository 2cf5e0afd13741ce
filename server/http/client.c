#include <sys/socket.h>

#include "server/base/text.h"
#include "server/http/internal.h"

/* The least time between two looks at all clients, and so how late a deadline may be kept. */
static int64_t sweep_interval(const struct worker *worker)
{
        unsigned quarter = worker->server->options.request_timeout_ms / 4;

        return quarter < 10 ? 10 : quarter > 1000 ? 1000 : quarter;
}

void client_set_deadline(struct worker *worker, struct client *client, int64_t deadline)
{
        client->deadline = deadline;
        if (deadline < worker->next_sweep)
                worker->next_sweep = deadline;
}

/* A body of a few bytes a second gains nothing here. */
void client_note_bytes(struct worker *worker, struct client *client, size_t length)
{
        const struct http_server_options *options = &worker->server->options;
        int64_t longest = worker->now + options->request_timeout_ms;

        if (client->deadline == INT64_MAX)
                return;
        client->deadline += (int64_t)(length * 1000 / options->body_rate);
        if (client->deadline > longest)
                client->deadline = longest;
}

/* Whoever stands for many clients, or for none but this machine's, is not limited. */
static bool is_limited(const struct http_server *server, const struct address *address)
{
        return server->options.address_maximum && !address_is_this_machine(address) &&
               !address_list_has(server->proxies, address);
}

enum MHD_Result client_accept(void *argument, const struct sockaddr *from, socklen_t size)
{
        const struct worker *worker = argument;
        const struct http_server *server = worker->server;
        struct address address;

        (void)size;
        if (!address_of(from, &address) || !is_limited(server, &address) ||
            address_counts_get(server->connections, &address) < server->options.address_maximum)
                return MHD_YES;
        if (server->options.observe_refusal)
                server->options.observe_refusal(server->options.context);
        return MHD_NO;
}

static void count(struct client *client, struct MHD_Connection *connection)
{
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
        const struct http_server *server = client->worker->server;

        client->is_counted =
                info && address_of(info->client_addr, &client->address) && is_limited(server, &client->address);
        if (client->is_counted)
                address_counts_add(server->connections, &client->address, 1);
}

static struct client *client_new(struct worker *worker, struct MHD_Connection *connection)
{
        struct client *client = memory_new(sizeof *client);
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

        client->worker = worker;
        /* What the library tells is good until it is asked for something else. */
        client->socket = info ? info->connect_fd : -1;
        count(client, connection);
        LIST_INSERT_HEAD(&worker->clients, client, all);
        client_set_deadline(worker, client, worker->now + worker->server->options.request_timeout_ms);
        return client;
}

void client_notify(void *argument, struct MHD_Connection *connection, void **socket_context,
                   enum MHD_ConnectionNotificationCode code)
{
        if (code == MHD_CONNECTION_NOTIFY_STARTED) {
                *socket_context = client_new(argument, connection);
                return;
        }
        auto_free struct client *client = take(*socket_context);
        if (client->is_counted)
                address_counts_add(client->worker->server->connections, &client->address, -1);
        LIST_REMOVE(client, all);
}

void client_sweep(struct worker *worker)
{
        struct client *client;

        if (worker->now < worker->next_sweep)
                return;
        worker->next_sweep = INT64_MAX;
        LIST_FOREACH(client, &worker->clients, all)
        {
                if (client->deadline <= worker->now) {
                        /* The daemon sees the end of the stream and closes in its own order. */
                        shutdown(client->socket, SHUT_RDWR);
                        client->deadline = INT64_MAX;
                }
                if (client->deadline < worker->next_sweep)
                        worker->next_sweep = client->deadline;
        }
        if (worker->next_sweep < worker->now + sweep_interval(worker))
                worker->next_sweep = worker->now + sweep_interval(worker);
}
