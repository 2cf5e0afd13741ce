#include <stdio.h>
#include <string.h>

#include "git/repository.h"
#include "server/base/document.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/environment.h"
#include "server/services/runtime_parts.h"
#include "server/services/task_paths.h"
#include "server/services/unused_version.h"
#include "server/store/unused.h"

#define DAY_MS INT64_C(86400000)
#define ROWS_AT_ONCE 100

static const struct {
        char kind[16];
        const char *sentence;
} row_kinds[STORE_UNUSED_KIND_COUNT] = {
        [STORE_UNUSED_CLIENT] = {"client", "registrations of OAuth clients that nobody uses removed"},
        [STORE_UNUSED_REQUEST] = {"review_request", "old review requests removed"},
        [STORE_UNUSED_LOOP] = {"review_loop", "old review loops removed"},
};

static int64_t limit(int64_t now)
{
        return now - settings_current()->remove_unused_days * DAY_MS;
}

struct telling {
        retention_told *told;
        void *context;
        char kind[16];
};

static void tell(const struct telling *telling, const char *handle, const char *task_id)
{
        struct store_resource resource = {
                .kind = (char *)telling->kind, .handle = (char *)handle, .task_id = (char *)task_id};

        telling->told(&resource, "remove", telling->context);
}

static void tell_row(const struct store_unused *unused, void *context)
{
        tell(context, unused->id, unused->task_id);
}

/* Mirrors: the names of those that some environment has a repository for, and of those that nobody used, as the keys of
 * objects. */
struct mirrors {
        json_t *named, *unused;
};

static void mirrors_clear(struct mirrors *mirrors)
{
        json_decref(mirrors->named);
        json_decref(mirrors->unused);
}

static void add_named(const char *url, void *context)
{
        auto_error ignored = {0};
        auto_free char *name = repository_mirror_name(url, &ignored);

        if (name)
                json_object_set_new(((struct mirrors *)context)->named, name, json_true());
}

static void add_unused(const char *name, void *context)
{
        struct mirrors *mirrors = context;

        if (!json_object_get(mirrors->named, name))
                json_object_set_new(mirrors->unused, name, json_true());
}

static bool find_mirrors(const struct services *services, int64_t before, struct mirrors *mirrors, struct error *error)
{
        auto_free char *folder = task_path_mirrors(services->data_folder);

        mirrors->named = json_object();
        mirrors->unused = json_object();
        environments_each_repository(services->environments, add_named, mirrors);
        return repository_mirror_each(folder, before, add_unused, mirrors, error);
}

static void tell_version(const char *kind, const char *folder, void *context)
{
        struct telling *telling = context;

        snprintf(telling->kind, sizeof telling->kind, "%s", kind);
        tell(telling, folder, NULL);
}

bool unused_due(const struct services *services, struct store_db *db, int64_t at, retention_told *told, void *context,
                struct error *error)
{
        CLEANUP(mirrors_clear) struct mirrors mirrors = {0};
        struct telling telling = {told, context, "mirror"};
        const char *name;
        json_t *value;

        if (!find_mirrors(services, limit(at), &mirrors, error))
                return false;
        json_object_foreach(mirrors.unused, name, value) tell(&telling, name, NULL);
        if (!unused_version_each(services, db, limit(at), tell_version, &telling, error))
                return false;
        for (int kind = 0; kind < STORE_UNUSED_KIND_COUNT; kind++) {
                memcpy(telling.kind, row_kinds[kind].kind, sizeof telling.kind);
                if (!store_unused_each(db, (enum store_unused_kind)kind, limit(at), tell_row, &telling, error))
                        return false;
        }
        return true;
}

static bool remove_mirrors(const struct services *services, int64_t before, struct error *error)
{
        CLEANUP(mirrors_clear) struct mirrors mirrors = {0};
        auto_free char *folder = task_path_mirrors(services->data_folder);
        const char *name;
        json_t *value;

        if (!find_mirrors(services, before, &mirrors, error))
                return false;
        json_object_foreach(mirrors.unused, name, value)
        {
                bool is_removed;
                if (!repository_mirror_remove(folder, name, before, &is_removed, error))
                        return false;
                if (is_removed)
                        log_info("the mirror of a repository of no environment removed", "mirror", name);
        }
        return true;
}

static void remove_version(const char *kind, const char *folder, void *context)
{
        auto_error error = {0};

        (void)context;
        if (path_remove_tree(folder, &error))
                log_info("an old version that no container uses removed", "kind", kind, "folder", folder);
        else
                log_warning("an old version could not be removed", "folder", folder, "reason", error.message);
}

struct deletion {
        enum store_unused_kind kind;
        int64_t before;
        int count;
};

static bool delete_work(struct store_db *db, void *context, struct error *error)
{
        struct deletion *deletion = context;

        return store_unused_delete(db, deletion->kind, deletion->before, ROWS_AT_ONCE, &deletion->count, error);
}

static void note_found(const struct store_unused *unused, void *is_any)
{
        (void)unused;
        *(bool *)is_any = true;
}

/* The writer is asked only when the reader sees something. */
static bool delete_rows(const struct services *services, struct store_db *db, enum store_unused_kind kind,
                        int64_t before, struct error *error)
{
        struct deletion deletion = {.kind = kind, .before = before};
        bool is_any = false;

        if (!store_unused_each(db, kind, before, note_found, &is_any, error) || !is_any)
                return !error->code;
        do {
                if (!store_write(services->store, delete_work, &deletion, error))
                        return false;
                if (deletion.count)
                        log_info(row_kinds[kind].sentence);
        } while (deletion.count == ROWS_AT_ONCE);
        return true;
}

void unused_remove(const struct services *services, struct store_db *db, int64_t now)
{
        auto_error error = {0};
        bool is_good = remove_mirrors(services, limit(now), &error) &&
                       unused_version_each(services, db, limit(now), remove_version, NULL, &error);

        for (int kind = 0; is_good && kind < STORE_UNUSED_KIND_COUNT; kind++)
                is_good = delete_rows(services, db, (enum store_unused_kind)kind, limit(now), &error);
        if (!is_good)
                log_warning("what nobody uses any more could not be removed", "reason", error.message);
}
