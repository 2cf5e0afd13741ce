#include "server/services/task.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/receipt.h"
#include "server/services/slot.h"
#include "server/services/task_created.h"
#include "server/services/task_make.h"
#include "server/services/task_plan.h"
#include "server/services/template.h"

#define TOOL "create_task"

const char *const task_statuses[] = {"staged", "queued", "running", "completed", "failed", "interrupted", NULL};

bool task_create_is_prepared_first(const struct task_create_input *input)
{
        return input->template || input->handoff || input->attachments.count;
}

void task_prepared_free(const struct services *services, struct task_prepared *prepared, bool is_done)
{
        if (!prepared)
                return;
        for (size_t i = 0; i < COUNT_OF(prepared->uploads); i++)
                upload_free(services, prepared->uploads[i], is_done && prepared->is_attached);
        free(prepared->rendered);
        free(prepared);
}

/* Each task gets files of its own: an agent may change what it is given. */
static bool write_uploads(struct call *call, struct task_create_input *input, size_t count, struct error *error)
{
        for (size_t i = 0; i < count; i++) {
                input->prepared->uploads[i] = upload_write(call, &input->attachments, input->handoff, error);
                if (!input->prepared->uploads[i])
                        return false;
        }
        return true;
}

/* A retry needs nothing prepared, and nobody who may not create tasks gets files written. */
bool task_create_prepare(struct call *call, struct task_create_input *input, struct error *error)
{
        auto_free char *earlier = NULL;
        auto_task_plan plan = {0};

        if (!receipt_find(call, TOOL, input->requestId, &earlier, error))
                return false;
        if (earlier)
                return true;
        if (!task_plan_make(call, input, &plan, error))
                return false;
        input->prepared = memory_new(sizeof *input->prepared);
        receipt_fingerprint(call, input->prepared->fingerprint);
        if (input->template &&
            !(input->prepared->rendered = template_render(call->services, plan.environment->name, input->template,
                                                          input->parameters, error)))
                return false;
        return (!input->handoff && !input->attachments.count) || write_uploads(call, input, plan.count, error);
}

/* Makes the task of one of the plan's agents, starts it unless it is to be staged, and adds its id to the outcome. */
static bool add_one(struct call *call, const struct task_create_input *input, const struct task_plan *plan,
                    size_t which, json_t *ids, struct error *error)
{
        const struct upload *upload = input->prepared ? input->prepared->uploads[which] : NULL;
        auto_prompt prompt = {.parts = {[PROMPT_TEMPLATE] = input->prepared ? input->prepared->rendered : NULL,
                                        [PROMPT_INSTRUCTIONS] = plan->instructions}};
        char id[ID_SIZE];
        struct task_making making = {.id = id,
                                     .type = input->template ? "template" : "manual",
                                     .agent = plan->agents[which],
                                     .name = plan->name,
                                     .model = input->model,
                                     .reasoning_effort = input->reasoningEffort,
                                     .speed = input->speed,
                                     .branches = plan->branches,
                                     .is_name_generated = plan->is_name_generated,
                                     .is_shared = plan->is_shared,
                                     .environment = plan->environment->rid,
                                     .prompt = &prompt,
                                     .upload = upload};
        const char *status = "staged";
        int64_t rid, turn, index;

        id_new_task(call->now, id);
        prompt_generate(&prompt, input->handoff, upload);
        json_array_append_new(ids, json_string(id));
        return task_make(call, &making, &rid, &turn, error) &&
               (!plan->is_grouped || store_group_add_variant(call->db, plan->group_id, rid, &index, error)) &&
               (input->staged || slot_start(call->services, call->db, rid, turn, 0, call->now, &status, error)) &&
               audit_write(call->db, call->actor, "task.create", id, json_pack("{s:s}", "status", status), error);
}

/* The group that the tasks join, made when there is none yet. */
static bool open_group(struct call *call, struct task_plan *plan, json_t *outcome, struct error *error)
{
        if (!plan->is_grouped)
                return true;
        if (!*plan->group_id && plan->source.id) {
                if (!group_promote(call, &plan->source, plan->group_id, error))
                        return false;
                json_object_set_new(outcome, "promotedTaskId", json_string(plan->source.id));
        } else if (!*plan->group_id) {
                group_new_id(call->now, plan->group_id);
                if (!group_make(call, plan->group_id, plan->environment->rid, plan->name, plan->is_name_generated,
                                error))
                        return false;
        }
        json_object_set_new(outcome, "groupId", json_string(plan->group_id));
        return true;
}

/* All or none of the tasks are made: what fails leaves nothing behind. */
static bool add_all(struct call *call, const struct task_create_input *input, struct task_plan *plan, char **outcome,
                    struct error *error)
{
        json_t *ids = json_array();
        auto_json *made = json_pack("{s:o}", "taskIds", ids);

        /* What was sent ahead is taken once for all: each task's folder has names of its own for it. */
        if (!upload_take(call, input->prepared ? input->prepared->uploads[0] : NULL, error) ||
            !open_group(call, plan, made, error))
                return false;
        for (size_t i = 0; i < plan->count; i++)
                if (!add_one(call, input, plan, i, ids, error))
                        return false;
        if (input->prepared)
                input->prepared->is_attached = true;
        if (plan->source.id) {
                json_object_set_new(made, "sourceTaskId", json_string(plan->source.id));
                json_object_set_new(made, "inherited", json_boolean(plan->inherited));
        }
        *outcome = plan->is_grouped ? document_print(made) : text_copy(json_string_value(json_array_get(ids, 0)));
        return receipt_keep(call, TOOL, input->requestId, *outcome, error);
}

bool task_create(struct call *call, const struct task_create_input *input, json_t **result, struct error *error)
{
        auto_free char *outcome = NULL;
        auto_task_plan plan = {0};

        call->fingerprint = input->prepared ? input->prepared->fingerprint : NULL;
        if (!receipt_find(call, TOOL, input->requestId, &outcome, error))
                return false;
        return (outcome ||
                (task_plan_make(call, input, &plan, error) && add_all(call, input, &plan, &outcome, error))) &&
               task_created_render(call, outcome, result, error);
}
