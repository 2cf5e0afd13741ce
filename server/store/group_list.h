/* Lists of groups, newest first, from the rows of group_views. */
#ifndef STORE_GROUP_LIST_H
#define STORE_GROUP_LIST_H

#include "server/store/group.h"

/* Which groups; a zero or NULL member does not narrow. Borrowed. */
struct store_group_filter {
        int64_t viewer;
        /* Where the viewer sees all tasks, and where only shared ones and the viewer's own. */
        bool is_all_everywhere, is_shared_everywhere;
        const int64_t *all_environments, *shared_environments;
        size_t all_count, shared_count;
        /* What was asked for. */
        const char *status; /* as the viewer sees the group */
        bool is_mine, is_my_teams;
        bool is_pinned_set, is_pinned; /* whether the viewer has pinned any task of it */
        bool is_snoozed_included;
        int64_t now;
        int64_t before; /* only groups older than the one with this rid */
        int64_t limit, offset;
};

struct store_groups {
        struct store_group *items;
        size_t count;
};
void store_groups_clear(struct store_groups *groups);
#define auto_store_groups CLEANUP(store_groups_clear) struct store_groups

MUST_CHECK bool store_group_list(struct store_db *db, const struct store_group_filter *filter,
                                 struct store_groups *groups, struct error *error);
/* How many match, without regard to `before` and `offset`; more than TASK_LIST_TOTAL_MAXIMUM stands for: more than
 * that, uncounted. */
MUST_CHECK bool store_group_list_total(struct store_db *db, const struct store_group_filter *filter, int64_t *total,
                                       struct error *error);

/* Internal to the store: the SQL of a filter's combination, for the query-plan test. The caller frees it. */
char *group_list_sql(const struct store_group_filter *filter, bool is_total);

#endif
