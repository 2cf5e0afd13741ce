/* Names of tasks that were given none. */
#ifndef SERVICES_TASK_NAME_H
#define SERVICES_TASK_NAME_H

#include "server/services/services.h"

#define TASK_NAME_MAXIMUM 120

/* A name from the first line of what a task in the environment is to do, without what is secret; NULL in *name when the
 * text has none. The caller frees it. */
MUST_CHECK bool task_name_derive(struct call *call, int64_t environment, const char *text, char **name,
                                 struct error *error);

#endif
