/* Slots: how many tasks may run at once. Every start of a turn passes here; waiting holds nothing. All of it happens in
 * pieces of work, so that two starts never take one slot. */
#ifndef SERVICES_SLOT_H
#define SERVICES_SLOT_H

#include "server/services/services.h"

/* Starts a turn that is staged, waiting or new: the task goes behind those that wait for a slot, and whoever waits
 * longest gets what is free. *status is what became of the task: running, with a launch job, or queued.
 * ERROR_TASK_BUSY when the task runs. */
MUST_CHECK bool slot_start(struct store_db *db, int64_t task, int64_t turn, int follow_ups, int64_t now,
                           const char **status, struct error *error);
/* Gives slots that are free to the tasks that wait longest. */
MUST_CHECK bool slot_fill(struct store_db *db, int64_t now, struct error *error);

#endif
