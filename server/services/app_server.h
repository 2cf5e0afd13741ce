/* The application server of a task: a command of its environment that is started, stopped and looked at by people. */
#ifndef SERVICES_APP_SERVER_H
#define SERVICES_APP_SERVER_H

#include "server/services/services.h"
#include "server/store/task.h"
#include "server/store/task_run.h"

/* What it is found doing, NULL-ended: stopped (never started, or ended by somebody or with its container), exited
 * (ended by itself), starting, unready (it has taken longer to answer than it may) and running. */
extern const char *const app_server_statuses[];

struct app_server_input {
        const char *taskId;
};
struct app_server_change_input {
        const char *taskId;
        const char *expectedStatus; /* as it was read */
};
struct app_server_log_input {
        const char *taskId;
        int64_t maxChars;
};

/* {taskId, status, configured, port, portAvailable, runId, startedAt, readyAt, endedAt, exitCode, reason, message}.
 * Starts nothing. Reads; asks the container, so not on a thread that must not wait. */
MUST_CHECK bool app_server_status(struct call *call, const struct app_server_input *input, json_t **result,
                                  struct error *error);
/* {taskId, status, runId, content, omitted, truncated, redacted}. Reads. */
MUST_CHECK bool app_server_logs(struct call *call, const struct app_server_log_input *input, json_t **result,
                                struct error *error);
/* Each answers as app_server_status does, and is ERROR_APP_SERVER_STATE, with {expectedStatus, status}, when it is in
 * another state than expected, or in one in which this cannot be done. They block (seconds, bounded): `call->db` is a
 * reader. ERROR_APP_SERVER_NONE, ERROR_TASK_SOURCE_BUSY, ERROR_TASK_BUSY. */
MUST_CHECK bool app_server_start(struct call *call, const struct app_server_change_input *input, json_t **result,
                                 struct error *error);
MUST_CHECK bool app_server_stop(struct call *call, const struct app_server_change_input *input, json_t **result,
                                struct error *error);
MUST_CHECK bool app_server_restart(struct call *call, const struct app_server_change_input *input, json_t **result,
                                   struct error *error);

/* What was found. Owns the run. */
struct app_server_look {
        struct store_task_run run; /* the latest; its rid is 0 when there never was one */
        const char *status;
        bool is_alive;    /* its process runs, as far as can be told */
        bool is_recorded; /* the store knows as much: otherwise the run's end is what the runner says */
};
void app_server_look_clear(struct app_server_look *look);
#define auto_app_server_look CLEANUP(app_server_look_clear) struct app_server_look
MUST_CHECK bool app_server_look(const struct services *services, struct store_db *db, const struct store_task *task,
                                struct app_server_look *look, struct error *error);

#endif
