#include "server/services/runtime_parts.h"

#include <string.h>

#include "docker/container.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/task_paths.h"

/* What retention decides for one container. */
enum verdict { KEEP, STOP, REMOVE };

static bool is_at_work(const char *status)
{
        return !strcmp(status, "running") || !strcmp(status, "queued");
}

static enum verdict judge(const struct store_resource *resource, int64_t now)
{
        const struct settings *settings = settings_current();
        int64_t minutes = resource->is_pinned ? settings->idle_stop_pinned_minutes : settings->idle_stop_minutes;

        if (is_at_work(resource->task_status))
                return KEEP;
        if (resource->stopped_at)
                return now - resource->stopped_at >= settings->remove_stopped_hours * 3600000 ? REMOVE : KEEP;
        return now - resource->task_active_at >= minutes * 60000 ? STOP : KEEP;
}

static bool forget_work(struct store_db *db, void *context, struct error *error)
{
        int64_t task = *(const int64_t *)context;

        return store_resource_delete(db, "container", task, error) &&
               store_resource_delete(db, "workspace", task, error);
}

/* The container goes first, then the folders it had mounted, then their rows: a crash in between is taken up again. The
 * agent's output and our records stay. */
static bool remove_all(struct runtime *runtime, const struct store_resource *resource, struct error *error)
{
        auto_free char *workspace = task_path_workspace(runtime->services->data_folder, resource->task_id);
        int64_t task = resource->task;

        return docker_container_remove(runtime->services->docker, resource->handle, true, error) &&
               path_remove_tree(workspace, error) && RUNTIME_WRITE(runtime, forget_work, &task, error);
}

static void retain_one(struct runtime *runtime, struct store_db *db, const struct store_resource *resource, int64_t now)
{
        enum verdict verdict = judge(resource, now);
        auto_store_task task = {0};
        auto_error error = {0};
        bool is_found = false;

        if (verdict == KEEP || !runtime_try_lock_task(runtime, resource->task))
                return;
        /* The task may have begun to work before it was locked. */
        bool is_good = store_task_find_rid(db, resource->task, 0, &task, &is_found, &error);
        if (is_good && is_found && !is_at_work(task.status))
                is_good = verdict == STOP ? runtime_stop_container(runtime, db, resource->task, &error)
                                          : remove_all(runtime, resource, &error);
        runtime_unlock_task(runtime, resource->task);
        if (!is_good)
                log_warning("an idle container could not be put away", "container", resource->handle, "reason",
                            error.message);
        else
                log_info(verdict == STOP ? "idle container stopped" : "old container removed", "container",
                         resource->handle);
}

void runtime_retain(struct runtime *runtime, struct store_db *db, int64_t now)
{
        struct store_resource *resources = NULL;
        auto_error error = {0};
        size_t count = 0;

        if (!store_resource_list(db, "container", &resources, &count, &error))
                log_error("containers could not be listed", "reason", error.message);
        for (size_t i = 0; i < count; i++) {
                retain_one(runtime, db, &resources[i], now);
                store_resource_clear(&resources[i]);
        }
        free(resources);
}
