#include "server/services/task.h"

#include <string.h>

#include "git/branch.h"
#include "server/base/document.h"
#include "server/services/agent.h"
#include "server/services/audit.h"
#include "server/services/build.h"
#include "server/services/environment.h"
#include "server/services/model.h"
#include "server/services/prompt.h"
#include "server/services/receipt.h"
#include "server/services/slot.h"
#include "server/services/spend.h"
#include "server/services/task_view.h"
#include "server/services/template.h"
#include "server/services/vault.h"

#define TOOL "create_task"

const char *const task_statuses[] = {"staged", "queued", "running", "completed", "failed", "interrupted", NULL};

static const struct environment_repository *repository_find(const struct environment *environment, const char *name)
{
        const struct environment_repository *repositories = environment->file.repositories.items;

        for (size_t i = 0; i < environment->file.repositories.count; i++)
                if (!strcmp(repositories[i].name, name))
                        return &repositories[i];
        return NULL;
}

static bool check_branches(const struct environment *environment, json_t *branches, struct error *error)
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

/* What the environment decides and the caller may choose; refuses what cannot be. */
static bool check(struct call *call, const struct task_create_input *input, const struct environment *environment,
                  struct error *error)
{
        if (!access_allows(call->actor, PERMISSION_TASKS_CREATE, environment->rid))
                return error_set(error, ERROR_PERMISSION_DENIED, "You may not create tasks in %s.", environment->name);
        if (!environment_check_active(environment, error))
                return false;
        if (!input->template && (!input->instructions || !input->instructions[strspn(input->instructions, " \t\r\n")]))
                return error_set(error, ERROR_INVALID_INPUT, "instructions is required: what the agent is to do");
        if (input->parameters && !input->template)
                return error_set(error, ERROR_INVALID_INPUT, "parameters are those of a template: name it in template");
        const char *agent = input->agent ? input->agent : environment->file.defaultAgent;
        if (!agent_check(call->services, environment, agent, error))
                return false;
        if (!input->agent && (input->model || input->reasoningEffort || input->speed))
                return error_set(error, ERROR_INVALID_INPUT,
                                 "agent: name the agent that model, reasoningEffort and speed are for");
        struct model_choice choice = {input->model, input->reasoningEffort, input->speed};
        if (!model_check(call->services, environment, agent, &choice, error) ||
            !vault_check_agent(call, environment, agent, error) ||
            (!input->staged && !spend_check(call, environment, 0, error)))
                return false;
        auto_free char *image = build_image(call->db, environment, error);
        if (!image)
                return false;
        if (store_is_low(call->services->store))
                return error_set(error, ERROR_STORE_FULL, "The disk is nearly full; nothing new is started.");
        return check_branches(environment, input->branches, error);
}

static bool add_first_turn(struct call *call, const struct task_create_input *input, const char *agent, int64_t task,
                           const char **status, struct error *error)
{
        const struct upload *upload = input->prepared ? input->prepared->upload : NULL;
        auto_prompt prompt = {.parts = {[PROMPT_TEMPLATE] = input->prepared ? input->prepared->rendered : NULL,
                                        [PROMPT_INSTRUCTIONS] = input->instructions}};

        prompt_generate(&prompt, input->handoff, upload);
        auto_free char *shown = prompt_shown(&prompt), *given = prompt_given(&prompt, agent_find_known(agent));
        struct store_turn_new turn = {.task = task,
                                      .sender = call->actor->user,
                                      .kind = "initial",
                                      .origin = call->source,
                                      .state = "staged",
                                      .agent = agent,
                                      .shown = shown,
                                      .given = given,
                                      .submitted_at = call->now};
        int64_t rid, ordinal;

        if (!store_turn_add(call->db, &turn, &rid, &ordinal, error) || !prompt_keep(call->db, &prompt, rid, error) ||
            !upload_attach(call->db, upload, rid, error))
                return false;
        if (input->prepared)
                input->prepared->is_attached = true;
        *status = "staged";
        return input->staged ? store_task_set_turn(call->db, task, rid, error)
                             : slot_start(call->services, call->db, task, rid, 0, call->now, status, error);
}

static bool add(struct call *call, const struct task_create_input *input, const struct environment *environment,
                char id[ID_SIZE], struct error *error)
{
        auto_free char *branches = input->branches ? document_print(input->branches) : text_copy("{}");
        struct store_task_new task = {.id = id,
                                      .name = input->name,
                                      .status = "staged",
                                      .type = input->template ? "template" : "manual",
                                      .model = input->model,
                                      .reasoning_effort = input->reasoningEffort,
                                      .speed = input->speed,
                                      .agent = input->agent ? input->agent : environment->file.defaultAgent,
                                      .source = call->source,
                                      .branches = branches,
                                      .environment = environment->rid,
                                      .creator = call->actor->user,
                                      .is_shared = input->shared < 0 ? environment->file.shareTasks : input->shared > 0,
                                      .created_at = call->now};
        const char *status;
        int64_t rid;

        id_new_task(call->now, id);
        return upload_take(call, input->prepared ? input->prepared->upload : NULL, error) &&
               store_task_add(call->db, &task, &rid, error) &&
               add_first_turn(call, input, task.agent, rid, &status, error) &&
               receipt_keep(call, TOOL, input->requestId, id, error) &&
               audit_write(call->db, call->actor, "task.create", id, json_pack("{s:s}", "status", status), error);
}

/* What a creation answers: built from the task as it is now, so that a retry is rendered for the person of now. */
static bool render(struct call *call, const char *id, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        auto_redactor redactor = {0};

        if (!task_open(call, id, &task, &redactor, error))
                return false;
        json_t *view = task_view(call, &task, &redactor), *object = json_object();
        static const char *const copied[] = {"taskId", "name", "environment", "agent", "status", "url", "isPinned"};
        for (size_t i = 0; i < COUNT_OF(copied); i++)
                json_object_set(object, copied[i], json_object_get(view, copied[i]));
        json_object_set_new(object, "task", view);
        json_object_set_new(object, "warnings", json_array());
        *result = object;
        return true;
}

bool task_create_is_prepared_first(const struct task_create_input *input)
{
        return input->template || input->handoff || input->attachments.count;
}

void task_prepared_free(const struct services *services, struct task_prepared *prepared, bool is_done)
{
        if (!prepared)
                return;
        upload_free(services, prepared->upload, is_done && prepared->is_attached);
        free(prepared->rendered);
        free(prepared);
}

/* A retry needs nothing prepared, and nobody who may not create tasks gets files written. */
bool task_create_prepare(struct call *call, struct task_create_input *input, struct error *error)
{
        auto_free char *earlier = NULL;

        if (!receipt_find(call, TOOL, input->requestId, &earlier, error))
                return false;
        if (earlier || !input->environment)
                return true;
        auto_environment *environment = environment_require(call, input->environment, error);
        if (!environment || !check(call, input, environment, error))
                return false;
        input->prepared = memory_new(sizeof *input->prepared);
        receipt_fingerprint(call, input->prepared->fingerprint);
        if (input->template && !(input->prepared->rendered = template_render(
                                         call->services, environment->name, input->template, input->parameters, error)))
                return false;
        if (!input->handoff && !input->attachments.count)
                return true;
        input->prepared->upload = upload_write(call, &input->attachments, input->handoff, error);
        return input->prepared->upload != NULL;
}

bool task_create(struct call *call, const struct task_create_input *input, json_t **result, struct error *error)
{
        auto_free char *earlier = NULL;
        char id[ID_SIZE];

        call->fingerprint = input->prepared ? input->prepared->fingerprint : NULL;
        if (!receipt_find(call, TOOL, input->requestId, &earlier, error))
                return false;
        if (earlier)
                return render(call, earlier, result, error);
        if (!input->environment)
                return error_set(error, ERROR_INVALID_INPUT,
                                 "environment is required: the name of one from list_environments");
        auto_environment *environment = environment_require(call, input->environment, error);
        return environment && check(call, input, environment, error) && add(call, input, environment, id, error) &&
               render(call, id, result, error);
}
