#include "server/services/fork.h"

#include <string.h>

#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/audit.h"
#include "server/services/changes_parts.h"
#include "server/services/environment.h"
#include "server/services/follow_up.h"
#include "server/services/receipt.h"
#include "server/services/runtime.h"
#include "server/services/spend.h"
#include "server/services/task_draft.h"
#include "server/services/task_paths.h"
#include "server/services/task_view.h"
#include "server/services/tree_copy.h"
#include "server/services/vault.h"
#include "server/services/write.h"
#include "server/store/fork.h"
#include "server/store/group.h"
#include "server/store/turn.h"
#include "server/store/work.h"

#define TOOL "fork_task"

/* One copy in the making. */
struct forking {
        const struct task_fork_input *input;
        struct store_task source;
        int64_t ordinal; /* of its last turn */
        char id[ID_SIZE];
};

static bool copy_files(const struct call *call, const struct forking *forking, struct error *error)
{
        static char *(*const parts[])(const char *data_folder, const char *task_id) = {
                task_path_workspace, task_path_output, task_path_home, task_path_records, changes_path};
        const char *data = call->services->data_folder;

        if (!task_draft_begin(data, forking->id, error))
                return false;
        for (size_t i = 0; i < COUNT_OF(parts); i++) {
                auto_free char *from = parts[i](data, forking->source.id), *to = parts[i](data, forking->id);
                if (!tree_copy(from, to, error))
                        return error_prefix(error, "the copy");
        }
        /* What was run beside the turns is not the copy's. */
        auto_free char *copied = task_path_records(data, forking->id), *runs = path_join(copied, "runs");
        return path_remove_tree(runs, error);
}

/* The copy's workspace is as good as the source's was. */
static bool add_workspace(struct call *call, const struct forking *forking, int64_t task, struct error *error)
{
        auto_free char *folder = task_path_workspace(call->services->data_folder, forking->id);
        auto_store_resource workspace = {0};
        bool is_found;

        if (!store_resource_find(call->db, "workspace", forking->source.rid, &workspace, &is_found, error))
                return false;
        if (!is_found || !workspace.is_ready || workspace.stopped_at)
                return true;
        return store_resource_plan(call->db, "workspace", folder, task, call->now, error) &&
               store_resource_set_ready(call->db, "workspace", task, true, error);
}

static bool add_task(struct call *call, const struct forking *forking, int64_t *task, struct error *error)
{
        const struct store_task *source = &forking->source;
        auto_free char *name =
                forking->input->name ? text_copy(forking->input->name)
                : source->name
                        ? text_format("%.*s (fork)", (int)utf8_head_length(source->name, strlen(source->name), 113),
                                      source->name)
                        : NULL;
        /* What a judge or a deployment was is not what its copy does. */
        bool is_template = !strcmp(source->type, "template");
        struct store_task_new new = {.id = forking->id,
                                     .name = name,
                                     .status = source->status,
                                     .type = is_template ? "template" : "manual",
                                     .agent = source->agent,
                                     .source = call->source,
                                     .branches = source->branches,
                                     .model = source->model,
                                     .reasoning_effort = source->reasoning_effort,
                                     .speed = source->speed,
                                     .environment = source->environment,
                                     .creator = call->actor->user,
                                     .is_shared = source->is_shared,
                                     .created_at = call->now};
        struct store_fork fork = {source, forking->ordinal, call->actor->user, call->now};

        return store_task_add(call->db, &new, task, error) && store_fork_fill(call->db, *task, &fork, error) &&
               store_task_copy_sources(call->db, *task, source->rid, error) &&
               vault_copy_values(call->db, *task, source->rid, error) && add_workspace(call, forking, *task, error);
}

static bool start(struct call *call, const struct forking *forking, int64_t task, struct error *error)
{
        struct follow_up_new new = {.task = task,
                                    .kind = "follow_up",
                                    .sender = call->actor->user,
                                    .origin = call->source,
                                    .by_task = *call->actor->task_id ? call->actor->task_id : NULL,
                                    .instructions = forking->input->instructions,
                                    .now = call->now};
        char id[ID_SIZE];

        return !forking->input->instructions ||
               follow_up_add(call->services, call->db, &new, FOLLOW_UP_AT_ONCE, id, error);
}

static bool render(struct call *call, const char *id, json_t **result, struct error *error)
{
        static const char *const copied[] = {"taskId", "name", "environment", "agent", "status", "url", "isPinned"};
        auto_free char *source_id = NULL;
        auto_store_task task = {0};
        auto_redactor redactor = {0};

        if (!task_open(call, id, &task, &redactor, error) || !store_fork_source(call->db, task.rid, &source_id, error))
                return false;
        json_t *view = task_view(call, &task, &redactor), *object = json_object();
        for (size_t i = 0; i < COUNT_OF(copied); i++)
                json_object_set(object, copied[i], json_object_get(view, copied[i]));
        json_object_set_new(object, "sourceTaskId", document_string(source_id));
        json_object_set_new(object, "task", view);
        *result = object;
        return true;
}

static bool fork_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct forking *forking = context;
        const char *request_id = forking->input->requestId;
        auto_free char *earlier = NULL;
        int64_t task;

        /* The same request may have come twice at the same instant. */
        if (!receipt_find(call, TOOL, request_id, &earlier, error))
                return false;
        if (earlier)
                return render(call, earlier, result, error);
        return add_task(call, forking, &task, error) && start(call, forking, task, error) &&
               receipt_keep(call, TOOL, request_id, forking->id, error) &&
               audit_write(call->db, call->actor, "task.fork", forking->id,
                           json_pack("{s:s}", "source", forking->source.id), error) &&
               render(call, forking->id, result, error);
}

/* Whether the copy became a task: not when an identical request was faster. */
static bool is_made(const json_t *result, const char *id)
{
        const char *made = document_get_string(result, "taskId");

        return made && !strcmp(made, id);
}

static bool make(struct call *call, struct forking *forking, json_t **result, struct error *error)
{
        const char *data = call->services->data_folder;
        bool is_done = copy_files(call, forking, error) && call_write(call, fork_work, forking, result, error);

        task_draft_end(data, forking->id, is_done && is_made(*result, forking->id));
        return is_done;
}

static bool check(struct call *call, struct forking *forking, struct error *error)
{
        const struct store_task *source = &forking->source;
        auto_store_turn turn = {0};
        bool is_found;

        if (!access_allows(call->actor, PERMISSION_TASKS_CREATE, source->environment))
                return error_set(error, ERROR_PERMISSION_DENIED, "You may not create tasks in %s.",
                                 source->environment_name);
        if (!strcmp(source->status, "running") || !strcmp(source->status, "queued"))
                return error_set(error, ERROR_TASK_BUSY, "The task is %s; wait until its turn has ended.",
                                 source->status);
        if (!strcmp(source->status, "staged"))
                return error_set(error, ERROR_CONFLICT, "The task has not been started; there is nothing to copy yet.");
        auto_environment *environment = environment_find_rid(call->services->environments, source->environment);
        if (!environment)
                return error_set(error, ERROR_ENVIRONMENT_DISABLED, "The task's environment is gone.");
        if (store_is_low(call->services->store))
                return error_set(error, ERROR_STORE_FULL, "The disk is nearly full; nothing new is started.");
        if (!environment_check_active(environment, error) ||
            (forking->input->instructions && !spend_check(call, environment, 0, error)) ||
            !store_turn_find(call->db, source->turn, &turn, &is_found, error))
                return false;
        forking->ordinal = turn.ordinal;
        return true;
}

static bool run(struct call *call, struct forking *forking, json_t **result, struct error *error)
{
        if (!access_task_view(call->db, call->actor, forking->input->taskId, &forking->source, error))
                return false;
        if (!runtime_try_lock_task(call->services->runtime, forking->source.rid))
                return error_set(error, ERROR_TASK_SOURCE_BUSY, NULL);
        int64_t rid = forking->source.rid;
        store_task_clear(&forking->source);
        /* What it is now, that nothing else is done with it. */
        bool is_done = access_task_view(call->db, call->actor, forking->input->taskId, &forking->source, error) &&
                       access_require_content(&forking->source, error) && check(call, forking, error) &&
                       make(call, forking, result, error);
        runtime_unlock_task(call->services->runtime, rid);
        return is_done;
}

bool task_fork(struct call *call, const struct task_fork_input *input, json_t **result, struct error *error)
{
        struct forking forking = {.input = input};
        auto_free char *earlier = NULL;

        if (!receipt_find(call, TOOL, input->requestId, &earlier, error))
                return false;
        if (earlier)
                return render(call, earlier, result, error);
        if ((input->name && !input->name[strspn(input->name, " \t\r\n")]) ||
            (input->instructions && !input->instructions[strspn(input->instructions, " \t\r\n")]))
                return error_set(error, ERROR_INVALID_INPUT, "name and instructions must not be blank");
        id_new_task(call->now, forking.id);
        bool is_done = run(call, &forking, result, error);
        store_task_clear(&forking.source);
        return is_done;
}
