#include <string.h>

#include "server/base/document.h"
#include "server/base/secret.h"
#include "server/services/agent.h"
#include "server/services/build.h"
#include "server/services/judge.h"
#include "server/services/model.h"
#include "server/services/spend.h"
#include "server/services/vault.h"

#define NAME_MAXIMUM 120

void judge_plan_clear(struct judge_plan *plan)
{
        environment_release(plan->environment);
        store_tasks_clear(&plan->variants);
        free(plan->name);
        *plan = (struct judge_plan){0};
}

bool judge_qualifies(const struct store_task *task, bool is_waiting)
{
        bool is_under_way = !strcmp(task->status, "running") || !strcmp(task->status, "queued");

        return group_is_evaluable(task) ||
               (is_waiting && is_under_way && !task->is_judge && !task->is_loser && !task->is_withheld);
}

/* Takes the task over. */
static void add(struct judge_plan *plan, struct store_task *task)
{
        plan->variants.items =
                memory_resize(plan->variants.items, (plan->variants.count + 1) * sizeof *plan->variants.items);
        plan->variants.items[plan->variants.count++] = *task;
        *task = (struct store_task){0};
}

/* Which of the variants is in which state. */
static bool refuse_nothing(const struct store_tasks *tasks, struct error *error)
{
        json_t *variants = json_array();
        auto_text states = TEXT_WITH_MAXIMUM(400);

        for (size_t i = 0; i < tasks->count; i++) {
                const struct store_task *task = &tasks->items[i];
                if (task->is_judge)
                        continue;
                json_array_append_new(variants,
                                      json_pack("{s:s, s:s, s:s, s:b}", "taskId", task->id, "agent", task->agent,
                                                "status", task->status, "isLoser", task->is_loser));
                text_printf(&states, "%s%s is %s%s", states.length ? ", " : "", task->id, task->status,
                            task->is_loser ? " and ruled out" : "");
        }
        if (!json_array_size(variants)) {
                json_decref(variants);
                return error_set(error, ERROR_NOTHING_TO_EVALUATE, "There are only reviews, which are not evaluated.");
        }
        return error_set_details(error, ERROR_NOTHING_TO_EVALUATE, json_pack("{s:o}", "variants", variants),
                                 "What is evaluated is finished work that is not ruled out: %s.", text_string(&states));
}

static bool check_creator(struct call *call, int64_t environment, const char *name, struct error *error)
{
        return access_allows(call->actor, PERMISSION_TASKS_CREATE, environment) ||
               error_set(error, ERROR_PERMISSION_DENIED, "You may not create tasks in %s.", name);
}

static bool plan_single(struct call *call, const struct judge_order *order, struct judge_plan *plan,
                        struct error *error)
{
        auto_store_task task = {0};

        if (!access_task_view(call->db, call->actor, order->task_id, &task, error) ||
            !access_require_content(&task, error) ||
            !check_creator(call, task.environment, task.environment_name, error))
                return false;
        if (task.is_judge)
                return error_set(error, ERROR_TASK_INVALID,
                                 "A review is not evaluated; name one of the variants that it evaluated.");
        if (!judge_qualifies(&task, order->is_waiting)) {
                const struct store_tasks alone = {&task, 1};
                return refuse_nothing(&alone, error);
        }
        if (task.group_id)
                strcpy(plan->group_id, task.group_id);
        add(plan, &task);
        return true;
}

static struct store_task *find(struct store_tasks *tasks, const char *id)
{
        for (size_t i = 0; i < tasks->count; i++)
                if (tasks->items[i].id && !strcmp(tasks->items[i].id, id))
                        return &tasks->items[i];
        return NULL;
}

static bool is_named(const struct field_strings *ids, const char *id)
{
        for (size_t i = 0; i < ids->count; i++)
                if (!strcmp(ids->items[i], id))
                        return true;
        return false;
}

static json_t *evaluable_ids(const struct store_tasks *tasks, bool is_waiting)
{
        json_t *ids = json_array();

        for (size_t i = 0; i < tasks->count; i++)
                if (judge_qualifies(&tasks->items[i], is_waiting))
                        json_array_append_new(ids, json_string(tasks->items[i].id));
        return ids;
}

/* Every task that is named must be one that can be evaluated. */
static bool check_named(const struct judge_order *order, struct store_tasks *tasks, struct error *error)
{
        for (size_t i = 0; i < order->task_ids.count; i++) {
                const char *id = order->task_ids.items[i];
                const struct store_task *task = find(tasks, id);
                if (task && task->is_withheld)
                        return error_set(error, ERROR_CONTENT_WITHHELD, NULL);
                for (size_t j = 0; j < i; j++)
                        if (!strcmp(order->task_ids.items[j], id))
                                return error_set(error, ERROR_TASK_IDS_INVALID, "taskIds: %.60s is named twice", id);
                if (!task || !judge_qualifies(task, order->is_waiting))
                        return error_set_details(error, ERROR_TASK_IDS_INVALID,
                                                 json_pack("{s:[o], s:o}", "invalidTaskIds", document_string(id),
                                                           "evaluableTaskIds", evaluable_ids(tasks, order->is_waiting)),
                                                 "taskIds: %.60s %s", id,
                                                 task ? "cannot be evaluated as it is"
                                                      : "is no task of the group that you can see");
        }
        return true;
}

/* Whether the order means the task; what it means and does not qualify is left out when it need not wait. */
static bool is_meant(const struct judge_order *order, const struct store_task *task)
{
        if (order->task_ids.count)
                return is_named(&order->task_ids, task->id);
        return order->is_waiting ? !task->is_judge && !task->is_loser && !task->is_withheld
                                 : judge_qualifies(task, false);
}

static bool take_variants(const struct judge_order *order, struct store_tasks *tasks, struct judge_plan *plan,
                          struct error *error)
{
        bool has_withheld = false;

        for (size_t i = 0; i < tasks->count; i++) {
                struct store_task *task = &tasks->items[i];
                has_withheld = has_withheld || (task->is_withheld && !task->is_judge && !task->is_loser);
                if (is_meant(order, task) && !judge_qualifies(task, order->is_waiting))
                        return refuse_nothing(tasks, error);
        }
        for (size_t i = 0; i < tasks->count; i++)
                if (is_meant(order, &tasks->items[i]))
                        add(plan, &tasks->items[i]);
        if (plan->variants.count)
                return true;
        return has_withheld ? error_set(error, ERROR_CONTENT_WITHHELD, NULL) : refuse_nothing(tasks, error);
}

static bool plan_group(struct call *call, const struct judge_order *order, struct judge_plan *plan, struct error *error)
{
        auto_group_scope scope = {0};

        if (!group_open(call, order->group_id, &scope, error) ||
            !check_creator(call, scope.group.environment, scope.group.environment_name, error) ||
            !check_named(order, &scope.seen, error) || !take_variants(order, &scope.seen, plan, error))
                return false;
        strcpy(plan->group_id, scope.group.id);
        return plan->variants.count <= JUDGE_VARIANTS_MAXIMUM ||
               error_set(error, ERROR_TASK_IDS_INVALID, "taskIds: at most %d variants are evaluated at once; name them",
                         JUDGE_VARIANTS_MAXIMUM);
}

static bool plan_target(struct call *call, const struct judge_order *order, struct judge_plan *plan,
                        struct error *error)
{
        if (!order->task_id == !order->group_id)
                return error_set(error, ERROR_TARGET_INVALID, "Name either a task (taskId) or a group (groupId).");
        if (order->task_id && order->task_ids.count)
                return error_set(error, ERROR_TARGET_INVALID, "taskIds narrows a group; leave it out beside taskId.");
        if (!(order->task_id ? plan_single(call, order, plan, error) : plan_group(call, order, plan, error)))
                return false;
        const struct store_task *first = &plan->variants.items[0];
        plan->mode = plan->variants.count > 1 ? JUDGE_COMPARISON : JUDGE_REVIEW;
        plan->environment = environment_find_rid(call->services->environments, first->environment);
        return (plan->environment && access_sees_environment(call->actor, first->environment)) ||
               error_set(error, ERROR_ENVIRONMENT_NOT_FOUND, NULL);
}

static bool check_reviewer(struct call *call, const struct environment *environment,
                           const struct judge_reviewer *reviewer, struct error *error)
{
        struct model_choice choice = {reviewer->model, reviewer->effort, reviewer->speed};

        return agent_check(call->services, environment, reviewer->agent, error) &&
               model_check(call->services, call->db, environment, call->actor->user, reviewer->agent, &choice, error) &&
               vault_check_agent(call, environment, reviewer->agent, error);
}

static bool plan_reviewers(struct call *call, const struct judge_order *order, struct judge_plan *plan,
                           struct error *error)
{
        plan->reviewer_count = order->reviewer_count;
        for (size_t i = 0; i < order->reviewer_count; i++) {
                struct judge_reviewer *reviewer = &plan->reviewers[i];
                *reviewer = order->reviewers[i];
                if (!reviewer->agent)
                        reviewer->agent = plan->environment->file.defaultAgent;
                for (size_t j = 0; j < i; j++)
                        if (!strcmp(plan->reviewers[j].agent, reviewer->agent))
                                return error_set(error, ERROR_AGENTS_INVALID, "agents: %.60s is named twice",
                                                 reviewer->agent);
                if (!check_reviewer(call, plan->environment, reviewer, error))
                        return false;
        }
        return true;
}

/* The judges begin where the first variant did. */
static bool check_branches(const struct judge_plan *plan, struct error *error)
{
        const char *chosen = plan->variants.items[0].branches;
        auto_json *branches = document_parse(chosen, strlen(chosen), error);

        return branches && task_plan_check_branches(plan->environment, branches, error);
}

static bool check_environment(struct call *call, const struct judge_plan *plan, struct error *error)
{
        const struct environment *environment = plan->environment;

        if (!environment_check_active(environment, error) || !spend_check(call, environment, 0, error))
                return false;
        auto_free char *image = build_image(call->db, environment, error);
        if (!image)
                return false;
        return !store_is_low(call->services->store) ||
               error_set(error, ERROR_STORE_FULL, "The disk is nearly full; nothing new is started.");
}

struct place {
        uint8_t hash[SECRET_HASH_SIZE];
        size_t variant;
};

static int by_hash(const void *a, const void *b)
{
        return memcmp(((const struct place *)a)->hash, ((const struct place *)b)->hash, SECRET_HASH_SIZE);
}

/* The order of the labels tells nothing of who made what, and is the same for every review of the same variants. */
static void give_labels(struct judge_plan *plan)
{
        struct place places[JUDGE_VARIANTS_MAXIMUM] = {0};
        size_t count = plan->variants.count;

        for (size_t i = 0; i < count; i++) {
                auto_free char *text = text_format("judge label %s", plan->variants.items[i].id);
                secret_hash(text, strlen(text), places[i].hash);
                places[i].variant = i;
        }
        qsort(places, count, sizeof *places, by_hash);
        for (size_t i = 0; i < count; i++)
                plan->by_label[i] = places[i].variant;
}

/* Work that nobody else may see is reviewed where nobody else sees it; what is copied of a private variant among shared
 * ones is withheld by itself. */
static void describe(struct judge_plan *plan)
{
        const char *prefix = strcmp(plan->mode, JUDGE_REVIEW) ? "judge" : "review",
                   *name = plan->variants.items[0].name;
        bool has_shared = false;

        for (size_t i = 0; i < plan->variants.count; i++)
                has_shared = has_shared || plan->variants.items[i].is_shared;
        plan->is_shared = has_shared && plan->environment->file.shareTasks;
        plan->name = text_format("%s: %s", prefix, name ? name : "a task without a name");
        plan->name[utf8_head_length(plan->name, strlen(plan->name), NAME_MAXIMUM)] = '\0';
}

bool judge_plan_make(struct call *call, const struct judge_order *order, struct judge_plan *plan, struct error *error)
{
        if (!plan_target(call, order, plan, error) || !check_environment(call, plan, error) ||
            !plan_reviewers(call, order, plan, error) || !check_branches(plan, error))
                return false;
        give_labels(plan);
        describe(plan);
        return true;
}

bool judge_plan_check(struct call *call, const struct judge_order *order, struct error *error)
{
        auto_judge_plan plan = {0};

        return judge_plan_make(call, order, &plan, error);
}
