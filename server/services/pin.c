#include "server/services/pin.h"

#include <string.h>
#include <time.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/group.h"
#include "server/services/task_view.h"
#include "server/store/pin.h"

#define MINUTE_MS INT64_C(60000)

/* The tasks that one change reaches, borrowed, and what is told of it. */
struct reach {
        const struct store_task **tasks;
        size_t count;
};

static void reach_clear(struct reach *reach)
{
        free(reach->tasks);
}
#define auto_reach CLEANUP(reach_clear) struct reach

static void add(struct reach *reach, const struct store_task *task)
{
        for (size_t i = 0; i < reach->count; i++)
                if (reach->tasks[i]->rid == task->rid)
                        return;
        reach->tasks = memory_resize(reach->tasks, (reach->count + 1) * sizeof *reach->tasks);
        reach->tasks[reach->count++] = task;
}

static bool check_person(const struct call *call, struct error *error)
{
        return call->actor->user ||
               error_set(error, ERROR_INVALID_INPUT, "the command line is nobody and has no list of its own");
}

static bool may_change(const struct call *call, const struct store_task *task)
{
        return access_may(call->actor, PERMISSION_TASKS_CHANGE, PERMISSION_TASKS_CHANGE_ANY, task);
}

/* What one has created oneself shows one's pin to everybody; what others have created is on one's own list only. */
static bool check_own(const struct call *call, const struct reach *reach, struct error *error)
{
        for (size_t i = 0; i < reach->count; i++)
                if (reach->tasks[i]->creator == call->actor->user && !may_change(call, reach->tasks[i]))
                        return error_set(error, ERROR_PERMISSION_DENIED,
                                         "you may not change the task %s; nothing was changed", reach->tasks[i]->id);
        return true;
}

static int64_t snooze_of(const struct call *call, const struct store_task *task)
{
        return task->viewer_snoozed_until > call->now ? task->viewer_snoozed_until : 0;
}

/* Writes the pins and tells in the object what they were and which version each has now. */
static bool write_pins(struct call *call, const struct reach *reach, bool is_pinned, const int64_t *snoozed_until,
                       json_t *object, struct error *error)
{
        json_t *ids = json_array(), *states = json_object(), *snoozes = json_object(), *versions = json_object();

        json_object_set_new(object, "affectedTaskIds", ids);
        json_object_set_new(object, "previousPinStates", states);
        json_object_set_new(object, "previousPinSnoozedUntil", snoozes);
        json_object_set_new(object, "pinSnoozeVersionByTaskId", versions);
        for (size_t i = 0; i < reach->count; i++) {
                const struct store_task *task = reach->tasks[i];
                int64_t version = task->viewer_pin_version, before = snooze_of(call, task);
                bool is_never_pinned = !is_pinned && !task->is_pinned_by_viewer;
                int64_t until = !is_pinned ? 0 : snoozed_until ? *snoozed_until : before;
                if (!is_never_pinned &&
                    !store_pin_put(call->db, call->actor->user, task->rid, is_pinned, until, &version, error))
                        return false;
                json_array_append_new(ids, json_string(task->id));
                json_object_set_new(states, task->id, json_boolean(task->is_pinned_by_viewer));
                json_object_set_new(snoozes, task->id, document_time(before));
                json_object_set_new(versions, task->id, json_integer(version));
        }
        return true;
}

/* The reviews of the task's group that can be seen, those that were moved since among them. */
static bool read_judges(struct call *call, const struct store_task *task, struct store_tasks *judges,
                        struct error *error)
{
        return !task->group_id || (store_group_judges(call->db, task->group_id, call->actor->user, judges, error) &&
                                   access_note_all_withheld(call->db, call->actor, judges, true, error));
}

static bool add_task(struct call *call, const char *id, json_t *object, struct error *error)
{
        auto_store_task task = {0};
        auto_redactor redactor = {0};

        if (!task_open(call, id, &task, &redactor, error))
                return false;
        json_object_set_new(object, "task", task_view(call, &task, &redactor));
        return true;
}

bool task_set_pinned(struct call *call, const struct task_pin_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        auto_store_tasks judges = {0};
        auto_reach reach = {0};
        auto_json *object = json_object();

        if (!check_person(call, error) || !access_task_view(call->db, call->actor, input->taskId, &task, error) ||
            (!input->pinned && !read_judges(call, &task, &judges, error)))
                return false;
        add(&reach, &task);
        for (size_t i = 0; i < judges.count; i++)
                if (judges.items[i].is_pinned_by_viewer)
                        add(&reach, &judges.items[i]);
        json_object_set_new(object, "taskId", json_string(task.id));
        json_object_set_new(object, "pinned", json_boolean(input->pinned));
        if (!check_own(call, &reach, error) || !write_pins(call, &reach, input->pinned, NULL, object, error) ||
            !audit_write(call->db, call->actor, input->pinned ? "task.pin" : "task.unpin", task.id, NULL, error) ||
            !add_task(call, task.id, object, error))
                return false;
        json_object_set_new(object, "orphanedObjectives", json_array());
        *result = take(object);
        return true;
}

static bool is_repeated(const struct field_strings *ids, size_t which)
{
        for (size_t i = 0; i < which; i++)
                if (!strcmp(ids->items[i], ids->items[which]))
                        return true;
        return false;
}

static bool check_group(struct call *call, const char *id, struct error *error)
{
        auto_group_scope scope = {0};
        auto_reach reach = {0};

        if (!group_open(call, id, &scope, error))
                return error_prefix(error, "%.60s", id);
        for (size_t i = 0; i < scope.seen.count; i++)
                add(&reach, &scope.seen.items[i]);
        return check_own(call, &reach, error);
}

static bool pin_group(struct call *call, const char *id, bool is_pinned, json_t *list, struct error *error)
{
        auto_group_scope scope = {0};
        auto_reach reach = {0};
        auto_json *object = json_pack("{s:s}", "groupId", id);

        if (!group_open(call, id, &scope, error))
                return false;
        for (size_t i = 0; i < scope.seen.count; i++)
                add(&reach, &scope.seen.items[i]);
        if (!write_pins(call, &reach, is_pinned, NULL, object, error))
                return false;
        json_object_set(object, "taskIds", json_object_get(object, "affectedTaskIds"));
        json_object_del(object, "affectedTaskIds");
        json_array_append_new(list, take(object));
        return true;
}

bool group_set_pinned(struct call *call, const struct group_pin_input *input, json_t **result, struct error *error)
{
        json_t *groups = json_array();
        auto_json *object =
                json_pack("{s:b, s:o, s:[]}", "pinned", input->pinned, "groups", groups, "orphanedObjectives");

        if (!check_person(call, error))
                return false;
        for (size_t i = 0; i < input->groupIds.count; i++)
                if (!check_group(call, input->groupIds.items[i], error))
                        return false;
        for (size_t i = 0; i < input->groupIds.count; i++)
                if (!is_repeated(&input->groupIds, i) &&
                    !pin_group(call, input->groupIds.items[i], input->pinned, groups, error))
                        return false;
        if (!audit_write(call->db, call->actor, input->pinned ? "group.pin" : "group.unpin",
                         input->groupIds.count == 1 ? input->groupIds.items[0] : NULL,
                         json_pack("{s:i}", "groups", (int)json_array_size(groups)), error))
                return false;
        *result = take(object);
        return true;
}

/* The 29th of February becomes the first of March. */
static int64_t in_five_years(int64_t now)
{
        time_t seconds = (time_t)(now / 1000);
        struct tm date;

        gmtime_r(&seconds, &date);
        date.tm_year += 5;
        return (int64_t)timegm(&date) * 1000 + now % 1000;
}

/* The wake time in *until, 0 to wake at once. Which form was given is told by what was sent: null is one. */
static bool read_until(const struct call *call, const struct snooze_input *input, int64_t *until, struct error *error)
{
        bool has_until = json_object_get(call->arguments, "until") != NULL, has_minutes = input->snoozeForMinutes > 0;

        if (has_until == has_minutes)
                return error_set(error, ERROR_INVALID_INPUT,
                                 "give exactly one of until (a time, or null to wake it now) and snoozeForMinutes");
        *until = call->now + input->snoozeForMinutes * MINUTE_MS;
        if (!has_minutes) {
                *until = 0;
                if (!input->until)
                        return true;
                if (!clock_parse(input->until, until))
                        return error_set(error, ERROR_INVALID_INPUT,
                                         "until: a date and time with an offset is wanted, such as "
                                         "2030-01-31T12:00:00Z");
        }
        if (*until <= call->now)
                return error_set(error, ERROR_INVALID_INPUT, "until: the time to wake at is past");
        return *until <= in_five_years(call->now) ||
               error_set(error, ERROR_INVALID_INPUT, "until: the time to wake at is more than five years away");
}

/* Every task of the group must be the actor's to change; a hidden one is not named. */
static bool check_change(struct call *call, const struct store_tasks *tasks, bool is_hidden, struct error *error)
{
        for (size_t i = 0; i < tasks->count; i++)
                if (!may_change(call, &tasks->items[i]))
                        return is_hidden ? error_set(error, ERROR_PERMISSION_DENIED,
                                                     "you may not change every task of the group; nothing was changed")
                                         : error_set(error, ERROR_PERMISSION_DENIED,
                                                     "you may not change the task %s; nothing was changed",
                                                     tasks->items[i].id);
        return true;
}

static void add_pinned(struct reach *reach, const struct store_tasks *tasks)
{
        for (size_t i = 0; i < tasks->count; i++)
                if (tasks->items[i].is_pinned_by_viewer)
                        add(reach, &tasks->items[i]);
}

/* Puts what is reached aside and tells it. */
static bool snooze(struct call *call, const struct reach *reach, int64_t until, json_t *object, struct error *error)
{
        if (!reach->count)
                return error_set(error, ERROR_NOT_PINNED, NULL);
        if (!write_pins(call, reach, true, &until, object, error))
                return false;
        json_object_del(object, "previousPinStates");
        json_object_set_new(object, "isSnoozed", json_boolean(until > 0));
        json_object_set_new(object, "pinSnoozedUntil", document_time(until));
        json_object_set_new(object, "snoozedForMe", json_boolean(until > 0));
        json_object_set_new(object, "pinSnoozedUntilForMe", document_time(until));
        return true;
}

bool group_set_snooze(struct call *call, const struct snooze_input *input, json_t **result, struct error *error)
{
        auto_group_scope scope = {0};
        auto_reach reach = {0};
        auto_json *object = json_object();
        int64_t until;

        if (!check_person(call, error) || !read_until(call, input, &until, error) ||
            !group_open(call, input->groupId, &scope, error) || !check_change(call, &scope.seen, false, error) ||
            !check_change(call, &scope.hidden, true, error))
                return false;
        add_pinned(&reach, &scope.seen);
        json_object_set_new(object, "groupId", json_string(scope.group.id));
        if (!snooze(call, &reach, until, object, error) ||
            !audit_write(call->db, call->actor, until ? "group.snooze" : "group.wake", scope.group.id, NULL, error))
                return false;
        *result = take(object);
        return true;
}

bool task_set_snooze(struct call *call, const struct snooze_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        auto_store_tasks judges = {0};
        auto_group_scope scope = {0};
        auto_reach reach = {0};
        auto_json *object = json_object();
        int64_t until;

        if (!check_person(call, error) || !read_until(call, input, &until, error) ||
            !access_task_require(call->db, call->actor, input->taskId, PERMISSION_TASKS_CHANGE,
                                 PERMISSION_TASKS_CHANGE_ANY, &task, error))
                return false;
        if (!task.is_pinned_by_viewer)
                return error_set(error, ERROR_NOT_PINNED, NULL);
        if (task.group_id &&
            (!group_open_of_task(call, &task, &scope, error) || !read_judges(call, &task, &judges, error) ||
             !check_change(call, &scope.seen, false, error) || !check_change(call, &scope.hidden, true, error) ||
             !check_change(call, &judges, false, error)))
                return false;
        add(&reach, &task);
        add_pinned(&reach, &scope.seen);
        add_pinned(&reach, &judges);
        json_object_set_new(object, "taskId", json_string(task.id));
        if (!snooze(call, &reach, until, object, error) ||
            !audit_write(call->db, call->actor, until ? "task.snooze" : "task.wake", task.id, NULL, error) ||
            !add_task(call, task.id, object, error))
                return false;
        *result = take(object);
        return true;
}
