#include "server/services/task.h"

#include "server/base/document.h"
#include "server/services/cursor.h"
#include "server/services/environment.h"
#include "server/services/task_filter.h"
#include "server/services/task_view.h"

/* The environments where the actor holds the permission; memory from the caller. */
static size_t environments_with(const struct actor *actor, enum permission permission, int64_t *rids)
{
        size_t count = 0;

        for (size_t i = 0; i < actor->grants->count; i++)
                if (access_allows(actor, permission, actor->grants->environments[i].environment))
                        rids[count++] = actor->grants->environments[i].environment;
        return count;
}

static bool is_everywhere(const struct actor *actor, enum permission permission)
{
        return actor->grants->is_administrator ||
               ((actor->grants->everywhere | actor->grants->server) >> permission & 1);
}

void task_filter_set_visibility(const struct actor *actor, int64_t environment, struct store_task_filter *filter,
                                int64_t *rids)
{
        int64_t *any = rids + actor->grants->count;

        filter->viewer = actor->user;
        filter->is_view_any_everywhere = is_everywhere(actor, PERMISSION_TASKS_VIEW_ANY) ||
                                         (environment && access_allows(actor, PERMISSION_TASKS_VIEW_ANY, environment));
        filter->is_view_everywhere = is_everywhere(actor, PERMISSION_TASKS_VIEW);
        filter->view_environments = rids;
        filter->view_count = environments_with(actor, PERMISSION_TASKS_VIEW, rids);
        filter->view_any_environments = any;
        filter->view_any_count = environments_with(actor, PERMISSION_TASKS_VIEW_ANY, any);
}

/* Cursors are the rid of the last task given, marked as one of this list. */
static bool read_cursor(const char *cursor, int64_t *before, struct error *error)
{
        if (!cursor)
                return true;
        return (cursor_read(&cursor, 't', before) && !*cursor && *before) ||
               error_set(error, ERROR_INVALID_CURSOR, NULL);
}

static json_t *write_cursor(int64_t rid)
{
        auto_free char *cursor = cursor_write('t', rid);

        return json_string(cursor);
}

bool task_filter_environment(struct call *call, const char *name, int64_t *rid, struct error *error)
{
        auto_environment *environment = environment_require(call, name, error);

        if (!environment)
                return false;
        if (!access_allows(call->actor, PERMISSION_TASKS_VIEW, environment->rid))
                return error_set(error, ERROR_PERMISSION_DENIED, "You may not see tasks in %s.", environment->name);
        *rid = environment->rid;
        return true;
}

static json_t *render(struct call *call, const struct store_task_filter *filter, const struct store_tasks *tasks,
                      int64_t total, struct redactor *redactor)
{
        json_t *result = json_object(), *list = json_array();
        bool has_next = tasks->count == (size_t)filter->limit;
        size_t shown = has_next ? tasks->count - 1 : tasks->count;

        for (size_t i = 0; i < shown; i++) {
                redactor_set_task(redactor, call->db, &tasks->items[i]);
                json_array_append_new(list, task_view(call, &tasks->items[i], redactor));
        }
        json_object_set_new(result, "tasks", list);
        if (total > TASK_LIST_TOTAL_MAXIMUM) {
                json_object_set_new(result, "total", json_null());
                json_object_set_new(result, "totalAtLeast", json_integer(TASK_LIST_TOTAL_MAXIMUM));
        } else {
                json_object_set_new(result, "total", json_integer(total));
        }
        json_object_set_new(result, "nextOffset",
                            has_next && !filter->before ? json_integer(filter->offset + (int64_t)shown) : json_null());
        json_object_set_new(result, "nextCursor", has_next ? write_cursor(tasks->items[shown - 1].rid) : json_null());
        return result;
}

static bool list(struct call *call, struct store_task_filter *filter, json_t **result, struct error *error)
{
        auto_store_tasks tasks = {0};
        auto_redactor redactor = {0};
        int64_t total;

        if (!redactor_init(&redactor, call->services, call->db, error) ||
            !store_task_list(call->db, filter, &tasks, error) ||
            !access_note_all_withheld(call->db, call->actor, &tasks, false, error) ||
            !store_task_list_total(call->db, filter, &total, error))
                return false;
        *result = render(call, filter, &tasks, total, &redactor);
        return true;
}

bool task_list(struct call *call, const struct task_list_input *input, json_t **result, struct error *error)
{
        auto_free int64_t *rids = memory_new((call->actor->grants->count * 2 + 1) * sizeof *rids);
        /* One more than asked for tells whether there is a next page. */
        struct store_task_filter filter = {.status = input->status,
                                           .group_id = input->groupId,
                                           .is_mine = input->createdByMe,
                                           .is_my_teams = input->createdByMyTeams,
                                           .is_pinned_set = input->pinned >= 0,
                                           .is_pinned = input->pinned > 0,
                                           .is_snoozed_included = input->includeSnoozed,
                                           .now = call->now,
                                           .limit = input->limit + 1,
                                           .offset = input->offset};

        if (!read_cursor(input->cursor, &filter.before, error))
                return false;
        if (input->environment && !task_filter_environment(call, input->environment, &filter.environment, error))
                return false;
        task_filter_set_visibility(call->actor, filter.environment, &filter, rids);
        return list(call, &filter, result, error);
}
