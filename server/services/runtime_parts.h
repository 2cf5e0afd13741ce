/* Internal to the runtime: its state, and what its parts offer each other. */
#ifndef SERVICES_RUNTIME_PARTS_H
#define SERVICES_RUNTIME_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "docker/runner/message.h"
#include "server/base/pool.h"
#include "server/services/agent.h"
#include "server/services/environment.h"
#include "server/services/runtime.h"
#include "server/store/turn.h"
#include "server/store/work.h"

#define LABEL_SERVER "longshore.server"
#define LABEL_TASK "longshore.task"

struct follower;

/* A growing set of numbers under the runtime's mutex. */
struct number_set {
        int64_t *items;
        size_t count;
};
bool number_set_has(const struct number_set *set, int64_t number);
void number_set_add(struct number_set *set, int64_t number);
void number_set_remove(struct number_set *set, int64_t number);

struct runtime {
        struct services *services;
        struct pool *pool;
        char *server_id;    /* of this store, in the labels of its containers */
        char *server_label; /* "longshore.server=ID" */
        char *runner_path;  /* the versioned copy */
        int stop_event;     /* eventfd: readable once the runtime stops */
        atomic_bool is_stopping;

        pthread_mutex_t mutex;
        pthread_cond_t changed; /* a job was added or ended, a turn ended, a task was unlocked */
        uint64_t wakes;         /* counts commits that left jobs */
        struct number_set jobs_running, tasks_locked;

        pthread_t job_thread, engine_thread;
        struct follower *follower;
};

/* How a turn ended, as the store and the task's readers are told. */
struct turn_outcome {
        const char *task_status; /* completed, failed, interrupted */
        const char *type;
        bool has_exit_code;
        int64_t exit_code, signal;
        const char *stage, *category; /* NULL when it did not fail */
        char message[RUNNER_MESSAGE_SIZE];
        int64_t ended_at;
};

/* jobs.c */
void *job_loop(void *runtime);
void job_wake(void *runtime);
/* launch.c */
void launch_run(struct runtime *runtime, struct store_db *db, const struct store_job *job);
/* follow.c */
struct follower *follower_start(struct runtime *runtime, struct error *error);
void follower_stop(struct follower *follower);
/* Follows a running turn until its exit record appears, then ends it; one that is followed already is looked at again. The
 * follower alone ends running turns, so that nothing is taken up twice. A turn that does not run is left alone. */
MUST_CHECK bool follower_attach(struct follower *follower, const struct store_turn *turn, struct error *error);
/* Ends a running turn that has no exit record and will get none. */
MUST_CHECK bool follower_end(struct follower *follower, const struct store_turn *turn, const struct turn_outcome *outcome,
                             struct error *error);
/* turn_end.c: takes up the last of the output and ends a turn that nobody follows; false when it could not be recorded
 * (it is to be tried again). A turn that has ended is success. */
MUST_CHECK bool turn_end(struct runtime *runtime, const struct store_turn *turn, const struct turn_outcome *outcome,
                         struct error *error);
void turn_outcome_of_exit(const struct runner_exit *exit, struct turn_outcome *outcome);
/* An outcome of our own finding; `stage` is launch or agent. */
PRINTF_LIKE(5, 6)
void turn_outcome_of_failure(struct turn_outcome *outcome, const char *status, const char *type, const char *stage,
                             const char *message, ...);
/* reconcile.c: finds out what became of an unfinished turn: re-attaches it, ends it, or leaves it when the engine
 * cannot be asked. */
void reconcile_turn(struct runtime *runtime, struct store_db *db, int64_t turn);
/* The same for all; run when the engine has come back. Orphans of ours are removed. */
void reconcile_all(struct runtime *runtime, struct store_db *db);
/* stop.c: tells the runner (or withdraws the request) when somebody asked for the end of the turn. */
MUST_CHECK bool turn_signal(struct runtime *runtime, const struct store_turn *turn, bool *is_withdrawn,
                            struct error *error);
/* engine_watch.c */
void *engine_loop(void *runtime);
/* container.c */
char *container_name(const char *task_id);
/* Makes and starts the task's container when it does not run. */
MUST_CHECK bool container_ensure(struct runtime *runtime, struct store_db *db, const struct store_task *task,
                                 const struct environment *environment, struct error *error);
/* workspace.c */
MUST_CHECK bool workspace_ensure(struct runtime *runtime, struct store_db *db, const struct store_task *task,
                                 const struct environment *environment, struct error *error);

/* Runs a piece of work that needs nothing but its numbers. */
#define RUNTIME_WRITE(runtime, work, context, error) store_write((runtime)->services->store, work, context, error)

#endif
