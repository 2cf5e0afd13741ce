/* Pulling: upstream changes come into a task's workspace.
 *
 * The server brings its mirror of each remote up to date and writes what is new as a bundle, which the git program in
 * the container pulls from, as the agent's user, in a run of its own. So the credentials of a remote never come near a
 * container, and whatever the workspace's git is made to do by its configuration it does without them, and without the
 * network. A pull rebases, stashing what was changed; where that would flatten merges that were not pushed it merges. A
 * repository that conflicts is put back as it was. */
#ifndef SERVICES_PULL_H
#define SERVICES_PULL_H

#include "server/services/services.h"
#include "server/store/task.h"

struct environment;

/* What came of it. Owns `repos`: an array of {repository, status, branch, before, after, method, files, message} with
 * the statuses updated, up_to_date, conflict and failed. */
struct pull_report {
        json_t *repos;
        bool is_conflict, is_failed;
};
void pull_report_clear(struct pull_report *report);
#define auto_pull_report CLEANUP(pull_report_clear) struct pull_report

/* Pulls every repository of the environment, in the container that runs. The task is locked by the caller. `call`, if
 * it is not NULL, is told of the progress. False when nothing could be pulled at all: the engine is gone, the server
 * stops. Blocks for as long as it takes. */
MUST_CHECK bool pull_repositories(const struct services *services, const struct store_task *task,
                                  const struct environment *environment, const struct call *call,
                                  struct pull_report *report, struct error *error);
/* Waits for pulls of an earlier process that still run in the container, and has them ended if they do not. */
MUST_CHECK bool pull_settle(const struct services *services, const char *task_id, struct error *error);
/* Starts the container if it is stopped, and pulls; not when the task works: *is_pulled. ERROR_PULL_CONFLICT,
 * ERROR_PULL_FAILED with {repos}, ERROR_TASK_SOURCE_BUSY when something else holds the task. Blocks. */
MUST_CHECK bool pull_before_turn(const struct services *services, struct store_db *db, int64_t task, bool *is_pulled,
                                 struct error *error);
/* The error that a report amounts to; true when all is well. Takes the repos over. */
MUST_CHECK bool pull_report_check(struct pull_report *report, struct error *error);

struct task_pull_input {
        const char *taskId;
};
/* {taskId, success, error, repos}. ERROR_TASK_BUSY, ERROR_TASK_SOURCE_BUSY, ERROR_CONTAINER_NOT_RUNNING. Blocks. */
MUST_CHECK bool task_pull(struct call *call, const struct task_pull_input *input, json_t **result, struct error *error);

#endif
