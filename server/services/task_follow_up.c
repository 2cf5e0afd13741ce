#include "server/services/task.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/environment.h"
#include "server/services/follow_up.h"
#include "server/services/model.h"
#include "server/services/pull.h"
#include "server/services/receipt.h"
#include "server/services/runtime.h"
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
        if ((is_found && workspace.stopped_at) || workspace_is_renewed(call->services, task->id))
                json_object_set_new(object, "warnings",
                                    json_pack("[s]", "The task's workspace was removed because it was not used for "
                                                     "long. It is made again from the repositories: what had not been "
                                                     "pushed is gone."));
        return true;
}

/* Where one that waits stands in the queue, from 1; 0 when it does not. */
static bool position_of(struct call *call, const struct store_follow_up *follow_up, int64_t *position,
                        struct error *error)
{
        auto_store_follow_ups waiting = {0};

        *position = 0;
        if (!store_follow_up_list(call->db, follow_up->task, QUEUE_MAXIMUM * 2, 0, &waiting, error))
                return false;
        for (size_t i = 0; i < waiting.count; i++)
                if (waiting.items[i].rid == follow_up->rid)
                        *position = (int64_t)i + 1;
        return true;
}

/* What became of the follow-up itself: it waits in the queue or for its time, or did when it was sent. */
static bool describe(struct call *call, const struct store_follow_up *follow_up, json_t *object, struct error *error)
{
        int64_t position;

        if (follow_up->deliver_at) {
                json_object_set_new(object, "scheduled", json_true());
                json_object_set_new(object, "scheduledFollowUpId", json_string(follow_up->id));
                json_object_set_new(object, "deliverAt", document_time(follow_up->deliver_at));
                json_object_set_new(object, "followUpState", json_string(follow_up->state));
                return true;
        }
        if (!strcmp(follow_up->state, "removed"))
                json_object_set_new(object, "followUpState", json_string(follow_up->state));
        if (strcmp(follow_up->state, "queued"))
                return true;
        if (!position_of(call, follow_up, &position, error))
                return false;
        json_object_set_new(object, "queued", json_true());
        json_object_set_new(object, "queuedFollowUpId", json_string(follow_up->id));
        json_object_set_new(object, "position", json_integer(position));
        return true;
}

/* The turn that the follow-up became, or the task's latest one. A waiting one has none. */
static bool set_turn(struct call *call, const struct store_task *task, const struct store_follow_up *follow_up,
                     json_t *object, struct error *error)
{
        auto_store_turn turn = {0};
        bool is_waiting = follow_up->rid && !follow_up->turn, is_found = false;

        if (!is_waiting &&
            !store_turn_find(call->db, follow_up->turn ? follow_up->turn : task->turn, &turn, &is_found, error))
                return false;
        json_object_set_new(object, "turnIndex",
                            turn.has_conversation_index ? json_integer(turn.conversation_index) : json_null());
        return true;
}

static bool render(struct call *call, const char *id, const struct store_follow_up *follow_up, json_t **result,
                   struct error *error)
{
        auto_store_task task = {0};
        auto_redactor redactor = {0};
        auto_json *object = json_object();

        if (!task_open(call, id, &task, &redactor, error))
                return false;
        json_t *view = task_view(call, &task, &redactor);
        static const char *const copied[] = {"taskId", "status", "followUpCount", "url"};
        for (size_t i = 0; i < COUNT_OF(copied); i++)
                json_object_set(object, copied[i], json_object_get(view, copied[i]));
        json_object_set_new(object, "task", view);
        if (!set_turn(call, &task, follow_up, object, error) || !describe(call, follow_up, object, error) ||
            !add_warnings(call, &task, object, error))
                return false;
        *result = take(object);
        return true;
}

/* What a retry is told: the same follow-up as it is now. */
static bool render_earlier(struct call *call, const char *key, const char *task_id, json_t **result,
                           struct error *error)
{
        auto_store_follow_up follow_up = {0};
        bool is_found;

        return store_follow_up_find_request(call->db, call->actor->user, key, &follow_up, &is_found, error) &&
               render(call, task_id, &follow_up, result, error);
}

/* When and how the follow-up is to be delivered. */
struct plan {
        enum follow_up_way way;
        int64_t deliver_at;
};

/* A staged task begins with what is upstream then. */
static bool is_pull_due(const struct store_task *task, const struct task_follow_up_input *input)
{
        return input->pullLatest && strcmp(task->status, "staged");
}

static bool plan_of(const struct call *call, const struct store_task *task, const struct task_follow_up_input *input,
                    struct plan *plan, struct error *error)
{
        bool is_busy = !strcmp(task->status, "running") || !strcmp(task->status, "queued");

        if (!follow_up_time(input->deliverAt, input->deliverInMinutes, call->now, &plan->deliver_at, error))
                return false;
        plan->way = plan->deliver_at ? FOLLOW_UP_LATER : is_busy ? FOLLOW_UP_QUEUED : FOLLOW_UP_AT_ONCE;
        if (plan->way == FOLLOW_UP_QUEUED && !input->queueIfBusy)
                return error_set(error, ERROR_TASK_BUSY,
                                 "The task is %s; wait until its turn has ended, or pass queueIfBusy.", task->status);
        if (!strcmp(call->actor->task_id, task->id) && plan->way != FOLLOW_UP_LATER)
                return error_set(error, ERROR_INVALID_INPUT,
                                 "A task cannot follow up itself at once; set deliverAt or deliverInMinutes.");
        /* It was busy when the upstream changes would have been pulled, and is not any more. */
        if (plan->way == FOLLOW_UP_AT_ONCE && is_pull_due(task, input) && input->prepared &&
            !input->prepared->is_pulled)
                plan->way = FOLLOW_UP_QUEUED;
        return plan->way != FOLLOW_UP_LATER || !runtime_is_put_away(call->services->runtime, task->rid) ||
               error_set(error, ERROR_TASK_SOURCE_BUSY, NULL);
}

static bool check(struct call *call, const struct store_task *task, const struct task_follow_up_input *input,
                  struct plan *plan, struct error *error)
{
        bool is_said = input->instructions && input->instructions[strspn(input->instructions, " \t\r\n")];

        if (!is_said && (input->instructions || strcmp(task->status, "staged")))
                return error_set(error, ERROR_INVALID_INPUT, "instructions is required: what the agent is to do next");
        if (input->expectedStatus && strcmp(input->expectedStatus, task->status))
                return error_set(error, ERROR_CONFLICT, "The task is %s, not %s.", task->status, input->expectedStatus);
        if (!plan_of(call, task, input, plan, error))
                return false;
        if (store_is_low(call->services->store))
                return error_set(error, ERROR_STORE_FULL, "The disk is nearly full; nothing new is started.");
        auto_environment *environment = environment_find_rid(call->services->environments, task->environment);
        if (!environment)
                return error_set(error, ERROR_ENVIRONMENT_DISABLED, "The task's environment is gone.");
        struct model_choice choice = {input->model ? input->model : task->model, input->reasoningEffort, input->speed};
        return environment_check_active(environment, error) &&
               spend_check(call, environment, task->cost_micros, error) &&
               ((!input->model && !input->reasoningEffort && !input->speed) ||
                model_check(call->services, call->db, environment, task->creator, task->agent, &choice, error));
}

static bool send(struct call *call, const struct store_task *task, const struct task_follow_up_input *input,
                 const struct plan *plan, struct store_follow_up *follow_up, struct error *error)
{
        struct follow_up_new new = {.task = task->rid,
                                    .kind = plan->way == FOLLOW_UP_LATER ? "scheduled" : "follow_up",
                                    .sender = call->actor->user,
                                    .origin = call->source,
                                    .by_task = *call->actor->task_id ? call->actor->task_id : NULL,
                                    .request_id = input->idempotencyKey,
                                    .instructions = input->instructions ? input->instructions : "",
                                    .model = input->model,
                                    .reasoning_effort = input->reasoningEffort,
                                    .speed = input->speed,
                                    .pulls_latest = input->pullLatest && plan->way != FOLLOW_UP_AT_ONCE,
                                    .upload = input->prepared ? input->prepared->uploads[0] : NULL,
                                    .now = call->now,
                                    .deliver_at = plan->deliver_at,
                                    .is_delay = input->deliverInMinutes > 0};
        char id[ID_SIZE];
        bool is_found;

        if (!follow_up_add(call->services, call->db, &new, plan->way, id, error))
                return false;
        if (input->prepared)
                input->prepared->is_attached = true;
        return store_follow_up_find(call->db, id, follow_up, &is_found, error);
}

bool task_follow_up_is_prepared_first(const struct task_follow_up_input *input)
{
        return input->attachments.count > 0 || input->pullLatest;
}

bool task_follow_up_prepare(struct call *call, struct task_follow_up_input *input, struct error *error)
{
        auto_free char *earlier = NULL;
        auto_store_task task = {0};
        struct plan plan;

        if (!receipt_find(call, TOOL, input->idempotencyKey, &earlier, error))
                return false;
        if (earlier)
                return true;
        if (!access_task_require(call->db, call->actor, input->taskId, PERMISSION_TASKS_CHANGE,
                                 PERMISSION_TASKS_CHANGE_ANY, &task, error) ||
            !access_require_content(&task, error) || !check(call, &task, input, &plan, error))
                return false;
        input->prepared = memory_new(sizeof *input->prepared);
        receipt_fingerprint(call, input->prepared->fingerprint);
        if (plan.way == FOLLOW_UP_AT_ONCE && is_pull_due(&task, input) &&
            !pull_before_turn(call->services, call->db, task.rid, &input->prepared->is_pulled, error))
                return false;
        if (!input->attachments.count)
                return true;
        input->prepared->uploads[0] = upload_write(call, &input->attachments, NULL, error);
        return input->prepared->uploads[0] != NULL;
}

bool task_follow_up(struct call *call, const struct task_follow_up_input *input, json_t **result, struct error *error)
{
        auto_store_follow_up follow_up = {0};
        auto_free char *earlier = NULL;
        auto_store_task task = {0};
        struct plan plan;

        call->fingerprint = input->prepared ? input->prepared->fingerprint : NULL;
        if (!receipt_find(call, TOOL, input->idempotencyKey, &earlier, error))
                return false;
        if (earlier)
                return render_earlier(call, input->idempotencyKey, earlier, result, error);
        if (!access_task_require(call->db, call->actor, input->taskId, PERMISSION_TASKS_CHANGE,
                                 PERMISSION_TASKS_CHANGE_ANY, &task, error) ||
            !access_require_content(&task, error) || !check(call, &task, input, &plan, error))
                return false;
        return upload_take(call, input->prepared ? input->prepared->uploads[0] : NULL, error) &&
               send(call, &task, input, &plan, &follow_up, error) &&
               receipt_keep(call, TOOL, input->idempotencyKey, task.id, error) &&
               audit_write(call->db, call->actor, "task.follow_up", task.id, NULL, error) &&
               render(call, task.id, &follow_up, result, error);
}
