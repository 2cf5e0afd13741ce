#include "server/services/environment.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/environment_folder.h"
#include "server/services/environment_identity.h"
#include "server/services/environment_snapshot.h"
#include "server/services/environment_watch.h"

struct environments {
        struct store *store;
        char *folder;
        pthread_mutex_t reading; /* held for a whole reading, so that a later one is never overtaken */
        pthread_mutex_t lock;    /* held for a moment, for what follows */
        pthread_cond_t is_new;
        struct environment_snapshot *current;
        uint64_t generation;
        struct environment_watch *watch;
        struct error failure; /* of the watch's latest reading; used by its thread only */
};

const char *environments_folder(const struct environments *environments)
{
        return environments->folder;
}

struct environment_snapshot *environments_current(struct environments *environments)
{
        pthread_mutex_lock(&environments->lock);
        struct environment_snapshot *current = environment_snapshot_keep(environments->current);
        pthread_mutex_unlock(&environments->lock);
        return current;
}

void environments_each_repository(struct environments *environments, void (*told)(const char *url, void *context),
                                  void *context)
{
        auto_environment_snapshot *current = environments_current(environments);

        for (size_t i = 0; current && i < current->count; i++) {
                const struct environment_file *file = &current->by_name[i]->file;
                const struct environment_repository *repositories = file->repositories.items;
                for (size_t j = 0; j < file->repositories.count; j++)
                        told(repositories[j].url, context);
        }
}

static bool is_same(const char *a, const char *b)
{
        return a && b ? !strcmp(a, b) : a == b;
}

static void log_changes(const struct environment_snapshot *before, const struct environment_snapshot *after)
{
        for (size_t i = 0; i < after->count; i++) {
                const struct environment *now = after->by_name[i];
                const struct environment *then = environment_snapshot_find(before, now->name);
                if (is_same(now->broken_reason, then ? then->broken_reason : NULL))
                        continue;
                if (now->broken_reason)
                        log_warning("an environment is disabled: it is broken", "environment", now->name, "reason",
                                    now->broken_reason);
                else
                        log_info("an environment is no longer broken", "environment", now->name);
        }
}

static void publish(struct environments *environments, struct environment_snapshot *snapshot)
{
        environment_snapshot_seal(snapshot);
        pthread_mutex_lock(&environments->lock);
        auto_environment_snapshot *before = environments->current;
        environments->current = snapshot;
        environments->generation++;
        pthread_cond_broadcast(&environments->is_new);
        pthread_mutex_unlock(&environments->lock);
        log_changes(before, snapshot);
}

bool environments_reload(struct environments *environments, struct error *error)
{
        pthread_mutex_lock(&environments->reading);
        auto_environment_snapshot *snapshot = environment_snapshot_read(environments->folder, error);
        auto_environment_snapshot *before = environments_current(environments);
        bool is_good = snapshot && environment_identity_assign(environments->store, before, snapshot, error);
        if (is_good)
                publish(environments, take(snapshot));
        pthread_mutex_unlock(&environments->reading);
        return is_good;
}

/* A failed reading is repeated every second, and logged when its reason is a new one. */
static bool reload_on_change(void *context)
{
        struct environments *environments = context;
        auto_error error = {0};

        bool is_good = environments_reload(environments, &error);
        if (!is_good && strcmp(error.message, environments->failure.message))
                log_warning("the setup folder cannot be taken up; what it held before stays", "reason", error.message);
        if (is_good)
                error_clear(&environments->failure);
        else
                error_move(&environments->failure, &error);
        return is_good;
}

uint64_t environments_generation(struct environments *environments)
{
        pthread_mutex_lock(&environments->lock);
        uint64_t generation = environments->generation;
        pthread_mutex_unlock(&environments->lock);
        return generation;
}

bool environments_wait(struct environments *environments, uint64_t generation, int64_t timeout_ms)
{
        struct timespec until;
        int failure = 0;

        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += timeout_ms / 1000;
        until.tv_nsec += timeout_ms % 1000 * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_lock(&environments->lock);
        while (environments->generation <= generation && !failure)
                failure = pthread_cond_timedwait(&environments->is_new, &environments->lock, &until);
        bool is_new = environments->generation > generation;
        pthread_mutex_unlock(&environments->lock);
        return is_new;
}

const struct environment *environment_find(struct environments *environments, const char *name)
{
        auto_environment_snapshot *current = environments_current(environments);
        const struct environment *found = environment_snapshot_find(current, name);

        return found ? environment_keep(found) : NULL;
}

const struct environment *environment_find_rid(struct environments *environments, int64_t rid)
{
        auto_environment_snapshot *current = environments_current(environments);
        const struct environment *found = environment_snapshot_find_rid(current, rid);

        return found ? environment_keep(found) : NULL;
}

static struct environments *registry_new(struct store *store, const char *setup_folder)
{
        struct environments *environments = memory_new(sizeof *environments);
        pthread_condattr_t attributes;

        environments->store = store;
        environments->folder = path_join(setup_folder, ENVIRONMENT_FOLDER_NAME);
        pthread_mutex_init(&environments->reading, NULL);
        pthread_mutex_init(&environments->lock, NULL);
        pthread_condattr_init(&attributes);
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        pthread_cond_init(&environments->is_new, &attributes);
        pthread_condattr_destroy(&attributes);
        return environments;
}

struct environments *environments_open(struct store *store, const char *setup_folder, struct error *error)
{
        struct environments *environments = registry_new(store, setup_folder);

        if (path_make_folder(environments->folder, 0700, error) &&
            (environments->watch = environment_watch_open(setup_folder, reload_on_change, environments, error)) &&
            environments_reload(environments, error))
                return environments;
        environments_close(environments);
        return NULL;
}

void environments_close(struct environments *environments)
{
        environment_watch_close(environments->watch);
        environment_snapshot_release(environments->current);
        error_clear(&environments->failure);
        pthread_cond_destroy(&environments->is_new);
        pthread_mutex_destroy(&environments->lock);
        pthread_mutex_destroy(&environments->reading);
        free(environments->folder);
        free(environments);
}
