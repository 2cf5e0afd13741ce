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

static struct client *client_new(struct worker *worker, struct MHD_Connection *connection)
{
        struct client *client = memory_new(sizeof *client);
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

        client->socket = info ? info->connect_fd : -1;
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
