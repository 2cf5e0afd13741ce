#include "server/services/panel.h"

#include <string.h>

bool panel_open(struct call *call, const char *task_id, bool needs_execute, struct store_task *task,
                struct redactor *redactor, json_t **result, struct error *error)
{
        auto_error lookup = {0};

        *result = NULL;
        bool is_open = needs_execute ? access_task_require(call->db, call->actor, task_id, PERMISSION_TASKS_EXECUTE,
                                                           PERMISSION_TASKS_EXECUTE_ANY, task, error)
                                     : access_task_view(call->db, call->actor, task_id, task, error);
        if (!is_open && error->code == ERROR_PERMISSION_DENIED) {
                error_clear(error);
                return error_set(error, ERROR_TASK_NOT_FOUND, NULL);
        }
        if (!is_open || !access_require_content(task, error))
                return false;
        if (redactor_init(redactor, call->services, call->db, &lookup)) {
                redactor_set_task(redactor, call->db, task);
                return true;
        }
        if (lookup.code != ERROR_UNAVAILABLE)
                return error_move(error, &lookup);
        *result = json_pack("{s:s, s:s, s:s}", "taskId", task->id, "status", "unavailable", "reason",
                            "secret_values_unavailable");
        return true;
}
