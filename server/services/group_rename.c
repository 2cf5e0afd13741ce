/* Names of tasks and groups. A group has no name of its own: all its tasks are named alike, its reviews with a prefix.
 */
#include <string.h>

#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/group.h"
#include "server/services/task.h"
#include "server/services/task_view.h"

#define NAME_MAXIMUM 120

static const char *const prefixes[] = {"judge: ", "review: "};

static const char *prefix_of(const struct store_task *task)
{
        bool is_review = task->judge_mode && !strcmp(task->judge_mode, "review");

        return !task->is_judge ? "" : prefixes[is_review];
}

/* The name without the prefix of a review. */
static const char *without_prefix(const char *name)
{
        for (size_t i = 0; i < COUNT_OF(prefixes); i++) {
                size_t length = strlen(prefixes[i]);
                if (!strncmp(name, prefixes[i], length) && name[length + strspn(name + length, " \t")])
                        return name + length;
        }
        return name;
}

/* What a rename answers with, as it grows. */
struct renaming {
        struct call *call;
        const char *name; /* without prefix, where it is a review that was named */
        struct redactor *redactor;
        json_t *ids, *previous, *names, *sources, *tasks;
};

static bool rename_one(struct renaming *renaming, const struct store_task *task, struct error *error)
{
        struct call *call = renaming->call;
        const char *prefix = prefix_of(task), *base = *prefix ? without_prefix(renaming->name) : renaming->name;
        auto_free char *full = text_format("%s%s", prefix, base);
        auto_free char *source = store_task_name_source(call->db, task->rid, error);

        if (!source)
                return false;
        full[utf8_head_length(full, strlen(full), NAME_MAXIMUM)] = '\0';
        if (!store_task_rename(call->db, task->rid, full, error))
                return false;
        if (access_to_task(call->actor, task) == TASK_ACCESS_HIDDEN)
                return true;
        json_array_append_new(renaming->ids, json_string(task->id));
        if (task->is_withheld)
                return true;
        redactor_set_task(renaming->redactor, call->db, task);
        json_object_set_new(renaming->previous, task->id, redact_string(renaming->redactor, task->name));
        json_object_set_new(renaming->names, task->id, redact_string(renaming->redactor, full));
        json_object_set_new(renaming->sources, task->id,
                            strcmp(source, "unset") ? document_string(source) : json_null());
        return true;
}

/* The tasks as they are now. */
static bool add_tasks(struct renaming *renaming, struct error *error)
{
        json_t *id;
        size_t i;

        json_array_foreach(renaming->ids, i, id)
        {
                auto_store_task task = {0};
                if (!access_task_view(renaming->call->db, renaming->call->actor, json_string_value(id), &task, error))
                        return false;
                redactor_set_task(renaming->redactor, renaming->call->db, &task);
                json_array_append_new(renaming->tasks, task_view(renaming->call, &task, renaming->redactor));
        }
        return true;
}

static bool may_change(struct call *call, const struct store_task *task)
{
        return access_may(call->actor, PERMISSION_TASKS_CHANGE, PERMISSION_TASKS_CHANGE_ANY, task);
}

/* Errors never name a task that cannot be seen. */
static bool check_all(struct call *call, const struct group_scope *scope, struct error *error)
{
        for (size_t i = 0; i < scope->seen.count; i++)
                if (!may_change(call, &scope->seen.items[i]))
                        return error_set(error, ERROR_PERMISSION_DENIED,
                                         "you may not change the task %s of the group; nothing was renamed",
                                         scope->seen.items[i].id);
        for (size_t i = 0; i < scope->hidden.count; i++)
                if (!may_change(call, &scope->hidden.items[i]))
                        return error_set(error, ERROR_PERMISSION_DENIED,
                                         "you may not change every task of the group; nothing was renamed");
        return scope->seen.count + scope->hidden.count > 0 ||
               access_allows(call->actor, PERMISSION_TASKS_CHANGE, scope->group.environment) ||
               error_set(error, ERROR_PERMISSION_DENIED, NULL);
}

static bool rename_all(struct renaming *renaming, const struct group_scope *scope, struct error *error)
{
        if (!check_all(renaming->call, scope, error))
                return false;
        for (size_t i = 0; i < scope->seen.count; i++)
                if (!rename_one(renaming, &scope->seen.items[i], error))
                        return false;
        for (size_t i = 0; i < scope->hidden.count; i++)
                if (!rename_one(renaming, &scope->hidden.items[i], error))
                        return false;
        return store_group_rename(renaming->call->db, scope->group.rid, renaming->name, error) &&
               audit_write(renaming->call->db, renaming->call->actor, "group.rename", scope->group.id, NULL, error) &&
               add_tasks(renaming, error);
}

static bool begin(struct renaming *renaming, json_t *result, struct error *error)
{
        struct {
                const char *name;
                json_t **member, *value;
        } members[] = {{"renamedTaskIds", &renaming->ids, json_array()},
                       {"previousNames", &renaming->previous, json_object()},
                       {"newNames", &renaming->names, json_object()},
                       {"previousNameSources", &renaming->sources, json_object()},
                       {"tasks", &renaming->tasks, json_array()}};

        for (size_t i = 0; i < COUNT_OF(members); i++) {
                *members[i].member = members[i].value;
                json_object_set_new(result, members[i].name, members[i].value);
        }
        if (!renaming->name[strspn(renaming->name, " \t\r\n")])
                return error_set(error, ERROR_INVALID_INPUT, "name must not be blank");
        return redactor_init(renaming->redactor, renaming->call->services, renaming->call->db, error);
}

static bool rename_group(struct renaming *renaming, struct group_scope *scope, json_t *result, struct error *error)
{
        json_object_set_new(result, "groupId", json_string(scope->group.id));
        return rename_all(renaming, scope, error);
}

bool group_rename(struct call *call, const struct group_rename_input *input, json_t **result, struct error *error)
{
        auto_group_scope scope = {0};
        auto_redactor redactor = {0};
        auto_json *object = json_object();
        struct renaming renaming = {.call = call, .name = input->name, .redactor = &redactor};

        if (!begin(&renaming, object, error) || !group_open(call, input->groupId, &scope, error) ||
            !rename_group(&renaming, &scope, object, error))
                return false;
        *result = take(object);
        return true;
}

static bool rename_alone(struct renaming *renaming, const struct store_task *task, struct error *error)
{
        return rename_one(renaming, task, error) &&
               audit_write(renaming->call->db, renaming->call->actor, "task.rename", task->id, NULL, error) &&
               add_tasks(renaming, error);
}

/* The named task among those that were renamed. */
static json_t *named(const struct renaming *renaming, const char *id)
{
        json_t *task;
        size_t i;

        json_array_foreach(renaming->tasks, i, task)
        {
                if (!strcmp(document_get_string(task, "taskId"), id))
                        return task;
        }
        return NULL;
}

bool task_rename(struct call *call, const struct task_rename_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        auto_group_scope scope = {0};
        auto_redactor redactor = {0};
        auto_json *object = json_object();
        struct renaming renaming = {.call = call, .name = input->name, .redactor = &redactor};
        bool is_alone = input->scope && !strcmp(input->scope, "task");

        if (!begin(&renaming, object, error) ||
            !access_task_require(call->db, call->actor, input->taskId, PERMISSION_TASKS_CHANGE,
                                 PERMISSION_TASKS_CHANGE_ANY, &task, error))
                return false;
        if (task.is_judge)
                renaming.name = without_prefix(input->name);
        if (!is_alone && task.group_id) {
                if (!group_open_of_task(call, &task, &scope, error) || !rename_group(&renaming, &scope, object, error))
                        return false;
        } else if (!rename_alone(&renaming, &task, error)) {
                return false;
        }
        bool is_part = is_alone && task.group_id;
        json_object_set_new(object, "scope", json_string(is_alone || !task.group_id ? "task" : "group"));
        json_object_set(object, "task", named(&renaming, task.id));
        if (is_part)
                json_object_set_new(object, "note",
                                    json_string("Only this task was renamed; the rest of its group keeps its names."));
        if (is_alone || !task.group_id)
                json_object_del(object, "tasks");
        *result = take(object);
        return true;
}
