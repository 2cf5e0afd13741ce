/* Named tests and application servers of tasks in the store. */
#ifndef STORE_TASK_RUN_H
#define STORE_TASK_RUN_H

#include "server/store/store.h"

/* Owns its strings. Times are ms since the epoch, 0 for none. */
struct store_task_run {
        int64_t rid, task, environment;
        char *id, *task_id;
        char *kind;  /* test, app */
        char *name;  /* of the test, else "" */
        char *state; /* starting, running, ended */
        int64_t requested_at, started_at, ready_at, ended_at;
        char *reason; /* how it ended; NULL until then */
        bool has_exit_code;
        int64_t exit_code;
        char *message;
        int64_t port; /* of an application server */
};
void store_task_run_clear(struct store_task_run *run);
#define auto_store_task_run CLEANUP(store_task_run_clear) struct store_task_run

struct store_task_runs {
        struct store_task_run *items;
        size_t count;
};
void store_task_runs_clear(struct store_task_runs *runs);
#define auto_store_task_runs CLEANUP(store_task_runs_clear) struct store_task_runs

/* Adds a run that is about to start. ERROR_CONFLICT when one of the kind and name is there that has not ended. */
MUST_CHECK bool store_task_run_add(struct store_db *db, const struct store_task_run *run, int64_t user, int64_t *rid,
                                   struct error *error);
/* The newest of the kind and name. */
MUST_CHECK bool store_task_run_latest(struct store_db *db, int64_t task, const char *kind, const char *name,
                                      struct store_task_run *run, bool *is_found, struct error *error);
MUST_CHECK bool store_task_run_find(struct store_db *db, int64_t rid, struct store_task_run *run, bool *is_found,
                                    struct error *error);
/* All that have not ended, of every task. */
MUST_CHECK bool store_task_run_list_unfinished(struct store_db *db, struct store_task_runs *runs, struct error *error);
/* How many of the task have not ended. */
MUST_CHECK bool store_task_run_count_open(struct store_db *db, int64_t task, int64_t *count, struct error *error);
/* Compare-and-set: from starting to running; ready for the first time. */
MUST_CHECK bool store_task_run_started(struct store_db *db, int64_t rid, int64_t now, struct error *error);
MUST_CHECK bool store_task_run_ready(struct store_db *db, int64_t rid, int64_t now, struct error *error);

/* Borrowed. */
struct store_task_run_end {
        int64_t ended_at, started_at; /* started_at: 0 leaves what is known */
        const char *reason, *message;
        const int64_t *exit_code; /* NULL: none */
};
/* Without effect on one that has ended. */
MUST_CHECK bool store_task_run_end(struct store_db *db, int64_t rid, const struct store_task_run_end *end,
                                   struct error *error);

/* Ended ones of the task and kind behind the newest `keep` of them, at most 100. */
MUST_CHECK bool store_task_run_list_surplus(struct store_db *db, int64_t task, const char *kind, int64_t keep,
                                            struct store_task_runs *runs, struct error *error);
/* Those that ended before the time, at most 100, oldest first. */
MUST_CHECK bool store_task_run_list_old(struct store_db *db, int64_t before, struct store_task_runs *runs,
                                        struct error *error);
/* Forgets one that has ended. */
MUST_CHECK bool store_task_run_delete(struct store_db *db, int64_t rid, struct error *error);

/* Somebody uses a task whose agent does not work: its container is not idle from now. */
MUST_CHECK bool store_task_touch(struct store_db *db, int64_t task, int64_t now, struct error *error);

#endif
