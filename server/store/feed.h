/* The ordered record of what happened to tasks (the table task_changes, which triggers write). */
#ifndef STORE_FEED_H
#define STORE_FEED_H

#include "server/base/id.h"
#include "server/store/task.h"

#define STORE_CHANGE_KIND_SIZE 16

struct store_change {
        int64_t seq, at;
        char kind[STORE_CHANGE_KIND_SIZE]; /* created, staged, queued, started, ended, renamed, shared, unshared,
                                              grouped, pinned, marked, commented, reviewed,
                                              follow_ups, deleted */
        char task_id[ID_SIZE];
        /* Who could see it: as a task that is gone would be judged. */
        int64_t environment, creator;
        bool is_shared;
        int64_t audience; /* the only user who is told of it; 0: whoever may see the task */
};

/* Records that a task was made; every other change records itself. */
MUST_CHECK bool store_change_add_created(struct store_db *db, const struct store_task_new *task, struct error *error);
/* The changes behind `after`, oldest first, at most `capacity`. */
MUST_CHECK bool store_change_list(struct store_db *db, int64_t after, struct store_change *changes, size_t capacity,
                                  size_t *count, struct error *error);
/* The numbers of the oldest and the newest that are kept; 0 when there are none. */
MUST_CHECK bool store_change_range(struct store_db *db, int64_t *oldest, int64_t *newest, struct error *error);
/* Deletes of the oldest `batch` those that were before `before` (ms) or are not among the newest `kept`; the newest of
 * all stays, so that numbers are not given twice. */
MUST_CHECK bool store_change_prune(struct store_db *db, int64_t kept, int64_t before, int64_t batch, int *deleted,
                                   struct error *error);

#endif
