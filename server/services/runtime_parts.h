/* Internal to the runtime: its state, and what its parts offer each other. */
#ifndef SERVICES_RUNTIME_PARTS_H
#define SERVICES_RUNTIME_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "docker/container.h"
#include "docker/runner/message.h"
#include "server/base/pool.h"
#include "server/services/agent.h"
#include "server/services/environment.h"
#include "server/services/runtime.h"
#include "server/services/stream_summary.h"
#include "server/store/turn.h"
#include "server/store/work.h"

#define LABEL_TASK "longshore.task"
#define LABEL_SHAPE "longshore.shape"

struct follower;
struct scheduler;

/* A growing set of numbers under the runtime's mutex. */
struct number_set {
        int64_t *items;
        size_t count;
};
bool number_set_has(const struct number_set *set, int64_t number);
void number_set_add(struct number_set *set, int64_t number);
void number_set_remove(struct number_set *set, int64_t number);

/* How long things may take, in milliseconds. */
struct runtime_times {
        int64_t minute;   /* of a turn's time limit, which is told in minutes */
        int64_t retry;    /* before the first new try of a job; twice as long before each further one */
        int64_t claim;    /* until a live runner has taken up what it was asked for */
        int64_t overdue;  /* behind the time limit, until a supervisor that has not ended its run is taken for hung */
        int64_t given_up; /* behind that, until a turn that no engine can be asked about is given up */
        int64_t earlier;  /* at most until a job of an earlier process is taken up */
};
/* What a runtime starts with; tests make them shorter. */
extern struct runtime_times runtime_times;

struct runtime {
        struct services *services;
        struct pool *pool;      /* launches and retention: they may take long, and wait for others */
        struct pool *end_pool;  /* everything about ends, which must never wait for a launch */
        struct pool *turn_pool; /* the ends of turns that ran, which take as long as saving their changes does */
        char *server_id;        /* of this store, in the labels of its containers */
        char *server_label;     /* "longshore.server=ID" */
        char *container_suffix; /* of container names: empty, but for a copy, whose original may have its own */
        char *runner_path;      /* the versioned copy */
        struct runtime_times times;
        int stop_event; /* eventfd: readable once the runtime stops */
        atomic_bool is_stopping, is_retaining;
        atomic_int_least64_t clock_set_at; /* wall clock, when it was set last while we ran; 0: never */

        pthread_mutex_t mutex;
        pthread_cond_t changed; /* a job was added or ended, a turn ended, a task was unlocked */
        uint64_t wakes;         /* counts these */
        struct number_set jobs_running, tasks_locked;
        struct number_set tasks_put_away;  /* by retention, just now */
        struct number_set requests;        /* that are being worked on */
        struct number_set turns_requested; /* launches that are past the point up to which a stop ends them at once */
        struct number_set turns_ending;

        pthread_t engine_thread;
        struct follower *follower;
        struct run_watch *run_watch;
        struct scheduler *scheduler;
};

/* How a turn ended, as the store and the task's readers are told. */
struct turn_outcome {
        const char *task_status; /* completed, failed, interrupted */
        const char *type;
        bool has_exit_code;
        int64_t exit_code, signal;
        const char *stage, *category; /* NULL when it did not fail */
        char message[RUNNER_MESSAGE_SIZE];
        const char *words; /* the agent's own, instead of `message`; borrowed */
        bool is_untold;    /* its prompt has reached no agent */
        int64_t ended_at;
};

/* task_lock.c */
void number_set_lock(struct runtime *runtime, struct number_set *set, int64_t number);
void number_set_unlock(struct runtime *runtime, struct number_set *set, int64_t number);
/* Wakes everybody who waits for something of the runtime. */
void job_wake(void *runtime);
/* How often the runtime was woken, for runtime_sleep: to be taken before looking at what is waited for. */
uint64_t runtime_wakes(struct runtime *runtime);
/* Sleeps until the runtime was woken since `seen`; false when `until` (clock_monotonic) has come or it stops. */
bool runtime_sleep(struct runtime *runtime, uint64_t seen, int64_t until);

/* jobs.c */
/* Hands a due job to its pool, unless it runs already or its task is held. */
void job_submit(struct runtime *runtime, const struct store_job *job);
/* Ends a job's row, or puts it off: after 1, 2, 4... seconds, at most `maximum_ms`. False when the store fails. */
bool job_drop(struct runtime *runtime, const struct store_job *job);
bool job_put_off(struct runtime *runtime, const struct store_job *job, int64_t maximum_ms);
/* Has a turn looked at (reconcile_turn) after `delay_ms`. */
MUST_CHECK bool job_check_later(struct runtime *runtime, int64_t task, int64_t turn, int64_t delay_ms,
                                struct error *error);

/* scheduler.c: the one thread that owns every timer. NULL on error. */
struct scheduler *scheduler_new(struct runtime *runtime, struct error *error);
MUST_CHECK bool scheduler_start(struct scheduler *scheduler, struct error *error);
/* Ends its thread; the runtime is stopping. */
void scheduler_stop(struct scheduler *scheduler);
void scheduler_free(struct scheduler *scheduler);
/* Something may be due, or due sooner. NULL is allowed. */
void scheduler_wake(struct scheduler *scheduler);

/* Runs a job. False when nothing could be recorded, so that it is due again at once: there is a pause then. */
typedef bool job_work(struct runtime *runtime, struct store_db *db, const struct store_job *job);
/* launch.c; with the task locked */
job_work launch_run;
/* reconcile.c: looks at a turn whose container ended, that is to be stopped, or that should have begun by now. */
job_work check_run;
/* overdue.c: ends a turn that should have ended long ago. */
job_work deadline_run;
/* container.c; with the task locked: stops the container of a task that was stopped, unless it works again. */
job_work stop_run;
/* pull.c; with the task locked: pulls, then delivers the follow-ups that asked for it, or pauses their queue. */
job_work pull_run;
/* review_watch.c: takes the reviews that the task is part of as far as they go now. */
job_work review_run;
/* Tells the prompt of this turn from now on nobody but the launch may withdraw: false once it has begun to be told. */
bool launch_is_requesting(struct runtime *runtime, int64_t turn);

/* launch_request.c */
struct turn_secrets;
struct launch_request {
        struct runtime *runtime;
        struct store_db *db;
        const struct store_task *task;
        const struct store_turn *turn;
        const struct environment *environment;
        const struct turn_secrets *secrets;
};
/* What requests the run; the text is freed by the owner of the struct. */
struct launch_message {
        char *text;
        int64_t limit_ms;
};
/* Writes the agent's configuration and the prompt, for which the task's folders must be there but no container. */
MUST_CHECK bool launch_prepare(const struct launch_request *request, struct launch_message *message,
                               struct error *error);
/* Requests the run that was prepared. */
MUST_CHECK bool launch_send(const struct services *services, const struct store_task *task,
                            const struct store_turn *turn, const struct launch_message *message, struct error *error);

/* follow.c */
struct follower *follower_start(struct runtime *runtime, struct error *error);
/* Ends its thread; attaching goes on, unserved. */
void follower_stop(struct follower *follower);
void follower_free(struct follower *follower);
/* Follows a running turn until its exit record appears, then ends it; one that is followed already is looked at again.
 * The follower alone ends running turns, so that nothing is taken up twice. A turn that does not run is left alone. */
MUST_CHECK bool follower_attach(struct follower *follower, int64_t turn, struct error *error);
/* Ends a running turn that has no exit record and will get none. */
MUST_CHECK bool follower_end(struct follower *follower, int64_t turn, const struct turn_outcome *outcome,
                             struct error *error);

/* turn_end.c: takes up the last of the output and ends a turn that nobody follows; false when it could not be recorded
 * (it is to be tried again). A turn that has ended is success. */
MUST_CHECK bool turn_end(struct runtime *runtime, const struct store_turn *turn, const struct turn_outcome *outcome,
                         struct error *error);
/* Removes what the turn was given from the disk. With the task locked, or before the turn's end is recorded: what a
 * later one is given would go too. */
void turn_remove_secrets(const struct services *services, const struct store_turn *turn);
/* turn_outcome.c */
void turn_outcome_of_exit(const struct runner_exit *exit, struct turn_outcome *outcome);
/* An outcome of our own finding; `stage` is launch or agent. */
PRINTF_LIKE(5, 6)
void turn_outcome_of_failure(struct turn_outcome *outcome, const char *status, const char *type, const char *stage,
                             const char *message, ...);
/* What the agent told of itself: a failure that came with a good exit code, or what explains a bad one; `tells_end`: an
 * agent that did not say that the turn is over has not finished it. Borrows from the summary. */
void turn_outcome_of_stream(struct turn_outcome *outcome, const struct stream_summary *summary, bool tells_end);
/* Why it failed; NULL when it did not. */
const char *turn_outcome_message(const struct turn_outcome *outcome);
/* A turn that was ended, as its stop_kind says, before its prompt was told. */
void turn_outcome_of_stop(struct turn_outcome *outcome, const struct store_turn *turn);

/* reconcile.c: finds out what became of an unfinished turn: re-attaches it, ends it, or leaves it when the engine
 * cannot be asked. *is_open says that it is to be looked at again: it is being launched. */
MUST_CHECK bool reconcile_turn(struct runtime *runtime, struct store_db *db, int64_t turn, bool *is_open,
                               struct error *error);
/* Takes up all running turns without asking the engine. */
void reconcile_attach_all(struct runtime *runtime, struct store_db *db);
/* Looks at all unfinished turns; run when the engine has come back. Orphans of ours are removed. */
void reconcile_all(struct runtime *runtime, struct store_db *db);
/* restored.c: at the first start of a restored store, before anything is launched, ends all turns that were open in the
 * backup: they are the original's, which may have gone on with them. Sets the suffix of container names. */
MUST_CHECK bool restored_settle(struct runtime *runtime, struct error *error);
/* Ends a turn whose container does not run (`container` is NULL when it is gone) and that will get no exit record. */
MUST_CHECK bool reconcile_lost(struct runtime *runtime, struct store_db *db, const struct store_turn *turn,
                               const struct docker_container_state *container, struct error *error);
/* stop.c: tells the runner that somebody asked for the end of the turn, or takes the request back when no runner has
 * seen it: *is_withdrawn. */
MUST_CHECK bool turn_signal(struct runtime *runtime, const struct store_turn *turn, bool *is_withdrawn,
                            struct error *error);
/* engine_watch.c */
void *engine_loop(void *runtime);

/* container.c */
/* The name that the task's container has or gets. */
char *container_name(const struct runtime *runtime, const char *task_id);
/* Looks at the task's container. What has its name and is not ours is not there. `state` is to be cleared. */
MUST_CHECK bool container_look(struct runtime *runtime, const char *task_id, struct docker_container_state *state,
                               bool *is_there, struct error *error);
/* Ends the container's processes, by force where it must be. */
MUST_CHECK bool container_end(struct runtime *runtime, const char *id, int grace_s, struct error *error);
struct meanwhile {
        bool (*run)(void *context, struct error *error);
        void *context;
};
/* Makes and starts the task's container when it does not run, anew when it is not as the environment says now. What is
 * to be done once the task's folders are there (NULL: nothing) is done while the engine starts a new container. */
MUST_CHECK bool container_ensure(struct runtime *runtime, struct store_db *db, const struct store_task *task,
                                 const struct environment *environment, const struct meanwhile *meanwhile,
                                 struct error *error);
/* Stops the container of a task that does not work, if there is one that runs. With the task locked. */
MUST_CHECK bool container_stop(struct runtime *runtime, struct store_db *db, int64_t task, const char *task_id,
                               struct error *error);
/* Removes it. */
MUST_CHECK bool container_remove(struct runtime *runtime, int64_t task, const char *task_id, struct error *error);
/* Whether the engine may answer the next time. */
bool engine_error_is_passing(enum error_code code);

/* workspace.c */
/* The branch that the task chose, else the environment's, else NULL for the remote's default. */
const char *workspace_branch(const json_t *chosen, const struct environment_repository *repository);
/* Makes the task's workspace when it is not there. */
MUST_CHECK bool workspace_ensure(struct runtime *runtime, struct store_db *db, const struct store_task *task,
                                 const struct environment *environment, struct error *error);
/* The next turn has been told that it was made again (workspace_is_renewed). */
void workspace_renewal_told(const struct services *services, const char *task_id);
/* Removes it. With the task locked. */
MUST_CHECK bool workspace_remove(struct runtime *runtime, int64_t task, const char *task_id, struct error *error);

/* Runs a piece of work that needs nothing but its numbers. */
#define RUNTIME_WRITE(runtime, work, context, error) store_write((runtime)->services->store, work, context, error)

/* retention.c: tells what retention would do at the time `at`, if nothing else happened until then; `action` is stop or
 * remove, the resource is borrowed; of what is no container or workspace it has the kind, the handle and perhaps the id
 * of a task. */
typedef void retention_told(const struct store_resource *resource, const char *action, void *context);
MUST_CHECK bool retention_due(const struct services *services, struct store_db *db, int64_t at, retention_told *told,
                              void *context, struct error *error);
/* unused.c: the same for what nothing names any more, and its removal. */
MUST_CHECK bool unused_due(const struct services *services, struct store_db *db, int64_t at, retention_told *told,
                           void *context, struct error *error);
void unused_remove(const struct services *services, struct store_db *db, int64_t now);

#endif
