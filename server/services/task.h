/* Tasks: what the doors call. Results are new JSON documents that the caller owns, rendered for the call's actor and
 * redacted, in the shape of the reference; only their bounding is the door's. */
#ifndef SERVICES_TASK_H
#define SERVICES_TASK_H

#include "server/base/field.h"
#include "server/base/secret.h"
#include "server/services/environment.h"
#include "server/services/services.h"
#include "server/services/upload.h"

/* Agents that one call may name: each known one, and each that an environment may define. */
#define TASK_AGENTS_MAXIMUM (7 + ENVIRONMENT_AGENTS_MAXIMUM)

/* The statuses of a task, NULL-ended. */
extern const char *const task_statuses[];

/* What had to be done before a submission's piece of work, because it takes time: files written, a template read. */
struct task_prepared {
        struct upload *uploads[TASK_AGENTS_MAXIMUM]; /* one for each task; NULL: no files */

        char *rendered;                        /* the template's instructions; NULL: no template */
        bool is_attached;                      /* a turn refers to the files, once its piece of work is committed */
        uint8_t fingerprint[SECRET_HASH_SIZE]; /* of the arguments, for the receipt */
        bool is_pulled;                        /* upstream changes are in the workspace */
};

struct task_create_input {
        const char *environment, *instructions, *name, *agent, *template, *model, *reasoningEffort, *speed;
        const char *groupId, *sourceTaskId;
        struct field_strings agents; /* several: as many tasks in one group */
        json_t *branches;            /* repository name to branch */
        json_t *parameters;          /* of the template: name to value */
        bool staged;
        int shared;                          /* -1: as the environment says */
        struct field_objects attachments;    /* struct attachment_input */
        const struct handoff_input *handoff; /* NULL: none */
        const char *requestId;
        struct task_prepared *prepared; /* by task_create_prepare */
};
/* Whether task_create_prepare must be called first. */
bool task_create_is_prepared_first(const struct task_create_input *input);
/* Writes attachments and handoff to disk and renders the template. Blocks; `call->db` is a reader. Whatever the
 * outcome, task_prepared_free follows. */
MUST_CHECK bool task_create_prepare(struct call *call, struct task_create_input *input, struct error *error);
/* `is_done` says that the piece of work was committed. Files that no turn took are removed. NULL is nothing. */
void task_prepared_free(const struct services *services, struct task_prepared *prepared, bool is_done);
/* Makes a task with its first turn, and a launch job when a slot is free; or as many as there are agents, in a group
 * that is new, named, or the source task's, all or none. Writes (in a piece of work). The result is {taskId, name,
 * environment, agent, status, url, isPinned, task, warnings}, with groups {groupId, groupUrl, agents, taskIds, tasks,
 * sourceTaskId?, promotedTaskId?} too, and without what is of one task when there are several. With a requestId seen
 * before: the earlier outcome, rendered again, or ERROR_IDEMPOTENCY_CONFLICT. */
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

struct task_copy_input {
        const char *taskId, *path;
};
/* A file under /task-output as it may leave the server, whole: a nameless copy, at its start, in which managed values
 * are masked, so that byte ranges of it are exact. Sets *size; -1 on error. Blocks as long as copying takes.
 * ERROR_TOO_LARGE beyond TASK_COPY_MAXIMUM bytes. */
int task_file_copy(struct call *call, const struct task_copy_input *input, int64_t *size, struct error *error);
#define TASK_COPY_MAXIMUM (INT64_C(1) << 30)

struct task_list_input {
        const char *environment, *status, *groupId, *cursor;
        bool createdByMe, createdByMyTeams, includeSnoozed;
        int pinned; /* -1: both */
        int64_t limit, offset;
};
/* {tasks, total, totalAtLeast?, nextOffset, nextCursor}. Reads. */
MUST_CHECK bool task_list(struct call *call, const struct task_list_input *input, json_t **result, struct error *error);

struct task_follow_up_input {
        const char *taskId, *instructions, *idempotencyKey, *model, *reasoningEffort, *speed, *deliverAt,
                *expectedStatus;
        bool queueIfBusy, pullLatest;
        int64_t deliverInMinutes;         /* 0: not given */
        struct field_objects attachments; /* struct attachment_input */
        struct task_prepared *prepared;   /* by task_follow_up_prepare */
};
bool task_follow_up_is_prepared_first(const struct task_follow_up_input *input);
/* As task_create_prepare. */
MUST_CHECK bool task_follow_up_prepare(struct call *call, struct task_follow_up_input *input, struct error *error);
/* Continues a finished or staged task with a new turn; a busy one is ERROR_TASK_BUSY, unless the follow-up may be
 * queued or is for later (see follow_up.h for what is refused then). A model, effort or speed that is given holds from
 * this turn on. Writes (in a piece of work). The result is {taskId, status, turnIndex, followUpCount, url, task} and
 * {queued, queuedFollowUpId, position} or {scheduled, scheduledFollowUpId, deliverAt, followUpState}. */
MUST_CHECK bool task_follow_up(struct call *call, const struct task_follow_up_input *input, json_t **result,
                               struct error *error);

struct task_rename_input {
        const char *taskId, *name, *scope; /* group (NULL) or task */
};
/* Names a task and, unless the scope is task, all others of its group. Writes (in a piece of work). The result is
 * {renamedTaskIds, previousNames, newNames, previousNameSources, scope, task, tasks?, groupId?, note?}. */
MUST_CHECK bool task_rename(struct call *call, const struct task_rename_input *input, json_t **result,
                            struct error *error);

struct task_share_input {
        const char *taskId;
        bool shared;
};
/* Lets others who may see the environment's tasks see this one, or nobody but its creator. Writes. The result is the
 * task object. */
MUST_CHECK bool task_share(struct call *call, const struct task_share_input *input, json_t **result,
                           struct error *error);

struct task_start_input {
        const char *taskId;
};
/* Starts a staged task as it was staged. Writes. The result is the task object. */
MUST_CHECK bool task_start(struct call *call, const struct task_start_input *input, json_t **result,
                           struct error *error);

struct task_delete_input {
        const char *taskId;
};
/* Deletes a task that does not run: its container, files and rows; a record that access is decided on stays. Blocks,
 * with `call->db` a reader. The result is {taskId, deleted}. ERROR_TASK_BUSY while it runs or waits. */
MUST_CHECK bool task_delete(struct call *call, const struct task_delete_input *input, json_t **result,
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
