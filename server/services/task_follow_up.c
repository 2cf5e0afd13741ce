#include "server/services/task.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/environment.h"
#include "server/services/model.h"
#include "server/services/prompt.h"
#include "server/services/receipt.h"
#include "server/services/slot.h"
#include "server/services/spend.h"
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

        if (!task_open(call, id, &task, &redactor, error) ||
            !store_turn_find(call->db, task.turn, &turn, &is_found, error))
                return false;
        json_t *view = task_view(call, &task, &redactor), *object = json_object();
        static const char *const copied[] = {"taskId", "status", "followUpCount", "url"};
        for (size_t i = 0; i < COUNT_OF(copied); i++)
                json_object_set(object, copied[i], json_object_get(view, copied[i]));
        json_object_set_new(object, "turnIndex",
                            turn.has_conversation_index ? json_integer(turn.conversation_index) : json_null());
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
        if (!environment)
                return error_set(error, ERROR_ENVIRONMENT_DISABLED, "The task's environment is gone.");
        struct model_choice choice = {input->model ? input->model : task->model, input->reasoningEffort, input->speed};
        return environment_check_active(environment, error) &&
               spend_check(call, environment, task->cost_micros, error) &&
               ((!input->model && !input->reasoningEffort && !input->speed) ||
                model_check(call->services, environment, task->agent, &choice, error));
}

/* What the follow-up adds to the conversation. */
struct addition {
        const struct upload *upload;
        struct prompt prompt;
        char *shown, *given;
};

static struct addition addition_of(const struct store_task *task, const struct task_follow_up_input *input)
{
        struct addition addition = {.upload = input->prepared ? input->prepared->upload : NULL,
                                    .prompt = {.parts = {[PROMPT_INSTRUCTIONS] = input->instructions}}};

        prompt_generate(&addition.prompt, NULL, addition.upload);
        addition.shown = prompt_shown(&addition.prompt);
        addition.given = prompt_given(&addition.prompt, agent_find_known(task->agent));
        return addition;
}

static void addition_clear(struct addition *addition)
{
        prompt_clear(&addition->prompt);
        free(addition->shown);
        free(addition->given);
}

/* A staged task starts with what it was staged with and the new text, if there is any, as one turn. */
static bool start_staged(struct call *call, const struct store_task *task, const struct addition *addition,
                         struct error *error)
{
        const char *status;

        return (!*addition->shown ||
                (store_turn_append(call->db, task->turn, addition->shown, addition->given, error) &&
                 prompt_keep(call->db, &addition->prompt, task->turn, error) &&
                 upload_attach(call->db, addition->upload, task->turn, error))) &&
               slot_start(call->services, call->db, task->rid, task->turn, 0, call->now, &status, error);
}

static bool start_next(struct call *call, const struct store_task *task, const struct addition *addition,
                       struct error *error)
{
        struct store_turn_new turn = {.task = task->rid,
                                      .sender = call->actor->user,
                                      .kind = "follow_up",
                                      .origin = call->source,
                                      .state = "waiting",
                                      .agent = task->agent,
                                      .shown = addition->shown,
                                      .given = addition->given,
                                      .submitted_at = call->now};
        int64_t rid, ordinal;
        const char *status;

        return store_turn_add(call->db, &turn, &rid, &ordinal, error) &&
               prompt_keep(call->db, &addition->prompt, rid, error) &&
               upload_attach(call->db, addition->upload, rid, error) &&
               slot_start(call->services, call->db, task->rid, rid, 1, call->now, &status, error);
}

static bool start(struct call *call, const struct store_task *task, const struct task_follow_up_input *input,
                  struct error *error)
{
        struct addition addition = addition_of(task, input);
        bool is_started =
                store_task_choose(call->db, task->rid, input->model, input->reasoningEffort, input->speed, error) &&
                (!strcmp(task->status, "staged") ? start_staged(call, task, &addition, error)
                                                 : start_next(call, task, &addition, error));

        addition_clear(&addition);
        if (input->prepared)
                input->prepared->is_attached = true;
        return is_started;
}

bool task_follow_up_is_prepared_first(const struct task_follow_up_input *input)
{
        return input->attachments.count > 0;
}

bool task_follow_up_prepare(struct call *call, struct task_follow_up_input *input, struct error *error)
{
        auto_free char *earlier = NULL;
        auto_store_task task = {0};

        if (!receipt_find(call, TOOL, input->idempotencyKey, &earlier, error))
                return false;
        if (earlier)
                return true;
        if (!access_task_require(call->db, call->actor, input->taskId, PERMISSION_TASKS_CHANGE,
                                 PERMISSION_TASKS_CHANGE_ANY, &task, error) ||
            !check(call, &task, input, error))
                return false;
        input->prepared = memory_new(sizeof *input->prepared);
        receipt_fingerprint(call, input->prepared->fingerprint);
        input->prepared->upload = upload_write(call, &input->attachments, NULL, error);
        return input->prepared->upload != NULL;
}

bool task_follow_up(struct call *call, const struct task_follow_up_input *input, json_t **result, struct error *error)
{
        auto_free char *earlier = NULL;
        auto_store_task task = {0};

        call->fingerprint = input->prepared ? input->prepared->fingerprint : NULL;
        if (!receipt_find(call, TOOL, input->idempotencyKey, &earlier, error))
                return false;
        if (earlier)
                return render(call, earlier, result, error);
        if (!access_task_require(call->db, call->actor, input->taskId, PERMISSION_TASKS_CHANGE,
                                 PERMISSION_TASKS_CHANGE_ANY, &task, error) ||
            !check(call, &task, input, error))
                return false;
        return upload_take(call, input->prepared ? input->prepared->upload : NULL, error) &&
               start(call, &task, input, error) && receipt_keep(call, TOOL, input->idempotencyKey, task.id, error) &&
               audit_write(call->db, call->actor, "task.follow_up", task.id, NULL, error) &&
               render(call, task.id, result, error);
}
