#include "server/services/task_created.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/group.h"
#include "server/services/task_view.h"

static json_t *warnings_of(const json_t *made)
{
        json_t *list = json_array();

        if (json_is_true(json_object_get(made, "inherited")))
                json_array_append_new(
                        list, json_pack("{s:s, s:s}", "code", "source_attachments_not_copied", "message",
                                        "The instructions are those of the source task; files that were attached to it "
                                        "are not copied. Attach what the instructions refer to."));
        return list;
}

/* The members that tell of one task at the top of the result. */
static void set_single(json_t *object, json_t *view)
{
        static const char *const copied[] = {"taskId", "name", "environment", "agent", "status", "url", "isPinned"};

        for (size_t i = 0; i < COUNT_OF(copied); i++)
                json_object_set(object, copied[i], json_object_get(view, copied[i]));
        json_object_set(object, "task", view);
}

static bool render_one(struct call *call, const char *id, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        auto_redactor redactor = {0};

        if (!task_open(call, id, &task, &redactor, error))
                return false;
        auto_json *view = task_view(call, &task, &redactor);
        *result = json_object();
        set_single(*result, view);
        json_object_set_new(*result, "warnings", json_array());
        return true;
}

/* A task as the list of the group's new ones tells it. */
static json_t *brief_of(json_t *view)
{
        static const char *const copied[] = {"taskId", "agent", "groupIndex", "status", "url"};
        json_t *brief = json_object();

        for (size_t i = 0; i < COUNT_OF(copied); i++)
                if (json_object_get(view, copied[i]))
                        json_object_set(brief, copied[i], json_object_get(view, copied[i]));
        return brief;
}

/* Adds a new task to the lists, unless it cannot be seen any more; the views of those that can are kept in `views`. */
static bool add_task(struct call *call, const char *id, json_t *object, json_t *views, struct error *error)
{
        auto_store_task task = {0};
        auto_redactor redactor = {0};
        auto_error hidden = {0};

        if (!task_open(call, id, &task, &redactor, &hidden))
                return hidden.code == ERROR_TASK_NOT_FOUND || error_move(error, &hidden);
        json_t *view = task_view(call, &task, &redactor);
        json_array_append_new(json_object_get(object, "agents"), json_string(task.agent));
        json_array_append_new(json_object_get(object, "taskIds"), json_string(task.id));
        json_array_append_new(json_object_get(object, "tasks"), brief_of(view));
        json_array_append_new(views, view);
        return true;
}

static bool check_source(struct call *call, const json_t *made, struct error *error)
{
        const char *source = document_get_string(made, "sourceTaskId");
        auto_store_task task = {0};

        return !source || access_task_view(call->db, call->actor, source, &task, error);
}

static bool render_group(struct call *call, const json_t *made, json_t **result, struct error *error)
{
        static const char *const copied[] = {"sourceTaskId", "promotedTaskId"};
        auto_free char *url = group_url(call->services, document_get_string(made, "groupId"));
        auto_json *views = json_array(), *object = json_pack("{s:[], s:[], s:[]}", "agents", "taskIds", "tasks");
        json_t *ids = json_object_get(made, "taskIds"), *id;
        size_t i;

        if (!check_source(call, made, error))
                return false;
        json_array_foreach(ids, i, id)
        {
                if (!add_task(call, json_string_value(id), object, views, error))
                        return false;
        }
        json_t *first = json_array_get(views, 0);
        if (!first)
                return error_set(error, ERROR_TASK_NOT_FOUND, NULL);
        json_object_set(object, "environment", json_object_get(first, "environment"));
        json_object_set(object, "name", json_object_get(first, "name"));
        json_object_set(object, "groupId", json_object_get(made, "groupId"));
        json_object_set_new(object, "groupUrl", document_string(url));
        for (i = 0; i < COUNT_OF(copied); i++)
                if (json_object_get(made, copied[i]))
                        json_object_set(object, copied[i], json_object_get(made, copied[i]));
        if (json_array_size(ids) == 1)
                set_single(object, first);
        json_object_set_new(object, "warnings", warnings_of(made));
        *result = take(object);
        return true;
}

bool task_created_render(struct call *call, const char *outcome, json_t **result, struct error *error)
{
        if (*outcome != '{')
                return render_one(call, outcome, result, error);
        auto_json *made = document_parse(outcome, strlen(outcome), error);
        return made && render_group(call, made, result, error);
}
