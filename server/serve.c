#include "server/serve.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "docker/client.h"
#include "server/admin/socket.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/cli.h"
#include "server/listeners.h"
#include "server/lock.h"
#include "server/routes.h"
#include "server/services/app_access.h"
#include "server/services/backup.h"
#include "server/services/builder.h"
#include "server/services/environment.h"
#include "server/services/feed.h"
#include "server/services/role.h"
#include "server/services/runtime.h"
#include "server/services/setup.h"

/* A part that does not end in time is left behind: what it was doing is found again at the next start. */
#define STOP_MAXIMUM_SECONDS 4
#define ADMIN_STOP_MS 1000
/* Calls that wait for a worker; more are told to come again. */
#define DOOR_QUEUE_MAXIMUM 1024

struct server {
        const struct config *config;
        struct services services;
        int lock;
        struct admin_socket *admin;
        struct routes_context routes;
        struct listeners listeners;
};

static bool open_lock(struct server *server, struct error *error)
{
        server->lock = data_lock_take(server->config->data_folder, error);
        return server->lock >= 0;
}

static void close_lock(struct server *server)
{
        close(server->lock);
}

static bool open_store(struct server *server, struct error *error)
{
        backup_clean(server->config->data_folder);
        server->services.store = store_open(server->config->data_folder, error);
        return server->services.store != NULL;
}

static void close_store(struct server *server)
{
        store_close(server->services.store);
}

static bool open_roles(struct server *server, struct error *error)
{
        return role_seed(server->services.store, error);
}

static bool open_settings(struct server *server, struct error *error)
{
        struct store_db *db = store_reader_open(server->services.store, error);
        enum log_level level = LOG_LEVEL_INFO;

        if (!db)
                return false;
        bool is_good = settings_load(db, server->config->data_folder, server->config->flags, error);
        store_reader_close(db);
        if (!is_good)
                return false;
        if (log_level_parse(settings_current()->log_level, &level))
                log_configure(level, !strcmp(settings_current()->log_format, "json"));
        return true;
}

static bool open_setup(struct server *server, struct error *error)
{
        struct store_db *db = store_reader_open(server->services.store, error);
        bool is_good = db && setup_open(&server->services, db, error);

        store_reader_close(db);
        return is_good;
}

static bool open_docker(struct server *server, struct error *error)
{
        server->services.docker = docker_new(settings_current()->docker_host, error);
        return server->services.docker != NULL;
}

static void close_docker(struct server *server)
{
        docker_free(server->services.docker);
}

static bool open_environments(struct server *server, struct error *error)
{
        auto_free char *usual = path_join(server->config->data_folder, "setup");
        const char *configured = settings_current()->setup_folder;

        server->services.environments =
                environments_open(server->services.store, configured ? configured : usual, error);
        return server->services.environments != NULL;
}

static void close_environments(struct server *server)
{
        environments_close(server->services.environments);
}

/* The runner's program lies beside this one, unless LONGSHORE_RUNNER names another. */
static char *runner_path(struct error *error)
{
        const char *named = getenv("LONGSHORE_RUNNER");
        char self[PATH_MAX];

        if (named)
                return text_copy(named);
        ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
        if (length < 0) {
                error_set(error, ERROR_INTERNAL, "the program's own folder cannot be told");
                return NULL;
        }
        self[length] = '\0';
        return text_format("%.*s/longshore-runner", (int)(strrchr(self, '/') - self), self);
}

static bool open_runtime(struct server *server, struct error *error)
{
        auto_free char *runner = runner_path(error);

        return runner && runtime_start(&server->services, runner, error);
}

static void close_runtime(struct server *server)
{
        runtime_stop(server->services.runtime);
}

static bool open_feed(struct server *server, struct error *error)
{
        return feed_start(&server->services, error);
}

static void close_feed(struct server *server)
{
        feed_stop(server->services.feed);
}

static bool open_builder(struct server *server, struct error *error)
{
        return builder_start(&server->services, error) != NULL;
}

static void close_builder(struct server *server)
{
        builder_stop(server->services.builder);
}

static void close_http(struct server *server)
{
        listeners_close(&server->listeners);
        pool_free(server->routes.mcp.pool);
        app_access_free(take(server->services.app_access));
}

static bool open_http(struct server *server, struct error *error)
{
        const struct settings *settings = settings_current();

        server->routes.services = &server->services;
        server->routes.mcp.services = &server->services;
        server->routes.rest.services = server->routes.oauth.services = &server->services;
        server->routes.oauth.pool = server->routes.rest.pool = server->routes.mcp.pool =
                pool_new((unsigned)settings->worker_threads, DOOR_QUEUE_MAXIMUM);
        if (listeners_open(&server->listeners, &server->routes, server->config->data_folder, error))
                return true;
        close_http(server);
        return false;
}

static bool open_admin(struct server *server, struct error *error)
{
        server->admin = admin_socket_open(&server->services, error);
        return server->admin != NULL;
}

/* A command that still runs uses all the rest, so that there is nothing left to do in order. */
static void close_admin(struct server *server)
{
        if (!admin_socket_close(server->admin, ADMIN_STOP_MS)) {
                log_warning("stopped while an admin command was running");
                _exit(0);
        }
}

/* Started in this order, stopped in the reverse. */
static const struct part {
        const char *name;
        bool (*open)(struct server *server, struct error *error);
        void (*close)(struct server *server);
} parts[] = {
        {"lock", open_lock, close_lock},
        {"store", open_store, close_store},
        {"roles", open_roles, NULL},
        {"settings", open_settings, NULL},
        {"setup", open_setup, NULL},
        {"docker", open_docker, close_docker},
        {"environments", open_environments, close_environments},
        {"feed", open_feed, close_feed},
        {"runtime", open_runtime, close_runtime},
        {"builder", open_builder, close_builder},
        {"http", open_http, close_http},
        {"admin socket", open_admin, close_admin},
};

static void stop_hard(int signal_number)
{
        (void)signal_number;
        _exit(0);
}

static void wait_for_signal(struct server *server, const sigset_t *signals)
{
        int number = 0;

        while (sigwait(signals, &number) || number == SIGHUP)
                if (number == SIGHUP)
                        listeners_reload(&server->listeners);
        log_info("stopping", "signal", strsignal(number));
        signal(SIGALRM, stop_hard);
        alarm(STOP_MAXIMUM_SECONDS);
}

static void block_signals(sigset_t *signals)
{
        sigemptyset(signals);
        sigaddset(signals, SIGTERM);
        sigaddset(signals, SIGINT);
        sigaddset(signals, SIGHUP);
        pthread_sigmask(SIG_BLOCK, signals, NULL);
        signal(SIGPIPE, SIG_IGN);
}

/* Every client and every stream is a descriptor; the usual soft limit is meant for programs that use select. */
static void raise_descriptor_limit(void)
{
        struct rlimit limit;

        if (!getrlimit(RLIMIT_NOFILE, &limit)) {
                limit.rlim_cur = limit.rlim_max;
                setrlimit(RLIMIT_NOFILE, &limit);
        }
}

int serve(const struct config *config)
{
        struct server server = {.config = config, .services = {.data_folder = config->data_folder}, .lock = -1};
        auto_error error = {0};
        sigset_t signals;
        size_t started = 0;

        block_signals(&signals);
        raise_descriptor_limit();
        umask(022);
        while (started < COUNT_OF(parts) && parts[started].open(&server, &error))
                started++;
        bool is_running = started == COUNT_OF(parts);
        if (is_running) {
                log_info("serving", "version", LONGSHORE_VERSION, "data", config->data_folder);
                wait_for_signal(&server, &signals);
        }
        while (started-- > 0)
                if (parts[started].close)
                        parts[started].close(&server);
        return is_running ? 0 : cli_fail(config, &error);
}
