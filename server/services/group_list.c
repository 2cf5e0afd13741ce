/* list_task_groups and get_task_group. */
#include "server/store/group_list.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/cursor.h"
#include "server/services/group.h"
#include "server/services/task.h"
#include "server/services/task_filter.h"
#include "server/services/task_view.h"

/* What one answer is made from. */
struct listing {
        struct call *call;
        const struct group_list_input *input;
        struct store_task_filter alone;
        struct store_group_filter groups;
        int64_t *all, *shared; /* environments of the groups' filter */
};

/* Divides the environments whose tasks are seen into those where all are and those where not. */
static void set_visibility(struct listing *listing)
{
        const struct store_task_filter *f = &listing->alone;
        struct store_group_filter *groups = &listing->groups;
        const struct actor *actor = listing->call->actor;
        const int64_t *from = f->environment ? &f->environment : f->view_environments;
        size_t count = f->environment ? 1 : f->view_count;

        groups->is_all_everywhere = !f->environment && f->is_view_everywhere && f->is_view_any_everywhere;
        groups->is_shared_everywhere = !f->environment && f->is_view_everywhere && !f->is_view_any_everywhere;
        groups->all_environments = listing->all;
        groups->shared_environments = listing->shared;
        for (size_t i = 0; i < count; i++) {
                if (access_allows(actor, PERMISSION_TASKS_VIEW_ANY, from[i]))
                        listing->all[groups->all_count++] = from[i];
                else
                        listing->shared[groups->shared_count++] = from[i];
        }
}

/* One cursor goes on in both lists: behind a group and behind a task. */
static bool read_cursor(const char *cursor, int64_t *group, int64_t *task, struct error *error)
{
        if (!cursor)
                return true;
        return (cursor_read(&cursor, 'g', group) && *cursor++ == '.' && cursor_read(&cursor, 't', task) && !*cursor) ||
               error_set(error, ERROR_INVALID_CURSOR, NULL);
}

static bool add_group(struct listing *listing, struct store_group *group, struct redactor *redactor, json_t *list,
                      struct error *error)
{
        struct call *call = listing->call;
        auto_group_scope scope = {.group = *group};

        *group = (struct store_group){0};
        if (!store_group_members(call->db, scope.group.id, call->actor->user, &scope.seen, error) ||
            !access_note_all_withheld(call->db, call->actor, &scope.seen, true, error))
                return false;
        json_array_append_new(list, group_view(call, &scope, redactor));
        return true;
}

static void set_total(json_t *result, const char *name, const char *name_at_least, int64_t total)
{
        bool is_exact = total <= TASK_LIST_TOTAL_MAXIMUM;

        json_object_set_new(result, name, is_exact ? json_integer(total) : json_null());
        if (!is_exact)
                json_object_set_new(result, name_at_least, json_integer(TASK_LIST_TOTAL_MAXIMUM));
}

/* The page of groups; *last gets the rid of the last one, 0 when no more follow. */
static bool list_groups(struct listing *listing, struct redactor *redactor, json_t *result, int64_t *last,
                        struct error *error)
{
        auto_store_groups groups = {0};
        json_t *list = json_array();
        int64_t total;

        json_object_set_new(result, "groups", list);
        if (!store_group_list(listing->call->db, &listing->groups, &groups, error) ||
            !store_group_list_total(listing->call->db, &listing->groups, &total, error))
                return false;
        bool has_next = groups.count == (size_t)listing->groups.limit;
        for (size_t i = 0; i < groups.count - has_next; i++) {
                *last = has_next ? groups.items[i].rid : 0;
                if (!add_group(listing, &groups.items[i], redactor, list, error))
                        return false;
        }
        set_total(result, "total", "totalAtLeast", total);
        return true;
}

/* The same for the tasks outside groups. */
static bool list_alone(struct listing *listing, struct redactor *redactor, json_t *result, int64_t *last,
                       struct error *error)
{
        struct call *call = listing->call;
        auto_store_tasks tasks = {0};
        json_t *list = json_array();
        int64_t total;

        json_object_set_new(result, "ungroupedTasks", list);
        if (!store_task_list(call->db, &listing->alone, &tasks, error) ||
            !access_note_all_withheld(call->db, call->actor, &tasks, false, error) ||
            !store_task_list_total(call->db, &listing->alone, &total, error))
                return false;
        bool has_next = tasks.count == (size_t)listing->alone.limit;
        for (size_t i = 0; i < tasks.count - has_next; i++) {
                *last = has_next ? tasks.items[i].rid : 0;
                redactor_set_task(redactor, call->db, &tasks.items[i]);
                json_array_append_new(list, task_view(call, &tasks.items[i], redactor));
        }
        set_total(result, "ungroupedTotal", "ungroupedTotalAtLeast", total);
        return true;
}

/* Behind the end of one list its cursor is 1: nothing is older than the first. */
static json_t *write_cursor(int64_t group, int64_t task)
{
        auto_free char *groups = cursor_write('g', group ? group : 1), *tasks = cursor_write('t', task ? task : 1);

        return json_pack("s++", groups, ".", tasks);
}

static bool list(struct listing *listing, json_t **result, struct error *error)
{
        auto_redactor redactor = {0};
        auto_json *object = json_object();
        int64_t group = 0, task = 0;

        if (!redactor_init(&redactor, listing->call->services, listing->call->db, error) ||
            !list_groups(listing, &redactor, object, &group, error) ||
            (listing->input->includeUngroupedTasks && !list_alone(listing, &redactor, object, &task, error)))
                return false;
        bool has_next = group || task;
        json_object_set_new(object, "nextOffset",
                            has_next && !listing->input->cursor
                                    ? json_integer(listing->input->offset + listing->input->limit)
                                    : json_null());
        json_object_set_new(object, "nextCursor", has_next ? write_cursor(group, task) : json_null());
        *result = take(object);
        return true;
}

bool group_list(struct call *call, const struct group_list_input *input, json_t **result, struct error *error)
{
        size_t places = call->actor->grants->count + 1;
        auto_free int64_t *rids = memory_new(places * 2 * sizeof *rids), *all = memory_new(places * sizeof *all),
                          *shared = memory_new(places * sizeof *shared);
        struct listing listing = {.call = call, .input = input, .all = all, .shared = shared};

        listing.alone = (struct store_task_filter){.status = input->status,
                                                   .is_alone = true,
                                                   .is_mine = input->createdByMe,
                                                   .is_my_teams = input->createdByMyTeams,
                                                   .is_pinned_set = input->pinned >= 0,
                                                   .is_pinned = input->pinned > 0,
                                                   .is_snoozed_included = input->includeSnoozed,
                                                   .now = call->now,
                                                   .limit = input->limit + 1,
                                                   .offset = input->offset};
        listing.groups = (struct store_group_filter){.viewer = call->actor->user,
                                                     .status = input->status,
                                                     .is_mine = input->createdByMe,
                                                     .is_my_teams = input->createdByMyTeams,
                                                     .is_pinned_set = input->pinned >= 0,
                                                     .is_pinned = input->pinned > 0,
                                                     .is_snoozed_included = input->includeSnoozed,
                                                     .now = call->now,
                                                     .limit = input->limit + 1,
                                                     .offset = input->offset};
        if (!read_cursor(input->cursor, &listing.groups.before, &listing.alone.before, error) ||
            (input->environment &&
             !task_filter_environment(call, input->environment, &listing.alone.environment, error)))
                return false;
        task_filter_set_visibility(call->actor, listing.alone.environment, &listing.alone, rids);
        set_visibility(&listing);
        return list(&listing, result, error);
}

bool group_get(struct call *call, const struct group_get_input *input, json_t **result, struct error *error)
{
        auto_group_scope scope = {0};
        auto_redactor redactor = {0};

        if (!group_open(call, input->groupId, &scope, error) ||
            !redactor_init(&redactor, call->services, call->db, error))
                return false;
        json_t *view = group_view(call, &scope, &redactor), *tasks = json_array();
        for (size_t i = 0; i < scope.seen.count; i++) {
                redactor_set_task(&redactor, call->db, &scope.seen.items[i]);
                json_array_append_new(tasks, task_view(call, &scope.seen.items[i], &redactor));
        }
        json_object_set_new(view, "tasks", tasks);
        *result = view;
        return true;
}
