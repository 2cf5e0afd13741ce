/* Receipts, jobs and the journal of outside resources in the store. */
#ifndef STORE_WORK_H
#define STORE_WORK_H

#include "server/base/secret.h"
#include "server/store/store.h"

/* What a request id stood for. Owns its strings. */
struct store_receipt {
        uint8_t fingerprint[SECRET_HASH_SIZE];
        char *state;
        char *task; /* id of the task it made or continued */
};
void store_receipt_clear(struct store_receipt *receipt);
#define auto_store_receipt CLEANUP(store_receipt_clear) struct store_receipt

MUST_CHECK bool store_receipt_find(struct store_db *db, int64_t user, const char *tool, const char *request_id,
                                   struct store_receipt *receipt, bool *is_found, struct error *error);
MUST_CHECK bool store_receipt_add(struct store_db *db, int64_t user, const char *tool, const char *request_id,
                                  const uint8_t fingerprint[SECRET_HASH_SIZE], const char *task, int64_t now,
                                  struct error *error);

/* Work that must happen. Its times are those of clock_steady: delays that nobody moves who sets the clock. */
struct store_job {
        int64_t rid;
        char kind[16];
        int64_t task, turn; /* turn: 0 for none */
        int64_t attempts, due_at;
        int64_t age; /* milliseconds since it was added, when it was listed */
};
/* Adds a job that is due in `delay_ms` and wakes whoever runs jobs once it is committed. */
MUST_CHECK bool store_job_add(struct store_db *db, const char *kind, int64_t task, int64_t turn, int64_t delay_ms,
                              struct error *error);
/* Whether the task has a job of the kind. */
MUST_CHECK bool store_job_exists(struct store_db *db, const char *kind, int64_t task, bool *exists,
                                 struct error *error);
/* Up to `capacity` jobs behind the job `after` (zeros: from the first) that are due at the time `now` of clock_steady,
 * oldest first. */
MUST_CHECK bool store_job_list_due(struct store_db *db, int64_t now, const struct store_job *after,
                                   struct store_job *jobs, size_t capacity, size_t *count, struct error *error);
/* The time of clock_steady at which the next job will be due, 0 for none. */
MUST_CHECK bool store_job_next(struct store_db *db, int64_t now, int64_t *next_at, struct error *error);
/* Takes up what another process added, whose clock may have been another: nothing waits longer than `maximum_ms`, but
 * deadlines, which begin anew. */
MUST_CHECK bool store_job_take_up(struct store_db *db, int64_t maximum_ms, struct error *error);
/* Without effect on a job that is gone, also when another has got its number. */
MUST_CHECK bool store_job_delete(struct store_db *db, const struct store_job *job, struct error *error);
MUST_CHECK bool store_job_delete_of_turn(struct store_db *db, const char *kind, int64_t turn, struct error *error);
MUST_CHECK bool store_job_retry(struct store_db *db, const struct store_job *job, int64_t delay_ms,
                                struct error *error);

/* A container or workspace of a task. Owns its strings. */
struct store_resource {
        char *kind, *handle;
        int64_t task;
        bool is_ready, is_oom_killed;
        int64_t stopped_at;
        char *program;               /* version of the agent's program that it was made with; not in lists */
        char *task_id, *task_status; /* only in lists */
        int64_t task_active_at;      /* only in lists */
        bool is_pinned;              /* by anybody; only in lists */
};
void store_resource_clear(struct store_resource *resource);
#define auto_store_resource CLEANUP(store_resource_clear) struct store_resource

/* Writes the row that must precede the making of the resource; a second time changes nothing. */
MUST_CHECK bool store_resource_plan(struct store_db *db, const char *kind, const char *handle, int64_t task,
                                    int64_t now, struct error *error);
MUST_CHECK bool store_resource_set_ready(struct store_db *db, const char *kind, int64_t task, bool is_ready,
                                         struct error *error);
MUST_CHECK bool store_resource_set_stopped(struct store_db *db, const char *kind, int64_t task, int64_t now,
                                           struct error *error);
MUST_CHECK bool store_resource_set_program(struct store_db *db, const char *kind, int64_t task, const char *program,
                                           struct error *error);
MUST_CHECK bool store_resource_set_oom(struct store_db *db, const char *kind, const char *handle, struct error *error);
MUST_CHECK bool store_resource_delete(struct store_db *db, const char *kind, int64_t task, struct error *error);
MUST_CHECK bool store_resource_find(struct store_db *db, const char *kind, int64_t task,
                                    struct store_resource *resource, bool *is_found, struct error *error);
/* Whether there is one of the kind that was first planned up to that time, or that has this version of a program. */
MUST_CHECK bool store_resource_exists_before(struct store_db *db, const char *kind, int64_t at, bool *exists,
                                             struct error *error);
MUST_CHECK bool store_resource_uses_program(struct store_db *db, const char *kind, const char *program, bool *uses,
                                            struct error *error);
/* All of one kind; the caller clears each and frees *resources. */
MUST_CHECK bool store_resource_list(struct store_db *db, const char *kind, struct store_resource **resources,
                                    size_t *count, struct error *error);

#endif
