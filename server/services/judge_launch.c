#include <stdio.h>
#include <string.h>

#include "server/services/audit.h"
#include "server/services/judge.h"
#include "server/services/judge_collect.h"
#include "server/services/judge_prompt.h"
#include "server/services/runtime.h"
#include "server/services/slot.h"
#include "server/services/task_draft.h"
#include "server/services/task_make.h"
#include "server/services/task_paths.h"
#include "server/services/tree_copy.h"
#include "server/services/write.h"
#include "server/store/judge.h"

/* One run in the making. */
struct launching {
        const struct judge_order *order;
        struct judge_plan plan;               /* what was collected */
        int64_t held[JUDGE_VARIANTS_MAXIMUM]; /* the variants */
        size_t held_count;
        char ids[JUDGE_REVIEWERS_MAXIMUM][ID_SIZE];
        size_t drafts;
        struct judge_launched *launched;
};

/* Takes the judges of an earlier launch with the same reserved ids, if there was one. */
static bool find_earlier(struct call *call, const struct judge_order *order, struct judge_launched *launched,
                         bool *is_found, struct error *error)
{
        *is_found = false;
        for (size_t i = 0; i < order->reviewer_count && order->reserved[i]; i++) {
                auto_store_task task = {0};
                auto_store_judge_variants variants = {0};
                if (!store_task_find(call->db, order->reserved[i], 0, &task, is_found, error) ||
                    (*is_found && !store_judge_variant_list(call->db, task.rid, &variants, error)))
                        return false;
                if (!*is_found)
                        return true;
                launched->mode = strcmp(task.judge_mode, JUDGE_REVIEW) ? JUDGE_COMPARISON : JUDGE_REVIEW;
                snprintf(launched->group_id, ID_SIZE, "%s", task.original_group_id);
                snprintf(launched->task_ids[launched->count++], ID_SIZE, "%s", task.id);
                launched->variant_count = variants.count;
                for (size_t j = 0; j < variants.count; j++)
                        snprintf(launched->variant_ids[variants.items[j].position], ID_SIZE, "%s",
                                 variants.items[j].id);
        }
        return true;
}

static void release_variants(struct call *call, struct launching *launching)
{
        while (launching->held_count)
                runtime_unlock_task(call->services->runtime, launching->held[--launching->held_count]);
}

static bool hold_variants(struct call *call, struct launching *launching, const struct judge_plan *plan,
                          struct error *error)
{
        for (size_t i = 0; i < plan->variants.count; i++) {
                int64_t rid = plan->variants.items[i].rid;
                if (!runtime_try_lock_task(call->services->runtime, rid))
                        return error_set(error, ERROR_TASK_SOURCE_BUSY,
                                         "Another operation holds the task %s; retry in a moment.",
                                         plan->variants.items[i].id);
                launching->held[launching->held_count++] = rid;
        }
        return true;
}

/* What is to be evaluated may have become something else meanwhile. */
static bool check_held(const struct launching *launching, const struct judge_plan *plan, struct error *error)
{
        bool is_same = plan->variants.count == launching->held_count;

        for (size_t i = 0; is_same && i < plan->variants.count; i++)
                is_same = plan->variants.items[i].rid == launching->held[i];
        return is_same || error_set(error, ERROR_TASK_SOURCE_BUSY, "The group has just changed; retry in a moment.");
}

/* Each judge gets files of its own. */
static bool collect(struct call *call, struct launching *launching, struct error *error)
{
        const char *data = call->services->data_folder;
        auto_free char *first = task_path_output(data, launching->ids[0]);

        for (size_t i = 0; i < launching->order->reviewer_count; i++) {
                auto_free char *output = task_path_output(data, launching->ids[i]);
                launching->drafts++;
                if (!task_draft_begin(data, launching->ids[i], error) ||
                    !(i ? tree_copy(first, output, error) : judge_collect(call, &launching->plan, output, error)))
                        return error_prefix(error, "the variants' work");
        }
        return true;
}

static bool record(struct call *call, const struct launching *launching, const struct judge_plan *plan, size_t which,
                   int64_t task, struct error *error)
{
        const struct judge_order *order = launching->order;
        const struct judge_reviewer *reviewer = &plan->reviewers[which];
        const struct store_judge_new judge = {.task = task,
                                              .run = launching->ids[0],
                                              .instructions = order->instructions,
                                              .agent = reviewer->agent,
                                              .model = reviewer->model,
                                              .reasoning_effort = reviewer->effort,
                                              .speed = reviewer->speed,
                                              .loop = order->loop,
                                              .round = order->round};

        if (!store_group_add_judge(call->db, plan->group_id, task, plan->mode, error) ||
            !store_judge_add(call->db, &judge, error))
                return false;
        for (size_t i = 0; i < plan->variants.count; i++) {
                const struct store_task *variant = &plan->variants.items[plan->by_label[i]];
                struct store_judge_variant labelled = {
                        .label = (char)('A' + i), .agent = variant->agent, .position = (int64_t)plan->by_label[i]};
                snprintf(labelled.id, sizeof labelled.id, "%s", variant->id);
                if (!store_task_add_source(call->db, task, variant->id, error) ||
                    !store_judge_add_variant(call->db, task, &labelled, error))
                        return false;
        }
        return true;
}

static bool add_judge(struct call *call, const struct launching *launching, const struct judge_plan *plan, size_t which,
                      struct error *error)
{
        bool is_placed;
        auto_free char *text = judge_prompt(call->services, plan, launching->order->instructions, &is_placed);
        auto_prompt prompt = {.parts = {[PROMPT_JUDGE] = text,
                                        [PROMPT_INSTRUCTIONS] = is_placed ? NULL : launching->order->instructions}};
        const struct judge_reviewer *reviewer = &plan->reviewers[which];
        struct task_making making = {.id = launching->ids[which],
                                     .type = "judge",
                                     .agent = reviewer->agent,
                                     .name = plan->name,
                                     .model = reviewer->model,
                                     .reasoning_effort = reviewer->effort,
                                     .speed = reviewer->speed,
                                     .branches = plan->variants.items[0].branches,
                                     .is_name_generated = true,
                                     .is_shared = plan->is_shared,
                                     .environment = plan->environment->rid,
                                     .prompt = &prompt};
        const char *status;
        int64_t rid, turn;

        return task_make(call, &making, &rid, &turn, error) && record(call, launching, plan, which, rid, error) &&
               slot_start(call->services, call->db, rid, turn, 0, call->now, &status, error) &&
               audit_write(call->db, call->actor, "task.judge", making.id,
                           json_pack("{s:s, s:s}", "group", plan->group_id, "status", status), error);
}

static void describe(const struct launching *launching, const struct judge_plan *plan)
{
        struct judge_launched *launched = launching->launched;

        snprintf(launched->group_id, ID_SIZE, "%s", plan->group_id);
        launched->mode = plan->mode;
        launched->count = launching->order->reviewer_count;
        launched->variant_count = plan->variants.count;
        for (size_t i = 0; i < launched->count; i++)
                snprintf(launched->task_ids[i], ID_SIZE, "%s", launching->ids[i]);
        for (size_t i = 0; i < launched->variant_count; i++)
                snprintf(launched->variant_ids[i], ID_SIZE, "%s", plan->variants.items[i].id);
}

/* What was checked may not be so any more: it is checked again where nothing else is written. */
static bool launch_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct launching *launching = context;
        const struct judge_order *order = launching->order;
        auto_judge_plan plan = {0};

        *result = NULL;
        if (!judge_plan_make(call, order, &plan, error) || !check_held(launching, &plan, error))
                return false;
        bool is_alone = !*plan.group_id;
        if (is_alone && order->reserved_group)
                strcpy(plan.group_id, order->reserved_group);
        if (is_alone && !group_adopt(call, &plan.variants.items[0], plan.group_id, error))
                return false;
        for (size_t i = 0; i < order->reviewer_count; i++)
                if (!add_judge(call, launching, &plan, i, error))
                        return false;
        describe(launching, &plan);
        return !order->recorded || order->recorded(call, launching->launched, order->context, error);
}

/* With the variants held. */
static bool make(struct call *call, struct launching *launching, struct error *error)
{
        const struct judge_order *order = launching->order;
        json_t *nothing = NULL;
        bool is_done = false, is_made = false;

        if (!find_earlier(call, order, launching->launched, &is_done, error) || is_done)
                return is_done;
        if (!judge_plan_make(call, order, &launching->plan, error) || !check_held(launching, &launching->plan, error))
                return false;
        for (size_t i = 0; i < order->reviewer_count; i++)
                if (order->reserved[i])
                        snprintf(launching->ids[i], ID_SIZE, "%s", order->reserved[i]);
                else
                        id_new_task(call->now, launching->ids[i]);
        is_made = collect(call, launching, error) && call_write(call, launch_work, launching, &nothing, error);
        for (size_t i = 0; i < launching->drafts; i++)
                task_draft_end(call->services->data_folder, launching->ids[i], is_made);
        return is_made;
}

bool judge_launch(struct call *call, const struct judge_order *order, struct judge_launched *launched,
                  struct error *error)
{
        struct launching launching = {.order = order, .launched = launched};
        auto_judge_plan first = {0};
        bool is_found = false;

        *launched = (struct judge_launched){0};
        if (!find_earlier(call, order, launched, &is_found, error) || is_found)
                return is_found;
        bool is_done = judge_plan_make(call, order, &first, error) && hold_variants(call, &launching, &first, error) &&
                       make(call, &launching, error);
        release_variants(call, &launching);
        judge_plan_clear(&launching.plan);
        return is_done;
}
