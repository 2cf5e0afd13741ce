#include "server/services/review_loop.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/review_rules.h"
#include "server/services/review_watch.h"

void review_loop_new_id(char id[ID_SIZE])
{
        id_new("rl", id);
}

bool review_loop_check(struct call *call, const struct judge_plan *plan, struct error *error)
{
        const struct store_task *variant = &plan->variants.items[0];
        auto_store_review_loop loop = {0};
        bool is_found;

        if (plan->variants.count != 1)
                return error_set(error, ERROR_LOOP_NOT_APPLICABLE, NULL);
        if (variant->role && !strcmp(variant->role, "orchestrator"))
                return error_set(error, ERROR_LOOP_ORCHESTRATOR, NULL);
        if (!access_may(call->actor, PERMISSION_TASKS_CHANGE, PERMISSION_TASKS_CHANGE_ANY, variant))
                return error_set(error, ERROR_PERMISSION_DENIED,
                                 "A review loop sends follow-ups to the task %s: that needs tasks:change.",
                                 variant->id);
        if (!store_review_loop_of_task(call->db, variant->rid, &loop, &is_found, error))
                return false;
        return !is_found || !strcmp(loop.phase, LOOP_STOPPED) ||
               error_set(error, ERROR_CONFLICT, "The review loop %s of the task is not over.", loop.id);
}

static bool add_judges(struct call *call, int64_t loop, const struct judge_order *order,
                       const struct judge_launched *launched, struct error *error)
{
        for (size_t i = 0; i < launched->count; i++) {
                const struct judge_reviewer *reviewer = &order->reviewers[i];
                auto_store_task judge = {0};
                bool is_found;
                if (!store_task_find(call->db, launched->task_ids[i], 0, &judge, &is_found, error))
                        return false;
                if (!is_found)
                        return error_set(error, ERROR_TASK_NOT_FOUND, NULL);
                const struct store_reviewer row = {.agent = judge.agent,
                                                   .model = (char *)reviewer->model,
                                                   .reasoning_effort = (char *)reviewer->effort,
                                                   .speed = (char *)reviewer->speed,
                                                   .judge_id = judge.id,
                                                   .round = 1,
                                                   .attempt = 1};
                if (!store_review_loop_add_judge(call->db, loop, (int64_t)i, &row, error))
                        return false;
        }
        return true;
}

bool review_loop_recorded(struct call *call, const struct judge_launched *launched, const void *context,
                          struct error *error)
{
        const struct review_loop_start *start = context;
        auto_store_task variant = {0};
        bool is_found;
        int64_t rid;

        if (launched->variant_count != 1)
                return error_set(error, ERROR_LOOP_NOT_APPLICABLE, NULL);
        if (!store_task_find(call->db, launched->variant_ids[0], 0, &variant, &is_found, error))
                return false;
        if (!is_found)
                return error_set(error, ERROR_TASK_NOT_FOUND, NULL);
        const struct store_review_loop loop = {.id = (char *)start->id,
                                               .owner = call->actor->user,
                                               .source = (char *)call->source,
                                               .environment = variant.environment,
                                               .task = variant.rid,
                                               .task_id = variant.id,
                                               .group_id = (char *)launched->group_id,
                                               .instructions = (char *)start->order->instructions,
                                               .max_rounds = start->options.maxRounds,
                                               .min_priority = (char *)start->options.minFeedbackPriority,
                                               .pulls_latest = start->options.pullLatest,
                                               .phase = (char *)LOOP_REVIEWING,
                                               .round = 1,
                                               .attempt = 1,
                                               .created_at = call->now};
        return store_review_loop_add(call->db, &loop, &rid, error) &&
               add_judges(call, rid, start->order, launched, error) &&
               review_look(call->db, variant.rid, variant.id, error) &&
               audit_write(call->db, call->actor, "review_loop.start", variant.id,
                           json_pack("{s:s, s:I}", "loop", loop.id, "maxRounds", (json_int_t)loop.max_rounds), error);
}
