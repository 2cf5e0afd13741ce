/* Slots: how many tasks may run at once, and who gets one (admission.h). Every start of a turn passes here; waiting
 * holds nothing. All of it happens in
 * pieces of work, so that two starts never take one slot. */
#ifndef SERVICES_SLOT_H
#define SERVICES_SLOT_H

#include "server/services/services.h"
#include "server/store/task.h"

/* Starts a turn that is staged, waiting or new: the task goes behind those that wait for a slot, and what is free goes
 * to whose turn it is. *status is what became of the task: running, with a launch job, or queued.
 * ERROR_TASK_BUSY when the task runs. */
MUST_CHECK bool slot_start(const struct services *services, struct store_db *db, int64_t task, int64_t turn,
                           int follow_ups, int64_t now, const char **status, struct error *error);
/* Gives slots that are free to tasks that wait. */
MUST_CHECK bool slot_fill(const struct services *services, struct store_db *db, int64_t now, struct error *error);

/* Why a queued task waits: {reason, message, until}; `until` is null when that cannot be told. Reads. */
MUST_CHECK bool slot_explain(struct call *call, const struct store_task *task, json_t **reason, struct error *error);

#endif
