/* What create_task made, as its receipt keeps it and as it is told. */
#ifndef SERVICES_TASK_CREATED_H
#define SERVICES_TASK_CREATED_H

#include "server/services/services.h"

/* A task's id, or of more than that a JSON object {groupId, taskIds, sourceTaskId?, promotedTaskId?, inherited?}. */

/* The result for the call's actor as things are now. A retry may come after access was lost: the source must still be
 * seen (ERROR_TASK_NOT_FOUND), and tasks that are not are left out. */
MUST_CHECK bool task_created_render(struct call *call, const char *outcome, json_t **result, struct error *error);

#endif
