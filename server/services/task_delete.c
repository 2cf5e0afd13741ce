#include "server/services/task.h"

#include <string.h>

#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/audit.h"
#include "server/services/changes_parts.h"
#include "server/services/review_watch.h"
#include "server/services/runtime.h"
#include "server/services/task_paths.h"

struct deletion {
        struct call *call;
        const struct store_task *task;
};

static bool delete_work(struct store_db *db, void *context, struct error *error)
{
        const struct deletion *deletion = context;
        const struct actor *actor = deletion->call->actor;
        bool is_done;

        if (!review_task_gone(db, deletion->task, deletion->call->now, error) ||
            !store_task_delete(db, deletion->task->rid, actor->user, deletion->call->now, &is_done, error))
                return false;
        if (!is_done)
                return error_set(error, ERROR_TASK_BUSY, NULL);
        return audit_write(db, actor, "task.delete", deletion->task->id, NULL, error);
}

/* The container first, then the rows, then the files: a crash in between leaves a task that can be deleted again, or
 * files that no row speaks of, which are no secret to anybody who may read the disk. */
static bool delete_all(struct call *call, const struct store_task *task, struct error *error)
{
        struct deletion deletion = {call, task};
        auto_free char *changes = changes_path(call->services->data_folder, task->id),
                       *folder = task_path_folder(call->services->data_folder, task->id),
                       *records = task_path_records(call->services->data_folder, task->id);

        return runtime_remove_container(call->services->runtime, task->rid, task->id, error) &&
               store_write(call->services->store, delete_work, &deletion, error) && path_remove_tree(folder, error) &&
               path_remove_tree(records, error) && path_remove_tree(changes, error);
}

bool task_delete(struct call *call, const struct task_delete_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0};

        if (!access_task_require(call->db, call->actor, input->taskId, PERMISSION_TASKS_CHANGE,
                                 PERMISSION_TASKS_CHANGE_ANY, &task, error))
                return false;
        if (!strcmp(task.status, "running") || !strcmp(task.status, "queued"))
                return error_set(error, ERROR_TASK_BUSY, "The task is %s; stop it first.", task.status);
        if (!runtime_try_lock_task(call->services->runtime, task.rid))
                return error_set(error, ERROR_TASK_SOURCE_BUSY, NULL);
        bool is_done = delete_all(call, &task, error);
        runtime_unlock_task(call->services->runtime, task.rid);
        if (!is_done)
                return false;
        *result = json_object();
        json_object_set_new(*result, "taskId", document_string(task.id));
        json_object_set_new(*result, "deleted", json_true());
        return true;
}
