/* Forks in the store: a task that begins as a copy of another, as that was after one of its turns. */
#ifndef STORE_FORK_H
#define STORE_FORK_H

#include "server/store/task.h"

struct store_fork {
        const struct store_task *source; /* as it was when its files were copied */
        int64_t ordinal;                 /* of its last turn then */
        int64_t forked_by, now;
};

/* Fills the task, which was just added, with the conversation of the source up to the ordinal, and what its state says
 * of the last turn; the usage of those turns stays the source's. Records where it comes from. */
MUST_CHECK bool store_fork_fill(struct store_db *db, int64_t task, const struct store_fork *fork, struct error *error);
/* The id of the task that this one was copied from, NULL when it is no copy. The caller frees it. */
MUST_CHECK bool store_fork_source(struct store_db *db, int64_t task, char **source_id, struct error *error);

#endif
