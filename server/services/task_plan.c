#include "server/services/task_plan.h"

#include <string.h>

#include "git/branch.h"
#include "server/base/document.h"
#include "server/services/agent.h"
#include "server/services/build.h"
#include "server/services/model.h"
#include "server/services/prompt.h"
#include "server/services/spend.h"
#include "server/services/task_name.h"
#include "server/services/vault.h"

void task_plan_clear(struct task_plan *plan)
{
        environment_release(plan->environment);
        store_task_clear(&plan->source);
        free(plan->inherited);
        free(plan->branches_text);
        free(plan->name);
        *plan = (struct task_plan){0};
}

static const struct environment_repository *repository_find(const struct environment *environment, const char *name)
{
        const struct environment_repository *repositories = environment->file.repositories.items;

        for (size_t i = 0; i < environment->file.repositories.count; i++)
                if (!strcmp(repositories[i].name, name))
                        return &repositories[i];
        return NULL;
}

bool task_plan_check_branches(const struct environment *environment, json_t *branches, struct error *error)
{
        const char *name;
        json_t *branch;

        json_object_foreach(branches, name, branch)
        {
                const struct environment_repository *repository = repository_find(environment, name);
                const char *wanted = json_string_value(branch);
                if (!repository)
                        return error_set(error, ERROR_REPOSITORY_UNKNOWN,
                                         "branches: the environment %s has no repository %.100s", environment->name,
                                         name);
                if (repository->locked && (!repository->branch || strcmp(repository->branch, wanted)))
                        return error_set(error, ERROR_BRANCH_LOCKED, "branches.%s: the repository is locked to %s",
                                         name, repository->branch ? repository->branch : "its default branch");
                if (!branch_name_check(wanted, error))
                        return error_prefix(error, "branches.%s", name);
        }
        return true;
}

/* The branches that were given, else those of the source, which must still be good. */
static bool plan_branches(const struct task_create_input *input, struct task_plan *plan, struct error *error)
{
        auto_json *inherited = NULL;
        json_t *branches = input->branches;

        if (!branches && plan->source.id)
                branches = inherited = document_parse(plan->source.branches, strlen(plan->source.branches), error);
        if (!branches && plan->source.id)
                return false;
        plan->branches_text = branches ? document_print(branches) : text_copy("{}");
        plan->branches = plan->branches_text;
        return task_plan_check_branches(plan->environment, branches, error);
}

static bool check_agents(const struct task_create_input *input, struct error *error)
{
        const struct field_strings *named = &input->agents;

        if (input->agent && named->count)
                return error_set(error, ERROR_AGENTS_INVALID, "give either agent or agents, not both");
        if (named->count > TASK_AGENTS_MAXIMUM)
                return error_set(error, ERROR_AGENTS_INVALID, "agents: at most %d at once", TASK_AGENTS_MAXIMUM);
        for (size_t i = 0; i < named->count; i++)
                for (size_t j = 0; j < i; j++)
                        if (!strcmp(named->items[i], named->items[j]))
                                return error_set(error, ERROR_AGENTS_INVALID, "agents: %.60s is named twice",
                                                 named->items[i]);
        bool is_chosen = input->model || input->reasoningEffort || input->speed;
        return !is_chosen || input->agent || named->count == 1 ||
               error_set(error, ERROR_INVALID_INPUT,
                         "agent: name the one agent that model, reasoningEffort and speed are for");
}

/* Who works on it, and whether each may and can. */
static bool plan_agents(struct call *call, const struct task_create_input *input, struct task_plan *plan,
                        struct error *error)
{
        const struct environment *environment = plan->environment;
        struct model_choice choice = {input->model, input->reasoningEffort, input->speed};

        plan->count = input->agents.count ? input->agents.count : 1;
        for (size_t i = 0; i < plan->count; i++) {
                plan->agents[i] = input->agents.count ? input->agents.items[i]
                                  : input->agent      ? input->agent
                                                      : environment->file.defaultAgent;
                if (!agent_check(call->services, environment, plan->agents[i], error) ||
                    !model_check(call->services, call->db, environment, call->actor->user, plan->agents[i], &choice,
                                 error) ||
                    !vault_check_agent(call, environment, plan->agents[i], error))
                        return false;
        }
        return true;
}

/* The source must be work that can be done again. */
static bool plan_source(struct call *call, const struct task_create_input *input, struct task_plan *plan,
                        struct error *error)
{
        if (!access_task_view(call->db, call->actor, input->sourceTaskId, &plan->source, error) ||
            !access_require_content(&plan->source, error))
                return false;
        const char *type = plan->source.type;
        if (plan->source.is_judge || (strcmp(type, "manual") && strcmp(type, "template")))
                return error_set(error, ERROR_TASK_INVALID,
                                 "sourceTaskId: only work can be done again; this is a %s task",
                                 plan->source.is_judge ? "review" : type);
        if (!plan->source.group_id &&
            !access_may(call->actor, PERMISSION_TASKS_CHANGE, PERMISSION_TASKS_CHANGE_ANY, &plan->source))
                return error_set(error, ERROR_PERMISSION_DENIED,
                                 "sourceTaskId: the task stands alone; to make a group of it needs tasks:change");
        if (plan->source.group_id)
                strcpy(plan->group_id, plan->source.group_id);
        plan->is_grouped = true;
        return true;
}

/* The environment of what is joined; another may not be named. */
static bool plan_joined(struct call *call, const struct task_create_input *input, struct task_plan *plan, int64_t rid,
                        const char *name, struct error *error)
{
        if (input->environment && strcmp(input->environment, name))
                return error_set(error, ERROR_GROUP_ENVIRONMENT_MISMATCH,
                                 "environment: what is joined is in another environment; leave it out");
        plan->environment = environment_find_rid(call->services->environments, rid);
        if (!plan->environment || !access_sees_environment(call->actor, rid))
                return error_set(error, ERROR_ENVIRONMENT_NOT_FOUND, NULL);
        return true;
}

static bool plan_target(struct call *call, const struct task_create_input *input, struct task_plan *plan,
                        struct error *error)
{
        auto_group_scope scope = {0};

        if (input->sourceTaskId && input->groupId)
                return error_set(error, ERROR_TARGET_INVALID, NULL);
        if (input->sourceTaskId)
                return plan_source(call, input, plan, error) &&
                       plan_joined(call, input, plan, plan->source.environment, plan->source.environment_name, error);
        if (input->groupId) {
                if (!group_open(call, input->groupId, &scope, error))
                        return false;
                snprintf(plan->group_id, sizeof plan->group_id, "%s", scope.group.id);
                plan->is_grouped = true;
                return plan_joined(call, input, plan, scope.group.environment, scope.group.environment_name, error);
        }
        if (!input->environment)
                return error_set(error, ERROR_INVALID_INPUT,
                                 "environment is required: the name of one from list_environments");
        plan->is_grouped = input->agents.count > 1;
        plan->environment = environment_require(call, input->environment, error);
        return plan->environment != NULL;
}

static bool is_said(const char *text)
{
        return text && text[strspn(text, " \t\r\n")];
}

static bool plan_instructions(struct call *call, const struct task_create_input *input, struct task_plan *plan,
                              struct error *error)
{
        plan->instructions = input->instructions;
        if (!input->instructions && !input->template && plan->source.id) {
                if (!prompt_inherited(call->db, plan->source.rid, &plan->inherited, error))
                        return false;
                plan->instructions = plan->inherited;
        }
        if (!input->template && !is_said(plan->instructions))
                return error_set(error, ERROR_INVALID_INPUT, "instructions is required: what the agent is to do");
        return !input->parameters || input->template ||
               error_set(error, ERROR_INVALID_INPUT, "parameters are those of a template: name it in template");
}

static bool plan_name(struct call *call, const struct task_create_input *input, struct task_plan *plan,
                      struct error *error)
{
        const char *from = input->template ? input->template : plan->instructions;

        plan->is_name_generated = !input->name;
        if (input->name)
                plan->name = text_copy(input->name);
        else if (!task_name_derive(call, plan->environment->rid, from, &plan->name, error))
                return false;
        return true;
}

bool task_plan_make(struct call *call, const struct task_create_input *input, struct task_plan *plan,
                    struct error *error)
{
        if (!plan_target(call, input, plan, error))
                return false;
        const struct environment *environment = plan->environment;
        if (!access_allows(call->actor, PERMISSION_TASKS_CREATE, environment->rid))
                return error_set(error, ERROR_PERMISSION_DENIED, "You may not create tasks in %s.", environment->name);
        bool is_private = plan->source.id && !plan->source.is_shared;
        plan->is_shared = !is_private && (input->shared < 0 ? environment->file.shareTasks : input->shared > 0);
        if (!environment_check_active(environment, error) || !plan_instructions(call, input, plan, error) ||
            !check_agents(input, error) || !plan_agents(call, input, plan, error))
                return false;
        if (!input->staged && !spend_check(call, environment, 0, error))
                return false;
        auto_free char *image = build_image(call->db, environment, error);
        if (!image)
                return false;
        if (store_is_low(call->services->store))
                return error_set(error, ERROR_STORE_FULL, "The disk is nearly full; nothing new is started.");
        return plan_branches(input, plan, error) && plan_name(call, input, plan, error);
}
