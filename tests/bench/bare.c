/* bench_bare PORT FILE: answers every request with the bytes of FILE, on one thread: what libmicrohttpd alone costs.
 * Like the server it waits on the library's epoll descriptor itself (server/http/worker.c says why). */
#include <microhttpd.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/path.h"

#define BODY_MAXIMUM (1024 * 1024)
#define CONNECTIONS_MAXIMUM 4096
#define WAIT_MS 1000

static enum MHD_Result respond(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                               const char *version, const char *upload, size_t *upload_size, void **state)
{
        const struct text *body = context;
        static char is_begun;

        (void)url, (void)method, (void)version, (void)upload;
        if (!*state) {
                *state = &is_begun;
                return MHD_YES;
        }
        if (*upload_size) {
                *upload_size = 0;
                return MHD_YES;
        }
        struct MHD_Response *response =
                MHD_create_response_from_buffer(body->length, body->data, MHD_RESPMEM_PERSISTENT);
        MHD_add_response_header(response, "Content-Type", "application/json");
        enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
        MHD_destroy_response(response);
        return result;
}

int main(int argc, char **argv)
{
        auto_text body = TEXT_WITH_MAXIMUM(BODY_MAXIMUM);
        auto_error error = {0};
        int port = argc == 3 ? atoi(argv[1]) : 0;

        if (port <= 0 || !path_read(argv[2], BODY_MAXIMUM, &body, NULL, &error)) {
                fprintf(stderr, "usage: %s PORT FILE\n", argv[0]);
                return 2;
        }
        struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_EPOLL, (uint16_t)port, NULL, NULL, respond, &body,
                                                     MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAXIMUM, MHD_OPTION_END);
        if (!daemon) {
                fprintf(stderr, "%s: port %d cannot be listened on\n", argv[0], port);
                return 1;
        }
        struct pollfd event = {.fd = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, .events = POLLIN};
        for (;;) {
                poll(&event, 1, WAIT_MS);
                MHD_run_wait(daemon, 0);
        }
}
