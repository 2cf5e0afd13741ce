/* Tasks in the store. */
#ifndef STORE_TASK_H
#define STORE_TASK_H

#include "server/store/store.h"

/* A task as the viewer's row: owns its strings. Times are ms since the epoch, 0 for none. */
struct store_task {
        int64_t rid;
        char *id, *name, *status, *type, *agent, *model, *reasoning_effort, *speed, *role, *project_landing_mode,
                *group_id;
        bool has_group_index; /* variants have one, reviews have none */
        int64_t group_index;
        char *source;
        bool is_shared;
        char *branches; /* a JSON object, opaque here */
        int64_t created_at, started_at, finished_at, active_at;
        bool has_exit_code;
        int64_t exit_code;
        int64_t follow_up_count;
        bool is_history_complete;
        int64_t turn;  /* rid of the latest turn */
        int64_t reply; /* rid of the turn whose reply is the latest, 0 for none */
        int64_t approved_by;
        bool is_winner, is_loser;
        int64_t input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_micros;
        int64_t environment;
        char *environment_id, *environment_name;
        int64_t creator; /* 0 when there is none */
        char *creator_id, *creator_name;
        bool is_pinned_by_viewer, is_pinned_by_creator;
        int64_t viewer_snoozed_until, creator_snoozed_until, viewer_pin_version;
        bool is_judge;
        char *judge_mode, *original_group_id;
        bool has_sources;    /* it holds copies of what is in other tasks: server/store/group.h */
        bool has_follow_ups; /* some are queued or scheduled: server/store/follow_up.h */
        bool is_withheld;    /* set by server/services/access.h alone: the viewer sees no content of it */
};
void store_task_clear(struct store_task *task);
#define auto_store_task CLEANUP(store_task_clear) struct store_task

/* What a new task is made of. Borrowed strings. */
struct store_task_new {
        const char *id, *name, *status, *type, *agent, *source, *branches;
        const char *model, *reasoning_effort, *speed; /* NULL: not chosen */
        int64_t environment, creator;
        bool is_shared;
        int64_t created_at, started_at;
        bool is_name_generated;
};

/* The viewer is the rid of the user whose pins are read, 0 for nobody. *is_found tells an absent task from an error. */
MUST_CHECK bool store_task_find(struct store_db *db, const char *id, int64_t viewer, struct store_task *task,
                                bool *is_found, struct error *error);
MUST_CHECK bool store_task_find_rid(struct store_db *db, int64_t rid, int64_t viewer, struct store_task *task,
                                    bool *is_found, struct error *error);
MUST_CHECK bool store_task_add(struct store_db *db, const struct store_task_new *task, int64_t *rid,
                               struct error *error);
/* Changes the choices that are not NULL. */
MUST_CHECK bool store_task_choose(struct store_db *db, int64_t rid, const char *model, const char *effort,
                                  const char *speed, struct error *error);
MUST_CHECK bool store_task_rename(struct store_db *db, int64_t rid, const char *name, struct error *error);
/* "unset", "chosen" or "generated"; the caller frees it. NULL on error. */
char *store_task_name_source(struct store_db *db, int64_t rid, struct error *error);
MUST_CHECK bool store_task_share(struct store_db *db, int64_t rid, bool is_shared, struct error *error);
/* Deletes a task that does not run, leaving the record that access is decided on; *is_done is false when it runs. */
MUST_CHECK bool store_task_delete(struct store_db *db, int64_t rid, int64_t deleted_by, int64_t now, bool *is_done,
                                  struct error *error);
/* Points at the turn without a change of state (a staged task's first turn). */
MUST_CHECK bool store_task_set_turn(struct store_db *db, int64_t rid, int64_t turn, struct error *error);
MUST_CHECK bool store_task_set_reply(struct store_db *db, int64_t rid, int64_t turn, struct error *error);
/* Compare-and-set from any state but running to "running" or "queued" with the turn; *is_done is false when it was
 * running. started_at is written once and may be 0. */
MUST_CHECK bool store_task_begin(struct store_db *db, int64_t rid, const char *status, int64_t turn, int64_t started_at,
                                 int follow_ups, int64_t now, bool *is_done, struct error *error);
/* Compare-and-set of a task whose latest turn is `turn` from running or queued to an end state. */
MUST_CHECK bool store_task_finish(struct store_db *db, int64_t rid, int64_t turn, const char *status, int64_t now,
                                  const int64_t *exit_code, bool *is_done, struct error *error);
/* What a turn has used, added to the task's totals. */
MUST_CHECK bool store_task_add_usage(struct store_db *db, int64_t rid, int64_t input_tokens, int64_t output_tokens,
                                     int64_t cache_read_tokens, int64_t cache_write_tokens, int64_t cost_micros,
                                     struct error *error);
MUST_CHECK bool store_task_count_running(struct store_db *db, int64_t *count, struct error *error);
/* Calls `each` for every status with its number of tasks. Reads the whole index: for metrics only. */
MUST_CHECK bool store_task_counts(struct store_db *db, void (*each)(const char *status, int64_t count, void *context),
                                  void *context, struct error *error);

#endif
