#include "server/services/runtime_parts.h"

#include <string.h>

#include "server/base/log.h"
#include "server/services/task_run.h"
#include "server/services/uploaded.h"
#include "server/store/follow_up.h"

#define HOUR_MS 3600000
#define MINUTE_MS 60000

static bool is_at_work(const char *status)
{
        return !strcmp(status, "running") || !strcmp(status, "queued");
}

/* What retention may do; the action and the sentence are what people are told. */
struct measure {
        const char *kind;
        bool (*is_due)(const struct store_resource *resource, int64_t now);
        bool (*apply)(struct runtime *runtime, struct store_db *db, const struct store_resource *resource,
                      struct error *error);
        const char *action, *sentence;
};

static bool is_idle(const struct store_resource *resource, int64_t now)
{
        const struct settings *settings = settings_current();
        int64_t minutes = resource->is_pinned ? settings->idle_stop_pinned_minutes : settings->idle_stop_minutes;

        return !resource->stopped_at && now - resource->task_active_at >= minutes * MINUTE_MS;
}

static bool stop(struct runtime *runtime, struct store_db *db, const struct store_resource *resource,
                 struct error *error)
{
        return container_stop(runtime, db, resource->task, resource->task_id, error);
}

static bool is_long_stopped(const struct store_resource *resource, int64_t now)
{
        return resource->stopped_at && now - resource->stopped_at >= settings_current()->remove_stopped_hours * HOUR_MS;
}

static bool remove_container(struct runtime *runtime, struct store_db *db, const struct store_resource *resource,
                             struct error *error)
{
        (void)db;
        return container_remove(runtime, resource->task, resource->task_id, error);
}

/* Work that was not pushed is only there: pinned tasks keep theirs. */
static bool is_abandoned(const struct store_resource *resource, int64_t now)
{
        return !resource->stopped_at && !resource->is_pinned &&
               now - resource->task_active_at >= settings_current()->remove_workspace_hours * HOUR_MS;
}

/* The container goes first, for it has the workspace mounted. */
static bool remove_workspace(struct runtime *runtime, struct store_db *db, const struct store_resource *resource,
                             struct error *error)
{
        (void)db;
        return container_remove(runtime, resource->task, resource->task_id, error) &&
               workspace_remove(runtime, resource->task, resource->task_id, error);
}

/* Containers hold nothing that is not made again; workspaces do, and stay longer. What an agent put out and our records
 * stay. */
static const struct measure measures[] = {
        {"container", is_idle, stop, "stop", "idle container stopped"},
        {"container", is_long_stopped, remove_container, "remove", "old container removed"},
        {"workspace", is_abandoned, remove_workspace, "remove", "old workspace removed"},
};

/* What is looked at again before something is put away. */
struct wanted {
        const struct measure *measure;
        const struct store_resource *resource;
        bool is_wanted;
};

/* On the writer thread: a follow-up is scheduled before this, and counts, or after it, and finds the task put away. */
static bool look_work(struct store_db *db, void *context, struct error *error)
{
        struct wanted *wanted = context;
        struct store_follow_up_counts counts;
        auto_store_task task = {0};
        bool is_found;

        if (!store_task_find_rid(db, wanted->resource->task, 0, &task, &is_found, error) ||
            !store_follow_up_count(db, wanted->resource->task, &counts, error))
                return false;
        bool is_kept = counts.scheduled && !strcmp(wanted->measure->action, "remove");
        wanted->is_wanted = is_found && !is_at_work(task.status) && !is_kept;
        auto_store_task_run app = {0};
        int64_t open = 0;
        if (!store_task_run_count_open(db, wanted->resource->task, &open, error) ||
            !store_task_run_latest(db, wanted->resource->task, TASK_RUN_APP, "", &app, &is_found, error))
                return false;
        /* A test is let come to its end; an application server that nobody uses goes with its container. */
        int64_t tests = open - (is_found && !app.ended_at);
        wanted->is_wanted = wanted->is_wanted && !tests;
        return true;
}

static void retain_one(struct runtime *runtime, struct store_db *db, const struct measure *measure,
                       const struct store_resource *resource, int64_t now)
{
        struct wanted wanted = {measure, resource, false};
        auto_error error = {0};

        if (is_at_work(resource->task_status) || !measure->is_due(resource, now) ||
            !runtime_try_lock_task(runtime, resource->task))
                return;
        number_set_lock(runtime, &runtime->tasks_put_away, resource->task);
        bool is_good = RUNTIME_WRITE(runtime, look_work, &wanted, &error);
        if (is_good && wanted.is_wanted)
                is_good = measure->apply(runtime, db, resource, &error);
        number_set_unlock(runtime, &runtime->tasks_put_away, resource->task);
        runtime_unlock_task(runtime, resource->task);
        if (!is_good)
                log_warning("what is no longer used could not be put away", "resource", resource->handle, "reason",
                            error.message);
        else if (wanted.is_wanted)
                log_info(measure->sentence, "resource", resource->handle);
}

/* How long something was not used cannot be told across a clock that was set: it counts from then. */
static void count_from(struct store_resource *resource, int64_t at)
{
        if (resource->task_active_at < at)
                resource->task_active_at = at;
        if (resource->stopped_at && resource->stopped_at < at)
                resource->stopped_at = at;
}

static void apply(struct runtime *runtime, struct store_db *db, const struct measure *measure, int64_t now)
{
        struct store_resource *resources = NULL;
        auto_error error = {0};
        size_t count = 0;

        if (!store_resource_list(db, measure->kind, &resources, &count, &error))
                log_error("containers and workspaces could not be listed", "reason", error.message);
        for (size_t i = 0; i < count; i++) {
                count_from(&resources[i], atomic_load(&runtime->clock_set_at));
                if (!atomic_load(&runtime->is_stopping))
                        retain_one(runtime, db, measure, &resources[i], now);
                store_resource_clear(&resources[i]);
        }
        free(resources);
}

static bool tell_due(struct store_db *db, const struct measure *measure, int64_t at, retention_told *told,
                     void *context, struct error *error)
{
        auto_free struct store_resource *resources = NULL;
        size_t count = 0;

        if (!store_resource_list(db, measure->kind, &resources, &count, error))
                return false;
        for (size_t i = 0; i < count; i++) {
                struct store_follow_up_counts counts = {0};
                auto_error ignored = {0};
                bool is_kept = !strcmp(measure->action, "remove") &&
                               store_follow_up_count(db, resources[i].task, &counts, &ignored) && counts.scheduled;
                if (!is_at_work(resources[i].task_status) && !is_kept && measure->is_due(&resources[i], at))
                        told(&resources[i], measure->action, context);
                store_resource_clear(&resources[i]);
        }
        return true;
}

/* Runs of tests, whose results are kept for a time. */
static bool tell_runs(struct store_db *db, int64_t at, retention_told *told, void *context, struct error *error)
{
        auto_store_task_runs runs = {0};

        if (!store_task_run_list_old(db, at - TASK_RUN_DAYS * INT64_C(86400000), &runs, error))
                return false;
        for (size_t i = 0; i < runs.count; i++)
                told(&(struct store_resource){.kind = (char[]){"run"},
                                              .handle = runs.items[i].id,
                                              .task_id = runs.items[i].task_id},
                     "remove", context);
        return true;
}

bool retention_due(const struct services *services, struct store_db *db, int64_t at, retention_told *told,
                   void *context, struct error *error)
{
        for (size_t i = 0; i < COUNT_OF(measures); i++)
                if (!tell_due(db, &measures[i], at, told, context, error))
                        return false;
        return tell_runs(db, at, told, context, error) && unused_due(services, db, at, told, context, error);
}

void runtime_retain(struct runtime *runtime, struct store_db *db, int64_t now)
{
        for (size_t i = 0; i < COUNT_OF(measures); i++)
                apply(runtime, db, &measures[i], now);
        uploaded_expire(runtime->services, db, now);
        task_run_expire(runtime->services, db, now);
        unused_remove(runtime->services, db, now);
}
