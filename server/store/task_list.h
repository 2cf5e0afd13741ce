/* Lists of tasks, newest first. Statements are composed from a table of clauses and cached per combination. */
#ifndef STORE_TASK_LIST_H
#define STORE_TASK_LIST_H

#include "server/store/task.h"

#define TASK_LIST_TOTAL_MAXIMUM 10000

/* Which tasks; a zero or NULL member does not narrow. Borrowed. */
struct store_task_filter {
        int64_t viewer;
        /* What the viewer may see: private tasks of others only where view_any reaches. */
        bool is_view_everywhere, is_view_any_everywhere;
        const int64_t *view_environments;
        size_t view_count;
        const int64_t *view_any_environments;
        size_t view_any_count;
        /* What was asked for. */
        int64_t environment;
        const char *status, *group_id;
        bool is_alone; /* in no group */
        bool is_mine, is_my_teams, is_pinned_set, is_pinned, is_snoozed_included;
        int64_t now;
        int64_t before; /* only tasks older than the one with this rid */
        int64_t limit, offset;
};

struct store_tasks {
        struct store_task *items;
        size_t count;
};
void store_tasks_clear(struct store_tasks *tasks);
#define auto_store_tasks CLEANUP(store_tasks_clear) struct store_tasks

MUST_CHECK bool store_task_list(struct store_db *db, const struct store_task_filter *filter, struct store_tasks *tasks,
                                struct error *error);
/* How many match, without regard to `before` and `offset`. More than TASK_LIST_TOTAL_MAXIMUM stands for: more than
 * that, uncounted. */
MUST_CHECK bool store_task_list_total(struct store_db *db, const struct store_task_filter *filter, int64_t *total,
                                      struct error *error);

/* Internal to the store: the SQL of a filter's combination, for the query-plan test. The caller frees it. */
char *task_list_sql(const struct store_task_filter *filter, bool is_total);

#endif
