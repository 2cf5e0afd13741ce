#include "server/services/judge_pending.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/group.h"
#include "server/services/review_rules.h"
#include "server/services/review_watch.h"

/* As the store takes it; borrows from the order and the plan. */
struct draft {
        struct store_judge_request row;
        struct store_request_task tasks[JUDGE_VARIANTS_MAXIMUM];
        struct store_reviewer reviewers[JUDGE_REVIEWERS_MAXIMUM];
        char group_id[ID_SIZE];
};

static void fill(const struct call *call, const struct judge_pending_new *new, struct draft *draft, char *id)
{
        const struct judge_order *order = new->order;

        id_new("jr", id);
        draft->row =
                (struct store_judge_request){.id = id,
                                             .origin = (char *)new->origin,
                                             .requester = call->actor->user,
                                             .by_task = *call->actor->task_id ? (char *)call->actor->task_id : NULL,
                                             .source = (char *)call->source,
                                             .group_id = draft->group_id,
                                             .instructions = (char *)order->instructions,
                                             .max_rounds = new->loop ? new->loop->maxRounds : 0,
                                             .min_priority = new->loop ? (char *)new->loop->minFeedbackPriority : NULL,
                                             .pulls_latest = new->loop &&new->loop->pullLatest,
                                             .state = (char *)"pending",
                                             .created_at = call->now,
                                             .tasks = draft->tasks,
                                             .reviewers = {draft->reviewers, order->reviewer_count}};
        for (size_t i = 0; i < order->reviewer_count; i++) {
                const struct judge_reviewer *reviewer = &order->reviewers[i];
                draft->reviewers[i] = (struct store_reviewer){.agent = (char *)reviewer->agent,
                                                              .model = (char *)reviewer->model,
                                                              .reasoning_effort = (char *)reviewer->effort,
                                                              .speed = (char *)reviewer->speed};
        }
}

static void fill_task(struct draft *draft, const struct store_task *task)
{
        draft->tasks[draft->row.task_count++] = (struct store_request_task){task->rid, task->id};
        draft->row.environment = task->environment;
        if (!task->group_id)
                draft->row.task_id = task->id;
}

static bool add(struct call *call, const struct draft *draft, struct error *error)
{
        bool is_done;

        if (!call->actor->user)
                return error_set(error, ERROR_PERMISSION_DENIED,
                                 "Only a person can ask for a review that comes later.");
        return store_judge_request_add(call->db, &draft->row, &is_done, error) &&
               (is_done || error_set(error, ERROR_CONFLICT, "The settings have asked for this review before."));
}

/* A task that stands alone gets a group without tasks, which it joins at the launch. */
static bool name_group(struct call *call, const struct judge_plan *plan, struct draft *draft, struct error *error)
{
        const struct store_task *first = &plan->variants.items[0];

        if (*plan->group_id) {
                strcpy(draft->group_id, plan->group_id);
                return true;
        }
        group_new_id(call->now, draft->group_id);
        return group_make(call, draft->group_id, first->environment, first->name, true, error);
}

bool judge_pending_add(struct call *call, const struct judge_pending_new *new, char id[ID_SIZE], struct error *error)
{
        auto_judge_plan plan = {0};
        struct draft draft = {0};

        if (!judge_plan_make(call, new->order, &plan, error) || (new->loop && !review_loop_check(call, &plan, error)))
                return false;
        fill(call, new, &draft, id);
        for (size_t i = 0; i < plan.variants.count; i++)
                fill_task(&draft, &plan.variants.items[i]);
        for (size_t i = 0; i < plan.reviewer_count; i++)
                draft.reviewers[i].agent = (char *)plan.reviewers[i].agent;
        const struct store_request_task *first = &draft.tasks[0];
        return name_group(call, &plan, &draft, error) && add(call, &draft, error) &&
               review_look(call->db, first->rid, first->id, error) &&
               audit_write(call->db, call->actor, "judge_pending.add", draft.group_id,
                           json_pack("{s:s, s:s}", "request", id, "origin", new->origin), error);
}

bool judge_pending_add_refused(struct call *call, const struct judge_pending_new *new, const struct store_task *task,
                               const struct error *refusal, struct error *error)
{
        struct draft draft = {0};
        char id[ID_SIZE];

        fill(call, new, &draft, id);
        fill_task(&draft, task);
        strcpy(draft.group_id, task->group_id ? task->group_id : task->id);
        for (size_t i = 0; i < draft.row.reviewers.count; i++)
                if (!draft.reviewers[i].agent)
                        draft.reviewers[i].agent = (char *)"";
        draft.row.state = (char *)"cancelled";
        draft.row.reason = (char *)error_kind(refusal->code)->code;
        draft.row.message = (char *)refusal->message;
        draft.row.ended_at = call->now;
        return add(call, &draft, error);
}

static bool cancel(struct call *call, struct store_judge_request *request, struct error *error)
{
        struct store_judge_request cancelled = *request;
        bool is_done;

        cancelled.reason = (char *)"cancelled_by_requester";
        cancelled.message = NULL;
        return store_judge_request_end(call->db, &cancelled, "pending", "cancelled", call->now, &is_done, error) &&
               (is_done || error_set(error, ERROR_REQUEST_LAUNCHED, NULL)) &&
               audit_write(call->db, call->actor, "judge_pending.cancel", request->group_id,
                           json_pack("{s:s}", "request", request->id), error);
}

bool judge_pending_cancel(struct call *call, const struct judge_pending_cancel_input *input, json_t **result,
                          struct error *error)
{
        auto_store_judge_request request = {0};
        bool is_found;

        if (!store_judge_request_find(call->db, input->pendingRequestId, &request, &is_found, error))
                return false;
        bool is_own = is_found && request.requester == call->actor->user && !strcmp(request.origin, REQUEST_BY_PERSON);
        if (!is_own)
                return error_set(error, ERROR_REQUEST_NOT_FOUND, NULL);
        if (strcmp(request.state, "cancelled") != 0 && !cancel(call, &request, error))
                return false;
        return judge_pending_show(call, request.id, result, error);
}
