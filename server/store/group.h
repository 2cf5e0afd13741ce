/* Task groups in the store. A group is the tasks that carry its id, all in its environment: variants, which have an
 * index in the order in which they joined, and reviews (judges), which have none. */
#ifndef STORE_GROUP_H
#define STORE_GROUP_H

#include "server/base/id.h"
#include "server/store/task_list.h"

/* Owns its strings. Times are ms since the epoch. */
struct store_group {
        int64_t rid;
        char *id;
        int64_t environment;
        char *environment_id, *environment_name;
        char *name, *name_source; /* as it was made or last renamed as a whole; its tasks have names of their own */
        int64_t creator;          /* 0 when there is none */
        char *creator_id, *creator_name;
        char *source;
        int64_t created_at;
};
void store_group_clear(struct store_group *group);
#define auto_store_group CLEANUP(store_group_clear) struct store_group

/* Borrowed strings. */
struct store_group_new {
        const char *id, *name, *source;
        bool is_name_generated;
        int64_t environment, creator, created_at;
};

MUST_CHECK bool store_group_add(struct store_db *db, const struct store_group_new *group, struct error *error);
MUST_CHECK bool store_group_find(struct store_db *db, const char *id, struct store_group *group, bool *is_found,
                                 struct error *error);
MUST_CHECK bool store_group_rename(struct store_db *db, int64_t rid, const char *name, struct error *error);
/* Makes the task the group's next variant; *index gets its place. */
MUST_CHECK bool store_group_add_variant(struct store_db *db, const char *group_id, int64_t task, int64_t *index,
                                        struct error *error);
/* Makes the task a review in the group; `mode` is "comparison" or "review". */
MUST_CHECK bool store_group_add_judge(struct store_db *db, const char *group_id, int64_t task, const char *mode,
                                      struct error *error);
/* All tasks of the group as the viewer's rows: the variants in their order, then the reviews. */
MUST_CHECK bool store_group_members(struct store_db *db, const char *group_id, int64_t viewer,
                                    struct store_tasks *members, struct error *error);
/* The reviews that are in the group or were made for it. */
MUST_CHECK bool store_group_judges(struct store_db *db, const char *group_id, int64_t viewer,
                                   struct store_tasks *judges, struct error *error);
MUST_CHECK bool store_task_mark(struct store_db *db, int64_t rid, bool is_winner, bool is_loser, struct error *error);

/* A task whose content another holds copies of, as access to it is decided on, also when it is deleted. */
struct store_source {
        char id[ID_SIZE];
        bool is_known; /* there is such a task, or a record of it */
        int64_t environment, creator;
        bool is_shared;
};
/* Records that the task holds copies of what is in the task with the id `source`, and in that one's own sources. */
MUST_CHECK bool store_task_add_source(struct store_db *db, int64_t task, const char *source, struct error *error);
/* Records that the task holds copies of all that the task `from` does. */
MUST_CHECK bool store_task_copy_sources(struct store_db *db, int64_t task, int64_t from, struct error *error);
/* The caller frees *sources. */
MUST_CHECK bool store_task_sources(struct store_db *db, int64_t task, struct store_source **sources, size_t *count,
                                   struct error *error);

#endif
