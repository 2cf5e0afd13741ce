#include "server/cli.h"

#include <stdio.h>
#include <time.h>

#include "docker/client.h"
#include "server/admin/socket.h"
#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/log.h"
#include "server/lock.h"
#include "server/services/backup.h"
#include "server/services/role.h"
#include "server/words.h"

#define RESULT_MAXIMUM (16 * 1024 * 1024)
/* A folder that is locked and has no socket belongs to a server that starts or to another command: both are short. */
#define LOCK_WAIT_MS 5000
#define LOCK_POLL_MS 50

int cli_fail(const struct config *config, const struct error *error)
{
        if (config->is_json) {
                auto_json *document =
                        json_pack("{s:s, s:s}", "error", error_kind(error->code)->code, "message", error->message);
                auto_free char *printed = document_print(document);
                puts(printed);
        } else {
                fprintf(stderr, "longshored: %s\n", error->message);
        }
        return 1;
}

static void print(const struct config *config, const json_t *result)
{
        auto_text words = TEXT_WITH_MAXIMUM(RESULT_MAXIMUM);

        if (config->is_json) {
                auto_free char *printed = document_print(result);
                puts(printed);
                return;
        }
        words_print(result, &words);
        fputs(text_string(&words), stdout);
}

/* Runs with what could be opened: a command that can do without a store runs when it cannot be. */
static bool run_here(const struct config *config, struct services *services, json_t **result, struct error *error)
{
        struct call call = {.services = services, .actor = &actor_local, .source = "admin", .now = clock_now()};

        if (services->store && !(call.db = store_reader_open(services->store, error)))
                return false;
        bool is_good = settings_load(call.db, config->data_folder, config->flags, error);
        if (is_good && !services->docker)
                services->docker = docker_new(settings_current()->docker_host, error);
        is_good = is_good && services->docker &&
                  admin_command_run(config->command, &call, config->arguments, result, error);
        store_reader_close(call.db);
        return is_good;
}

static bool open_and_run(const struct config *config, json_t **result, struct error *error)
{
        struct services services = {.data_folder = config->data_folder};
        auto_error closed = {0};

        backup_clean(config->data_folder);
        services.store = store_open(config->data_folder, &closed);
        if (!services.store && !config->command->is_store_optional)
                return error_move(error, &closed);
        if (!services.store)
                log_warning("the store cannot be opened", "reason", closed.message);
        bool is_good =
                (!services.store || role_seed(services.store, error)) && run_here(config, &services, result, error);
        docker_free(services.docker);
        if (services.store)
                store_close(services.store);
        return is_good;
}

/* Asks a running server (*is_asked), or takes the lock. */
static bool find_server(const struct config *config, int *socket, int *lock, struct error *error)
{
        int64_t until = clock_monotonic() + LOCK_WAIT_MS;

        for (;;) {
                auto_error held = {0};
                if (!admin_connect(config->data_folder, socket, error))
                        return false;
                if (*socket >= 0)
                        return true;
                *lock = data_lock_take(config->data_folder, &held);
                if (*lock >= 0)
                        return true;
                if (held.code != ERROR_CONFLICT || clock_monotonic() > until)
                        return error_move(error, &held);
                nanosleep(&(struct timespec){.tv_nsec = LOCK_POLL_MS * 1000000L}, NULL);
        }
}

/* A command that only looks must not make the folder. */
static bool is_without_folder(const struct config *config)
{
        return config->command->is_store_optional && access(config->data_folder, F_OK);
}

static bool ask_or_run(const struct config *config, json_t **result, struct error *error)
{
        auto_fd socket = -1, lock = -1;

        if (is_without_folder(config)) {
                struct services services = {.data_folder = config->data_folder};
                bool is_good = run_here(config, &services, result, error);
                docker_free(services.docker);
                return is_good;
        }
        if (!find_server(config, &socket, &lock, error))
                return false;
        return socket >= 0 ? admin_ask(socket, config->command->name, config->arguments, result, error)
                           : open_and_run(config, result, error);
}

int cli_run(const struct config *config)
{
        auto_error error = {0};
        auto_json *result = NULL;

        log_configure(LOG_LEVEL_WARNING, false);
        if (!ask_or_run(config, &result, &error))
                return cli_fail(config, &error);
        print(config, result);
        return json_is_false(json_object_get(result, "healthy"));
}
