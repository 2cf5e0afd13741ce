/* What a list of tasks or groups may show whom. */
#ifndef SERVICES_TASK_FILTER_H
#define SERVICES_TASK_FILTER_H

#include "server/services/services.h"
#include "server/store/task_list.h"

/* Narrows to what the actor may see, of one environment when its rid is not 0. `rids` is room for twice the grants'
 * environments and one more; the filter borrows it. */
void task_filter_set_visibility(const struct actor *actor, int64_t environment, struct store_task_filter *filter,
                                int64_t *rids);
/* The rid of the environment of that name, in which the actor may see tasks. ERROR_ENVIRONMENT_NOT_FOUND,
 * ERROR_PERMISSION_DENIED. */
MUST_CHECK bool task_filter_environment(struct call *call, const char *name, int64_t *rid, struct error *error);

#endif
