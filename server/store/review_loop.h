/* Loops of review and improvement. */
#ifndef STORE_REVIEW_LOOP_H
#define STORE_REVIEW_LOOP_H

#include "server/store/reviewer.h"

/* Owns its strings. Times are ms since the epoch, 0 for none. */
struct store_review_loop {
        int64_t rid;
        char *id;
        int64_t version;
        int64_t owner;
        char *source;
        int64_t environment;
        int64_t task;
        char *task_id, *group_id;
        char *instructions;
        int64_t max_rounds;
        char *min_priority;
        bool pulls_latest;
        char *phase;
        int64_t round, attempt;
        char *feedback, *fingerprint;
        int64_t turn;
        char *stop_reason, *stop_message;
        int64_t stopped_by;
        char *stopped_by_name;
        int64_t created_at, changed_at, stopped_at;
};
void store_review_loop_clear(struct store_review_loop *loop);
#define auto_store_review_loop CLEANUP(store_review_loop_clear) struct store_review_loop

/* ERROR_CONFLICT when another loop of the variant is not over. */
MUST_CHECK bool store_review_loop_add(struct store_db *db, const struct store_review_loop *loop, int64_t *rid,
                                      struct error *error);
MUST_CHECK bool store_review_loop_add_judge(struct store_db *db, int64_t loop, int64_t position,
                                            const struct store_reviewer *judge, struct error *error);
MUST_CHECK bool store_review_loop_find(struct store_db *db, const char *id, struct store_review_loop *loop,
                                       bool *is_found, struct error *error);
/* The one of the variant that is not over, else its latest. */
MUST_CHECK bool store_review_loop_of_task(struct store_db *db, int64_t task, struct store_review_loop *loop,
                                          bool *is_found, struct error *error);
/* The number of the variant whose loop, which is not over, has the task as a review; 0 for none. */
MUST_CHECK bool store_review_loop_of_judge(struct store_db *db, const char *judge_id, int64_t *task,
                                           struct error *error);
/* Numbers of the variants whose loops are not over; the caller frees *tasks. */
MUST_CHECK bool store_review_loop_open(struct store_db *db, int64_t **tasks, size_t *count, struct error *error);
/* The reviews of a loop by round, attempt and place. */
MUST_CHECK bool store_review_loop_judges(struct store_db *db, int64_t loop, struct store_reviewers *judges,
                                         struct error *error);
MUST_CHECK bool store_review_loop_set_verdict(struct store_db *db, int64_t loop, const struct store_reviewer *judge,
                                              struct error *error);
/* Writes the loop's place (phase, round, feedback, stop ...) if its version is still what was read, and makes that one
 * more: *is_done. */
MUST_CHECK bool store_review_loop_step(struct store_db *db, const struct store_review_loop *loop, bool *is_done,
                                       struct error *error);
/* Whether anything that waits or goes on is about the task. */
MUST_CHECK bool store_review_concerns(struct store_db *db, int64_t task, const char *task_id, bool *result,
                                      struct error *error);

#endif
