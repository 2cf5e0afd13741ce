/* Drafts: the files of a task that is not in the store yet, because making them takes long. A marker stands from before
 * the first of them until the task has its row, so that what a crash leaves is found. */
#ifndef SERVICES_TASK_DRAFT_H
#define SERVICES_TASK_DRAFT_H

#include "server/services/services.h"

/* Sets the marker and makes the task's own folder and that of all records. What an earlier process left of a draft with
 * this id is removed. */
MUST_CHECK bool task_draft_begin(const char *data_folder, const char *id, struct error *error);
/* Takes the marker away; the files too unless they are a task's now (`is_made`). */
void task_draft_end(const char *data_folder, const char *id, bool is_made);
/* Removes the drafts that an earlier process did not finish. At start. */
void task_draft_sweep(const struct services *services, struct store_db *db);

#endif
