#include "server/services/group.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "server/base/document.h"
#include "server/base/secret.h"
#include "server/services/audit.h"
#include "server/services/task_view.h"

#define RANDOM_DIGITS 9

void group_scope_clear(struct group_scope *scope)
{
        store_group_clear(&scope->group);
        store_tasks_clear(&scope->seen);
        store_tasks_clear(&scope->hidden);
}

void group_new_id(int64_t now, char id[ID_SIZE])
{
        char digits[RANDOM_DIGITS + 1];

        secret_token_new(digits, RANDOM_DIGITS);
        snprintf(id, ID_SIZE, "g-%" PRId64 "-%s", now, digits);
}

char *group_url(const struct services *services, const char *group_id)
{
        auto_free char *site = site_url(services);

        return text_format("%s/task.html?groupId=%s", site, group_id);
}

/* Moves the tasks that the actor does not see to scope->hidden. */
static bool split(struct call *call, struct group_scope *scope, struct error *error)
{
        struct store_tasks *seen = &scope->seen, *hidden = &scope->hidden;
        size_t kept = 0;

        hidden->items = memory_new((seen->count + 1) * sizeof *hidden->items);
        for (size_t i = 0; i < seen->count; i++) {
                struct store_task task = seen->items[i];
                seen->items[i] = (struct store_task){0};
                if (access_to_task(call->actor, &task) == TASK_ACCESS_HIDDEN)
                        hidden->items[hidden->count++] = task;
                else
                        seen->items[kept++] = task;
        }
        seen->count = kept;
        return access_note_all_withheld(call->db, call->actor, seen, false, error);
}

static bool sees_all_in(const struct actor *actor, int64_t environment)
{
        return access_allows(actor, PERMISSION_TASKS_VIEW, environment) &&
               access_allows(actor, PERMISSION_TASKS_VIEW_ANY, environment);
}

bool group_open(struct call *call, const char *group_id, struct group_scope *scope, struct error *error)
{
        bool is_found;

        if (!store_group_find(call->db, group_id, &scope->group, &is_found, error))
                return false;
        if (!is_found)
                return error_set(error, ERROR_GROUP_NOT_FOUND, NULL);
        if (!store_group_members(call->db, group_id, call->actor->user, &scope->seen, error) ||
            !split(call, scope, error))
                return false;
        bool is_own = call->actor->user && scope->group.creator == call->actor->user;
        return scope->seen.count || is_own || sees_all_in(call->actor, scope->group.environment) ||
               error_set(error, ERROR_GROUP_NOT_FOUND, NULL);
}

bool group_open_of_task(struct call *call, const struct store_task *task, struct group_scope *scope,
                        struct error *error)
{
        return group_open(call, task->group_id, scope, error);
}

bool group_make(struct call *call, const char *id, int64_t environment, const char *name, bool is_name_generated,
                struct error *error)
{
        const struct store_group_new group = {.id = id,
                                              .name = name,
                                              .is_name_generated = is_name_generated,
                                              .source = call->source,
                                              .environment = environment,
                                              .creator = call->actor->user,
                                              .created_at = call->now};

        return store_group_add(call->db, &group, error);
}

bool group_promote(struct call *call, const struct store_task *task, char id[ID_SIZE], struct error *error)
{
        if (!access_may(call->actor, PERMISSION_TASKS_CHANGE, PERMISSION_TASKS_CHANGE_ANY, task))
                return error_set(error, ERROR_PERMISSION_DENIED,
                                 "the task %s stands alone: to make a group of it needs tasks:change", task->id);
        *id = '\0';
        return group_adopt(call, task, id, error);
}

bool group_adopt(struct call *call, const struct store_task *task, char id[ID_SIZE], struct error *error)
{
        int64_t index;

        if (!*id) {
                group_new_id(call->now, id);
                if (!group_make(call, id, task->environment, task->name, true, error))
                        return false;
        }
        return store_group_add_variant(call->db, id, task->rid, &index, error) &&
               audit_write(call->db, call->actor, "task.promote", task->id, json_pack("{s:s}", "group", id), error);
}
