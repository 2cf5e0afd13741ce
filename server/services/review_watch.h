/* When reviews go on: whatever may let a request or a loop take its next step says so here, in the piece of work in
 * which it happens, and leaves a job that looks. Nothing is asked for at intervals. */
#ifndef SERVICES_REVIEW_WATCH_H
#define SERVICES_REVIEW_WATCH_H

#include "server/services/services.h"
#include "server/store/task.h"

/* The task's queue or marks have changed, or a request or loop about it was made. In a piece of work. */
MUST_CHECK bool review_look(struct store_db *db, int64_t task, const char *task_id, struct error *error);
/* A turn of the task has ended. In a piece of work, behind whatever else that brings. */
MUST_CHECK bool review_after_turn(const struct services *services, struct store_db *db, const struct store_task *task,
                                  struct error *error);
/* The task is about to be deleted. In a piece of work. */
MUST_CHECK bool review_task_gone(struct store_db *db, const struct store_task *task, int64_t now, struct error *error);
/* Has everything that is open looked at, at the start of the server. */
void review_take_up(const struct services *services, struct store_db *db);

#endif
