/* Forks: a task that begins as a copy of another, with its conversation, workspace and output, and goes its own way. */
#ifndef SERVICES_FORK_H
#define SERVICES_FORK_H

#include "server/services/services.h"

struct task_fork_input {
        const char *taskId, *name, *instructions, *requestId;
};
/* Copies a task that is not at work. With instructions the copy starts at once. Blocks as long as copying takes, with
 * `call->db` a reader. The result is that of a creation, with {sourceTaskId}. ERROR_TASK_BUSY, ERROR_TASK_SOURCE_BUSY,
 * ERROR_CONFLICT for a staged one. */
MUST_CHECK bool task_fork(struct call *call, const struct task_fork_input *input, json_t **result, struct error *error);

#endif
