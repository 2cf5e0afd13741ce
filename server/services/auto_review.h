/* Reviews that an environment's settings ask for: of every group of variants once all of them are finished, and of
 * every task that stands alone once it is. Each is asked for once; what refuses it is kept with it and not tried again.
 * Judges and orchestrators are left out. */
#ifndef SERVICES_AUTO_REVIEW_H
#define SERVICES_AUTO_REVIEW_H

#include "server/services/environment.h"
#include "server/store/task.h"

/* Whether the settings may ask for a review of the task. */
bool auto_review_applies(const struct services *services, const struct store_task *task);
/* Asks for it when the time has come: leaves a request (judge_pending.h). Not for the writer thread. */
MUST_CHECK bool auto_review_advance(struct services *services, struct store_db *db, int64_t task, struct error *error);

#endif
