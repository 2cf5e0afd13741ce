#include <string.h>

#include "server/base/document.h"
#include "server/services/group.h"
#include "server/services/task.h"
#include "server/services/task_view.h"

bool group_is_evaluable(const struct store_task *task)
{
        return !task->is_judge && !task->is_loser && !task->is_withheld && !strcmp(task->status, "completed");
}

static void set(json_t *object, const char *name, json_t *value)
{
        json_object_set_new(object, name, value);
}

static size_t count_of(const struct store_tasks *tasks, const char *status)
{
        size_t count = 0;

        for (size_t i = 0; i < tasks->count; i++)
                count += !strcmp(tasks->items[i].status, status);
        return count;
}

/* As the triggers of group_views have it. */
static const char *status_of(const struct store_tasks *tasks)
{
        static const char *const alike[] = {"completed", "failed", "staged"};

        if (!tasks->count)
                return "pending";
        if (count_of(tasks, "running"))
                return "running";
        for (size_t i = 0; i < COUNT_OF(alike); i++)
                if (count_of(tasks, alike[i]) == tasks->count)
                        return alike[i];
        return "partial";
}

static void set_counts(json_t *view, const struct store_tasks *tasks)
{
        json_t *counts = json_object();
        int64_t variants = 0;

        for (size_t i = 0; task_statuses[i]; i++)
                set(counts, task_statuses[i], json_integer((json_int_t)count_of(tasks, task_statuses[i])));
        for (size_t i = 0; i < tasks->count; i++)
                variants += !tasks->items[i].is_judge;
        set(view, "status", json_string(status_of(tasks)));
        set(view, "statusCounts", counts);
        set(view, "taskCount", json_integer((json_int_t)tasks->count));
        set(view, "variantCount", json_integer(variants));
}

/* Each agent once, in the order of the tasks. */
static json_t *agents_of(const struct store_tasks *tasks, bool is_judge)
{
        json_t *list = json_array(), *listed;
        size_t at;

        for (size_t i = 0; i < tasks->count; i++) {
                const struct store_task *task = &tasks->items[i];
                bool is_new = task->is_judge == is_judge;
                json_array_foreach(list, at, listed)
                {
                        is_new = is_new && strcmp(json_string_value(listed), task->agent) != 0;
                }
                if (is_new)
                        json_array_append_new(list, json_string(task->agent));
        }
        return list;
}

static void set_outcome(json_t *view, const struct store_tasks *tasks)
{
        json_t *losers = json_array(), *evaluable = json_array();
        const char *winner = NULL;

        for (size_t i = 0; i < tasks->count; i++) {
                const struct store_task *task = &tasks->items[i];
                if (task->is_winner)
                        winner = task->id;
                if (task->is_loser)
                        json_array_append_new(losers, json_string(task->id));
                if (group_is_evaluable(task))
                        json_array_append_new(evaluable, json_string(task->id));
        }
        set(view, "winnerTaskId", document_string(winner));
        set(view, "loserTaskIds", losers);
        set(view, "evaluableTaskIds", evaluable);
}

/* The viewer's own list. A group is pinned as a whole when all its variants are; it sleeps while any pinned task of it
 * does, until the last of them wakes. */
static void set_pins(json_t *view, const struct call *call, const struct store_tasks *tasks)
{
        int64_t pinned = 0, snoozed = 0, until = 0;
        bool is_pinned = false, has_unpinned = false;

        for (size_t i = 0; i < tasks->count; i++) {
                const struct store_task *task = &tasks->items[i];
                if (!task->is_judge) {
                        is_pinned = is_pinned || task->is_pinned_by_viewer;
                        has_unpinned = has_unpinned || !task->is_pinned_by_viewer;
                }
                if (!task->is_pinned_by_viewer)
                        continue;
                pinned++;
                if (task->viewer_snoozed_until <= call->now)
                        continue;
                snoozed++;
                until = task->viewer_snoozed_until > until ? task->viewer_snoozed_until : until;
        }
        set(view, "isPinned", json_boolean(is_pinned && !has_unpinned));
        set(view, "pinnedTaskCount", json_integer(pinned));
        set(view, "isSnoozed", json_boolean(snoozed > 0));
        set(view, "pinSnoozedUntil", document_time(until));
        set(view, "snoozedTaskCount", json_integer(snoozed));
}

/* The name of the first variant that can be seen, as the group has none of its own; what it was made with while there
 * is none. */
static json_t *name_of(const struct call *call, const struct group_scope *scope, struct redactor *redactor)
{
        const struct store_task owner = {.environment = scope->group.environment, .creator = scope->group.creator};

        for (size_t i = 0; i < scope->seen.count; i++) {
                const struct store_task *task = &scope->seen.items[i];
                if (task->is_judge || task->is_withheld)
                        continue;
                redactor_set_task(redactor, call->db, task);
                return redact_string(redactor, task->name);
        }
        if (scope->seen.count || scope->hidden.count)
                return json_null();
        redactor_set_task(redactor, call->db, &owner);
        return redact_string(redactor, scope->group.name);
}

static json_t *creator_of(const struct store_group *group)
{
        return group->creator
                       ? json_pack("{s:s, s:o}", "id", group->creator_id, "name", document_string(group->creator_name))
                       : json_null();
}

json_t *group_view(const struct call *call, const struct group_scope *scope, struct redactor *redactor)
{
        const struct store_group *group = &scope->group;
        auto_free char *url = group_url(call->services, group->id);
        bool is_placed = access_sees_environment(call->actor, group->environment);
        int64_t active_at = group->created_at;
        json_t *view = json_object();

        for (size_t i = 0; i < scope->seen.count; i++)
                if (scope->seen.items[i].active_at > active_at)
                        active_at = scope->seen.items[i].active_at;
        set(view, "groupId", json_string(group->id));
        set(view, "groupUrl", document_string(url));
        set(view, "name", name_of(call, scope, redactor));
        set(view, "environment", is_placed ? document_string(group->environment_name) : json_null());
        set(view, "createdBy", creator_of(group));
        set(view, "agents", agents_of(&scope->seen, false));
        set(view, "judgeAgents", agents_of(&scope->seen, true));
        set_counts(view, &scope->seen);
        set(view, "createdAt", document_time(group->created_at));
        set(view, "lastActivity", document_time(active_at));
        set_outcome(view, &scope->seen);
        set_pins(view, call, &scope->seen);
        return view;
}
