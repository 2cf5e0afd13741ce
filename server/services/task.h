/* Tasks: what the doors call. Results are new JSON documents that the caller owns, rendered for the call's actor and
 * redacted, in the shape of the reference; only their bounding is the door's. */
#ifndef SERVICES_TASK_H
#define SERVICES_TASK_H

#include "server/base/field.h"
#include "server/services/services.h"

/* The agents this server knows, NULL-ended. */
extern const char *const task_agents[];
/* The statuses of a task, NULL-ended. */
extern const char *const task_statuses[];

struct task_create_input {
        const char *environment, *instructions, *name, *agent;
        json_t *branches; /* repository name to branch */
        bool staged;
        int shared; /* -1: as the environment says */
        const char *requestId;
};
/* Makes a task with its first turn, and a launch job when a slot is free. Writes (in a piece of work). The result is
 * {taskId, name, environment, agent, status, url, isPinned, task, warnings}. With a requestId seen before: the earlier
 * outcome, rendered again, or ERROR_IDEMPOTENCY_CONFLICT. */
MUST_CHECK bool task_create(struct call *call, const struct task_create_input *input, json_t **result,
                            struct error *error);

struct task_get_input {
        const char *taskId;
        int64_t latestResponseMaxChars;
        bool fullLatestResponse, includeLatestResponse, includeSummary, includeOutput;
        int64_t outputMaxChars;
};
/* The task object with latestResponse, summary fields, failure and output as asked for. Reads. */
MUST_CHECK bool task_get(struct call *call, const struct task_get_input *input, json_t **result, struct error *error);

struct task_output_input {
        const char *taskId;
        struct field_strings include;
};
/* The sections of get_task_output. Reads. */
MUST_CHECK bool task_output(struct call *call, const struct task_output_input *input, json_t **result,
                            struct error *error);

struct task_file_input {
        const char *taskId, *path;
        int64_t offset, maxBytes;
};
/* One page of a file under /task-output. Reads. */
MUST_CHECK bool task_file_read(struct call *call, const struct task_file_input *input, json_t **result,
                               struct error *error);

struct task_list_input {
        const char *environment, *status, *groupId, *cursor;
        bool createdByMe, createdByMyTeams, includeSnoozed;
        int pinned; /* -1: both */
        int64_t limit, offset;
};
/* {tasks, total, totalAtLeast?, nextOffset, nextCursor}. Reads. */
MUST_CHECK bool task_list(struct call *call, const struct task_list_input *input, json_t **result, struct error *error);

struct task_follow_up_input {
        const char *taskId;
        const char *instructions; /* NULL: a staged task starts as it was staged */
        const char *idempotencyKey;
};
/* Continues a finished or staged task; a busy one is ERROR_TASK_BUSY. Writes (in a piece of work). The result is
 * {taskId, status, turn, followUpCount, url, task} with the ordinal of the turn. */
MUST_CHECK bool task_follow_up(struct call *call, const struct task_follow_up_input *input, json_t **result,
                               struct error *error);

struct task_stop_input {
        const char *taskId;
};
/* Ends the current turn and stops the container. Blocks (seconds, bounded): on a worker thread, `call->db` a reader.
 * The result is {taskId, status, accepted, stopped}: `accepted` says that the request stands, `stopped` that nothing
 * runs. */
MUST_CHECK bool task_stop(struct call *call, const struct task_stop_input *input, json_t **result, struct error *error);

struct task_interrupt_input {
        const char *taskId;
        const char *queue; /* pause or send_queued */
};
/* Ends the current turn and leaves the container running. Blocks as task_stop does. The result is
 * {taskId, status, accepted, interrupted}. */
MUST_CHECK bool task_interrupt(struct call *call, const struct task_interrupt_input *input, json_t **result,
                               struct error *error);

#endif
