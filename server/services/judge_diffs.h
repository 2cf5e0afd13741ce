/* The diffs that a judge is given of one variant. */
#ifndef SERVICES_JUDGE_DIFFS_H
#define SERVICES_JUDGE_DIFFS_H

#include "server/services/redact.h"

/* Writes REPOSITORY.diff into the folder for each repository in which the task's work differs, with managed values
 * replaced. A task without saved diffs has none. */
MUST_CHECK bool judge_diffs_write(const struct services *services, const struct store_task *task,
                                  const struct redactor *redactor, const char *folder, struct error *error);

#endif
