#include "server/admin/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>

#include "server/admin/command.h"
#include "server/admin/line.h"
#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/log.h"

/* A second thread, so that a long backup does not keep a revocation waiting. */
#define THREADS 2
#define BACKLOG 16
#define SOCKET_TIMEOUT_SECONDS 5

struct admin_socket {
        struct services *services;
        int listener;
        char *path;
        pthread_t threads[THREADS];
        size_t thread_count;
        atomic_bool is_closing;
};

static bool is_allowed(int client)
{
        struct ucred peer;
        socklen_t size = sizeof peer;

        return !getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) && (peer.uid == 0 || peer.uid == geteuid());
}

static bool run_request(struct services *services, json_t *request, json_t **result, struct error *error)
{
        const char *name = document_get_string(request, "command");
        const struct admin_command *command = name ? admin_command_find(name) : NULL;
        struct call call = {.services = services, .actor = &actor_local, .source = "admin", .now = clock_now()};

        if (!command)
                return error_set(error, ERROR_INVALID_INPUT, "the server knows no command %.100s", name ? name : "");
        call.db = store_reader_open(services->store, error);
        if (!call.db)
                return false;
        bool is_good = admin_command_run(command, &call, json_object_get(request, "arguments"), result, error);
        store_reader_close(call.db);
        return is_good;
}

static json_t *error_answer(const struct error *error)
{
        return json_pack("{s:{s:s, s:s}}", "error", "code", error_kind(error->code)->code, "message", error->message);
}

static json_t *answer(struct services *services, int client)
{
        auto_error error = {0};
        json_t *result = NULL;

        /* Read first: a connection closed over what was not read would lose the answer. */
        auto_json *request = line_read(client, &error);
        if (!is_allowed(client)) {
                error_set(&error, ERROR_PERMISSION_DENIED, "only root and the server's own user may do this");
                return error_answer(&error);
        }
        if (!request || !run_request(services, request, &result, &error))
                return error_answer(&error);
        return json_pack("{s:o}", "result", result);
}

static void *serve(void *argument)
{
        struct admin_socket *admin = argument;
        const struct timeval timeout = {.tv_sec = SOCKET_TIMEOUT_SECONDS};

        while (!atomic_load(&admin->is_closing)) {
                auto_fd client = accept4(admin->listener, NULL, NULL, SOCK_CLOEXEC);
                auto_error ignored = {0};
                if (client < 0) {
                        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
                                nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
                        continue;
                }
                setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
                setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
                auto_json *line = answer(admin->services, client);
                if (!line_write(client, line, &ignored))
                        log_warning("an answer of the admin socket was not taken", "reason", ignored.message);
        }
        return NULL;
}

/* The mode is set before the file exists, so that there is no moment when others could connect. */
static bool listen_in(const char *folder, int listener, struct error *error)
{
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        auto_fd opened = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

        snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/" ADMIN_SOCKET_NAME, opened);
        if (opened < 0 || listener < 0 || fchmod(listener, 0600) ||
            (unlinkat(opened, ADMIN_SOCKET_NAME, 0) && errno != ENOENT) ||
            bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, BACKLOG))
                return error_set(error, ERROR_INTERNAL, "%s/" ADMIN_SOCKET_NAME " cannot be made: %s", folder,
                                 strerror(errno));
        return true;
}

struct admin_socket *admin_socket_open(struct services *services, struct error *error)
{
        auto_fd listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

        if (!listen_in(services->data_folder, listener, error))
                return NULL;
        struct admin_socket *admin = memory_new(sizeof *admin);
        admin->services = services;
        admin->listener = take_fd(&listener);
        admin->path = text_format("%s/" ADMIN_SOCKET_NAME, services->data_folder);
        for (; admin->thread_count < THREADS; admin->thread_count++)
                if (pthread_create(&admin->threads[admin->thread_count], NULL, serve, admin))
                        break;
        if (admin->thread_count)
                return admin;
        error_set(error, ERROR_INTERNAL, "no thread for the admin socket");
        if (!admin_socket_close(admin, 0))
                abort();
        return NULL;
}

bool admin_socket_close(struct admin_socket *admin, int64_t timeout_ms)
{
        struct timespec until;

        if (!admin)
                return true;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += timeout_ms / 1000;
        unlink(admin->path);
        atomic_store(&admin->is_closing, true);
        shutdown(admin->listener, SHUT_RDWR);
        for (; admin->thread_count; admin->thread_count--)
                if (pthread_timedjoin_np(admin->threads[admin->thread_count - 1], NULL, &until))
                        return false;
        close(admin->listener);
        free(admin->path);
        free(admin);
        return true;
}
