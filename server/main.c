#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "git/worker.h"
#include "server/base/document.h"
#include "server/base/secret.h"
#include "server/cli.h"
#include "server/lock.h"
#include "server/login.h"
#include "server/reference.h"
#include "server/serve.h"
#include "server/services/backup.h"
#include "server/services/runtime.h"

#define EXIT_USAGE 2
#define PRINT_MAXIMUM (4 * 1024 * 1024)

static int run_version(const struct config *config)
{
        (void)config;
        puts("longshored " LONGSHORE_VERSION);
        return 0;
}

static int run_reference(const struct config *config)
{
        auto_text out = TEXT_WITH_MAXIMUM(PRINT_MAXIMUM);
        auto_error error = {0};

        if (!reference_print(document_get_string(config->arguments, "section"), &out, &error))
                return cli_fail(config, &error);
        fputs(text_string(&out), stdout);
        return 0;
}

/* Opening the store migrates it. */
static int run_migrate(const struct config *config)
{
        auto_error error = {0};
        auto_fd lock = data_lock_take(config->data_folder, &error);
        struct store *store = lock < 0 ? NULL : store_open(config->data_folder, &error);

        if (!store)
                return cli_fail(config, &error);
        store_close(store);
        puts("The store has this program's version.");
        return 0;
}

static int run_restore(const struct config *config)
{
        auto_free char *old_id = NULL;
        auto_error error = {0};

        if (!backup_restore(config->data_folder, document_get_string(config->arguments, "file"), &old_id, &error))
                return cli_fail(config, &error);
        printf("Restored into %s as a store of its own. Turns that were at work in the backup end as interrupted at "
               "the first start, and queues of follow-ups wait to be resumed.\n",
               config->data_folder);
        if (old_id)
                printf("The containers of the original are left alone; they carry the label " LABEL_SERVER
                       "=%s:\n  docker ps --all --filter label=" LABEL_SERVER "=%s\n",
                       old_id, old_id);
        return 0;
}

static const struct {
        const char *name;
        int (*run)(const struct config *config);
} runners[] = {
        {"login", login_run},         {"serve", serve},         {"restore", run_restore}, {"migrate", run_migrate},
        {"reference", run_reference}, {"version", run_version},
};

static int run(const struct config *config)
{
        for (size_t i = 0; i < COUNT_OF(runners); i++)
                if (!strcmp(runners[i].name, config->command->name))
                        return runners[i].run(config);
        return cli_run(config);
}

int main(int argc, char **argv)
{
        auto_config config = {0};
        auto_error error = {0};

        if (argc > 1 && !strcmp(argv[1], REPOSITORY_WORKER_ARGUMENT))
                return repository_worker_main(argc, argv);
        signal(SIGPIPE, SIG_IGN);
        secret_init();
        if (!config_read(argc, argv, 0, &config, &error)) {
                fprintf(stderr, "longshored: %s\n", error.message);
                return EXIT_USAGE;
        }
        if (config.is_help) {
                auto_text out = TEXT_WITH_MAXIMUM(PRINT_MAXIMUM);
                config_help(config.command, &out);
                fputs(text_string(&out), stdout);
                return 0;
        }
        return run(&config);
}
