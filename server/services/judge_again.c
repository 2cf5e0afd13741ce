/* What a person does with a judge: has it run again, or takes its advice. */
#include <string.h>

#include "server/services/group.h"
#include "server/services/judge.h"
#include "server/services/judge_request.h"
#include "server/services/verdict.h"
#include "server/services/write.h"
#include "server/store/judge.h"

#define TOOL "resubmit_judge"

static bool open(struct call *call, const char *task_id, struct store_task *task, struct error *error)
{
        if (!access_task_view(call->db, call->actor, task_id, task, error) || !access_require_content(task, error))
                return false;
        return task->is_judge || error_set(error, ERROR_TASK_INVALID, "The task is no review.");
}

/* The order that the judge was launched for, with it as the only reviewer. `ids` are what it points to. */
static bool order_of(struct call *call, const struct store_task *task, const struct store_judge *judge,
                     const struct store_judge_variants *variants, const char **ids, struct judge_order *order,
                     struct error *error)
{
        for (size_t i = 0; i < variants->count; i++) {
                auto_store_task variant = {0};
                ids[variants->items[i].position] = variants->items[i].id;
                if (!access_task_view(call->db, call->actor, variants->items[i].id, &variant, error))
                        return error_prefix(error, "variant %c", variants->items[i].label);
        }
        *order =
                (struct judge_order){.group_id = task->original_group_id,
                                     .task_ids = {.items = ids, .count = variants->count},
                                     .reviewers = {{judge->agent, judge->model, judge->reasoning_effort, judge->speed}},
                                     .reviewer_count = 1,
                                     .instructions = judge->instructions};
        return true;
}

static bool again(struct call *call, const struct judge_request *request, const char *task_id, json_t **result,
                  struct error *error)
{
        auto_store_task task = {0};
        auto_store_judge judge = {0};
        auto_store_judge_variants variants = {0};
        const char *ids[JUDGE_VARIANTS_MAXIMUM];
        struct judge_order order;
        bool is_found;

        if (!open(call, task_id, &task, error) || !store_judge_find(call->db, task.rid, &judge, &is_found, error) ||
            !store_judge_variant_list(call->db, task.rid, &variants, error))
                return false;
        if (!is_found)
                return error_set(error, ERROR_TASK_INVALID, "It is not known any more what was reviewed.");
        return order_of(call, &task, &judge, &variants, ids, &order, error) &&
               judge_request_launch(call, request, &order, result, error);
}

bool judge_resubmit(struct call *call, const struct judge_task_input *input, json_t **result, struct error *error)
{
        struct judge_request request = {.tool = TOOL, .id = input->requestId};
        bool is_answered = false;

        bool is_done = judge_request_begin(call, &request, result, &is_answered, error) &&
                       (is_answered || again(call, &request, input->taskId, result, error));
        judge_request_end(call, &request);
        return is_done;
}

static bool mark_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return task_set_winner(call, input, result, error);
}

bool judge_apply_winner(struct call *call, const struct judge_task_input *input, json_t **result, struct error *error)
{
        struct task_mark_input mark = {.winner = true};
        auto_store_task task = {0};
        auto_store_judge_variants variants = {0};
        auto_verdict verdict = {0};

        if (!open(call, input->taskId, &task, error) ||
            !verdict_read(call->services, call->db, &task, &verdict, error) ||
            !store_judge_variant_list(call->db, task.rid, &variants, error))
                return false;
        if (strcmp(task.status, "completed"))
                return error_set(error, ERROR_VERDICT_UNUSABLE, "The review is %s.", task.status);
        for (size_t i = 0; verdict_is_usable(&verdict) && i < variants.count; i++)
                if (variants.items[i].label == verdict.winner)
                        mark.taskId = variants.items[i].id;
        if (!mark.taskId)
                return error_set(error, ERROR_VERDICT_UNUSABLE,
                                 strcmp(verdict.mode, JUDGE_REVIEW) ? "The comparison recommends no winner."
                                                                    : "A review of one variant names no winner.");
        return call_write(call, mark_work, &mark, result, error);
}
