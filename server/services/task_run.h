/* Runs in a task's container beside its turns: named tests and the application server (server/store/task_run.h).
 *
 * A run's row precedes it. Whatever becomes of the server, the runner in the container goes on with it and records its
 * end; what a killed server had not begun is ended as never begun, and nothing is begun twice. What it printed lies in
 * the task's records, where only the services read it. */
#ifndef SERVICES_TASK_RUN_H
#define SERVICES_TASK_RUN_H

#include "docker/runner/message.h"
#include "server/services/environment.h"
#include "server/services/services.h"
#include "server/store/task.h"
#include "server/store/task_run.h"

#define TASK_RUN_TEST "test"
#define TASK_RUN_APP "app"
/* Kept for each task and kind, once they have ended, and for how long. */
#define TASK_RUNS_KEPT 100
#define TASK_RUN_DAYS 30

/* What is to be run. Borrowed. */
struct task_run_order {
        const struct store_task *task;
        const struct environment *environment;
        const char *kind, *name;                 /* name: of a test, else "" */
        const char *command;                     /* for sh -c */
        const struct runner_variable *variables; /* besides, and over, the environment's */
        size_t variable_count;
        int64_t time_limit; /* ms, 0: none */
        int64_t port;       /* of an application server */
        /* Within the piece of work that adds the run; may be NULL. Whether it may still be started. */
        bool (*check)(struct store_db *db, void *context, struct error *error);
        void *context;
};

/* Starts it, and the container when that does not run. The caller holds the task; blocks, `call->db` is a reader. *run
 * is the caller's to clear, in any case. ERROR_TASK_BUSY while a turn is being launched; ERROR_CONFLICT when one of the
 * kind and name runs. */
MUST_CHECK bool task_run_start(struct call *call, const struct task_run_order *order, struct store_task_run *run,
                               struct error *error);
/* Asks for its end: TERM to its whole tree, KILL after the grace. */
MUST_CHECK bool task_run_stop(const struct services *services, const struct store_task_run *run, struct error *error);
/* Reads a run anew until it has ended, or (`is_ready_enough`) answers, at most until the time `until` of
 * clock_monotonic.
 */
MUST_CHECK bool task_run_wait(struct call *call, int64_t rid, bool is_ready_enough, int64_t until,
                              struct store_task_run *run, struct error *error);

/* Where its output lies; on the heap. */
char *task_run_log(const struct services *services, const struct store_task_run *run);
/* Whether an application server answers now: `path` as in struct environment_readiness. Takes at most a second. */
bool task_run_answers(const struct services *services, const char *task_id, int64_t port, const char *path);

/* Removes what is behind the newest ended ones of the run's task and kind. */
void task_run_keep_newest(const struct services *services, struct store_db *db, const struct store_task_run *run);
/* Removes what is kept no longer: rows and output. */
void task_run_expire(const struct services *services, struct store_db *db, int64_t now);

#endif
