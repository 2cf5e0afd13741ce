#include "server/services/task.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/environment.h"
#include "server/services/receipt.h"
#include "server/services/slot.h"
#include "server/services/task_view.h"
#include "server/store/turn.h"
#include "server/store/work.h"

#define TOOL "follow_up_task"

/* What the caller should know: a turn in a workspace that is made again does not find what it left there. */
static bool add_warnings(struct call *call, const struct store_task *task, json_t *object, struct error *error)
{
        auto_store_resource workspace = {0};
        bool is_found;

        if (!store_resource_find(call->db, "workspace", task->rid, &workspace, &is_found, error))
                return false;
        if (is_found && workspace.stopped_at)
                json_object_set_new(object, "warnings",
                                    json_pack("[s]", "The task's workspace was removed because it was not used for "
                                                     "long. It is made again from the repositories: what had not been "
                                                     "pushed is gone."));
        return true;
}

static bool render(struct call *call, const char *id, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        auto_store_turn turn = {0};
        auto_redactor redactor = {0};
        bool is_found;

        if (!access_task_view(call->db, call->actor, id, &task, error) ||
            !redactor_init(&redactor, call->services, call->db, error) ||
            !store_turn_find(call->db, task.turn, &turn, &is_found, error))
                return false;
        redactor_set_task(&redactor, call->db, &task);
        json_t *view = task_view(call, &task, &redactor), *object = json_object();
        static const char *const copied[] = {"taskId", "status", "followUpCount", "url"};
        for (size_t i = 0; i < COUNT_OF(copied); i++)
                json_object_set(object, copied[i], json_object_get(view, copied[i]));
        json_object_set_new(object, "turn", json_integer(turn.ordinal));
        json_object_set_new(object, "task", view);
        if (!add_warnings(call, &task, object, error)) {
                json_decref(object);
                return false;
        }
        *result = object;
        return true;
}

static bool check(struct call *call, const struct store_task *task, const struct task_follow_up_input *input,
                  struct error *error)
{
        bool is_said = input->instructions && input->instructions[strspn(input->instructions, " \t\r\n")];

        if (!is_said && (input->instructions || strcmp(task->status, "staged")))
                return error_set(error, ERROR_INVALID_INPUT, "instructions is required: what the agent is to do next");
        if (!strcmp(task->status, "running") || !strcmp(task->status, "queued"))
                return error_set(error, ERROR_TASK_BUSY, "The task is %s; wait until its turn has ended.",
                                 task->status);
        if (store_is_low(call->services->store))
                return error_set(error, ERROR_STORE_FULL, "The disk is nearly full; nothing new is started.");
        auto_environment *environment = environment_find_rid(call->services->environments, task->environment);
        return environment ? environment_check_active(environment, error)
                           : error_set(error, ERROR_ENVIRONMENT_DISABLED, "The task's environment is gone.");
}

static bool add_to_staged(struct call *call, const struct store_task *task, const char *instructions,
                          struct error *error)
{
        return store_turn_append(call->db, task->turn, instructions, error) &&
               store_prompt_part_add(call->db, task->turn, 1, "instructions", instructions, error);
}

/* A staged task starts with what it was staged with and the new text, if there is any, as one turn. */
static bool start_staged(struct call *call, const struct store_task *task, const char *instructions,
                         struct error *error)
{
        const char *status;

        return (!instructions || add_to_staged(call, task, instructions, error)) &&
               slot_start(call->db, task->rid, task->turn, 0, call->now, &status, error);
}

static bool start_next(struct call *call, const struct store_task *task, const char *instructions, struct error *error)
{
        struct store_turn_new turn = {.task = task->rid,
                                      .sender = call->actor->user,
                                      .kind = "follow_up",
                                      .origin = call->source,
                                      .state = "waiting",
                                      .agent = task->agent,
                                      .shown = instructions,
                                      .submitted_at = call->now};
        int64_t rid, ordinal;
        const char *status;

        return store_turn_add(call->db, &turn, &rid, &ordinal, error) &&
               store_prompt_part_add(call->db, rid, 0, "instructions", instructions, error) &&
               slot_start(call->db, task->rid, rid, 1, call->now, &status, error);
}

bool task_follow_up(struct call *call, const struct task_follow_up_input *input, json_t **result, struct error *error)
{
        auto_free char *earlier = NULL;
        auto_store_task task = {0};

        if (!receipt_find(call, TOOL, input->idempotencyKey, &earlier, error))
                return false;
        if (earlier)
                return render(call, earlier, result, error);
        if (!access_task_require(call->db, call->actor, input->taskId, PERMISSION_TASKS_CHANGE,
                                 PERMISSION_TASKS_CHANGE_ANY, &task, error) ||
            !check(call, &task, input, error))
                return false;
        bool is_started = !strcmp(task.status, "staged") ? start_staged(call, &task, input->instructions, error)
                                                         : start_next(call, &task, input->instructions, error);
        return is_started && receipt_keep(call, TOOL, input->idempotencyKey, task.id, error) &&
               audit_write(call->db, call->actor, "task.follow_up", task.id, NULL, error) &&
               render(call, task.id, result, error);
}
