/* Task groups: what the doors call, and what other services build on. A group tells each person only of the tasks the
 * person can see; errors never name another. Results are new documents that the caller owns. */
#ifndef SERVICES_GROUP_H
#define SERVICES_GROUP_H

#include "server/base/field.h"
#include "server/services/redact.h"
#include "server/store/group.h"

/* The statuses of a group, and those that list_task_groups filters by (of tasks outside groups too); NULL-ended. */
extern const char *const group_statuses[], *const group_filter_statuses[];

/* A group and its tasks: those that the call's actor sees, and the others. In both the variants come in their order,
 * then the reviews. */
struct group_scope {
        struct store_group group;
        struct store_tasks seen, hidden;
};
void group_scope_clear(struct group_scope *scope);
#define auto_group_scope CLEANUP(group_scope_clear) struct group_scope

/* Reads a group that the actor may see: who created it, or sees a task in it. ERROR_GROUP_NOT_FOUND. */
MUST_CHECK bool group_open(struct call *call, const char *group_id, struct group_scope *scope, struct error *error);
/* The same of a group that a task which the actor sees is in. */
MUST_CHECK bool group_open_of_task(struct call *call, const struct store_task *task, struct group_scope *scope,
                                   struct error *error);
/* The group object: what list_task_groups and get_task_group show of it. */
json_t *group_view(const struct call *call, const struct group_scope *scope, struct redactor *redactor);
/* Whether a review of the group would evaluate the task now: a completed variant that is no loser, with its content to
 * be seen. */
bool group_is_evaluable(const struct store_task *task);
/* The address of a group's page. The caller frees it. */
char *group_url(const struct services *services, const char *group_id);
/* Makes a group without tasks; `id` may have been reserved by group_new_id. Within a piece of work. */
void group_new_id(int64_t now, char id[ID_SIZE]);
MUST_CHECK bool group_make(struct call *call, const char *id, int64_t environment, const char *name,
                           bool is_name_generated, struct error *error);
/* Makes a task that stands alone the first variant of a group of its own; the actor must hold tasks:change on it
 * (checked here). *id gets the group's. Within a piece of work. */
MUST_CHECK bool group_promote(struct call *call, const struct store_task *task, char id[ID_SIZE], struct error *error);
/* The same for who needs no such permission: a review makes a group of what it reviews. */
MUST_CHECK bool group_adopt(struct call *call, const struct store_task *task, char id[ID_SIZE], struct error *error);

struct group_list_input {
        const char *environment, *status, *cursor;
        bool createdByMe, createdByMyTeams, includeSnoozed, includeUngroupedTasks;
        int pinned; /* -1: both */
        int64_t limit, offset;
};
/* {groups, ungroupedTasks, total, ungroupedTotal, nextOffset, nextCursor}. Reads. */
MUST_CHECK bool group_list(struct call *call, const struct group_list_input *input, json_t **result,
                           struct error *error);

struct group_get_input {
        const char *groupId;
};
/* The group object with its tasks. Reads. */
MUST_CHECK bool group_get(struct call *call, const struct group_get_input *input, json_t **result, struct error *error);

struct group_rename_input {
        const char *groupId, *name;
};
/* Names every task of the group. Writes. {groupId, renamedTaskIds, previousNames, newNames, previousNameSources,
 * tasks}.
 */
MUST_CHECK bool group_rename(struct call *call, const struct group_rename_input *input, json_t **result,
                             struct error *error);

struct task_mark_input {
        const char *taskId;
        bool winner, loser; /* the one that the function is about */
};
/* Mark a variant, or clear the mark. Write. The group's view of it and notes. ERROR_TASK_INVALID,
 * ERROR_OUTCOME_CONFLICT. */
MUST_CHECK bool task_set_winner(struct call *call, const struct task_mark_input *input, json_t **result,
                                struct error *error);
MUST_CHECK bool task_set_loser(struct call *call, const struct task_mark_input *input, json_t **result,
                               struct error *error);

#endif
