/* Small changes of a task: its name, whether it is shared, and the start of a staged one. */
#include "server/services/task.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/environment.h"
#include "server/services/slot.h"
#include "server/services/spend.h"
#include "server/services/task_view.h"

static bool render(struct call *call, const char *id, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        auto_redactor redactor = {0};

        if (!task_open(call, id, &task, &redactor, error))
                return false;
        *result = task_view(call, &task, &redactor);
        return true;
}

static bool require(struct call *call, const char *id, struct store_task *task, struct error *error)
{
        return access_task_require(call->db, call->actor, id, PERMISSION_TASKS_CHANGE, PERMISSION_TASKS_CHANGE_ANY,
                                   task, error);
}

/* {id: value} */
static json_t *by_id(const char *id, json_t *value)
{
        json_t *map = json_object();

        json_object_set_new(map, id, value);
        return map;
}

bool task_rename(struct call *call, const struct task_rename_input *input, json_t **result, struct error *error)
{
        auto_redactor redactor = {0};
        auto_store_task task = {0};
        json_t *view;

        if (!input->name[strspn(input->name, " \t\r\n")])
                return error_set(error, ERROR_INVALID_INPUT, "name must not be blank");
        if (!require(call, input->taskId, &task, error))
                return false;
        auto_free char *source = store_task_name_source(call->db, task.rid, error);
        if (!source || !store_task_rename(call->db, task.rid, input->name, error) ||
            !audit_write(call->db, call->actor, "task.rename", task.id, NULL, error) ||
            !redactor_init(&redactor, call->services, call->db, error))
                return false;
        redactor_set_task(&redactor, call->db, &task);
        if (!render(call, task.id, &view, error))
                return false;
        json_t *object = json_object();
        json_object_set_new(object, "renamedTaskIds", json_pack("[s]", task.id));
        json_object_set_new(object, "previousNames", by_id(task.id, redact_string(&redactor, task.name)));
        json_object_set_new(object, "newNames", by_id(task.id, redact_string(&redactor, input->name)));
        json_object_set_new(object, "previousNameSources",
                            by_id(task.id, strcmp(source, "unset") ? document_string(source) : json_null()));
        json_object_set_new(object, "scope", json_string("task"));
        json_object_set_new(object, "task", view);
        *result = object;
        return true;
}

bool task_share(struct call *call, const struct task_share_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0};

        return require(call, input->taskId, &task, error) &&
               store_task_share(call->db, task.rid, input->shared, error) &&
               audit_write(call->db, call->actor, input->shared ? "task.share" : "task.unshare", task.id, NULL,
                           error) &&
               render(call, task.id, result, error);
}

bool task_start(struct call *call, const struct task_start_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        const char *status;

        if (!require(call, input->taskId, &task, error))
                return false;
        if (strcmp(task.status, "staged"))
                return error_set(error, ERROR_CONFLICT, "The task is %s, not staged.", task.status);
        auto_environment *environment = environment_find_rid(call->services->environments, task.environment);
        if (!environment)
                return error_set(error, ERROR_ENVIRONMENT_DISABLED, "The task's environment is gone.");
        return environment_check_active(environment, error) &&
               spend_check(call, environment, task.cost_micros, error) &&
               slot_start(call->services, call->db, task.rid, task.turn, 0, call->now, &status, error) &&
               audit_write(call->db, call->actor, "task.start", task.id, NULL, error) &&
               render(call, task.id, result, error);
}
