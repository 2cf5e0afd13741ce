/* Requests to review what is not finished yet. */
#ifndef STORE_JUDGE_REQUEST_H
#define STORE_JUDGE_REQUEST_H

#include "server/store/reviewer.h"

/* A task that a request is about: its number is never used again, and its id outlives it. */
struct store_request_task {
        int64_t rid;
        char *id;
};

/* Owns its strings. Times are ms since the epoch, 0 for none. */
struct store_judge_request {
        int64_t rid;
        char *id, *origin; /* origin: request, auto_judge, verification */
        int64_t requester;
        char *by_task; /* id of the task it was made from inside */
        char *source;
        int64_t environment;
        char *task_id; /* a task that stood alone when it was made */
        char *group_id;
        char *instructions;
        int64_t max_rounds; /* of the loop that follows; 0: none */
        char *min_priority;
        bool pulls_latest;
        char *state, *reason, *message, *loop_id;
        int64_t created_at, launching_at, ended_at;
        struct store_request_task *tasks;
        size_t task_count;
        struct store_reviewers reviewers;
};
void store_judge_request_clear(struct store_judge_request *request);
#define auto_store_judge_request CLEANUP(store_judge_request_clear) struct store_judge_request

struct store_judge_requests {
        struct store_judge_request *items;
        size_t count;
};
void store_judge_requests_clear(struct store_judge_requests *requests);
#define auto_store_judge_requests CLEANUP(store_judge_requests_clear) struct store_judge_requests

/* Adds a pending one with its tasks and reviewers; *is_done is false when the environment's settings have asked for the
 * same before. */
MUST_CHECK bool store_judge_request_add(struct store_db *db, const struct store_judge_request *request, bool *is_done,
                                        struct error *error);
/* With its tasks and reviewers. */
MUST_CHECK bool store_judge_request_find(struct store_db *db, const char *id, struct store_judge_request *request,
                                         bool *is_found, struct error *error);
/* Ids of those that wait or are being launched and are about the task; the caller frees each and *ids. */
MUST_CHECK bool store_judge_request_of_task(struct store_db *db, int64_t task, char ***ids, size_t *count,
                                            struct error *error);
/* Numbers of tasks that such requests are about: the first of each. The caller frees *tasks. */
MUST_CHECK bool store_judge_request_open(struct store_db *db, int64_t **tasks, size_t *count, struct error *error);
/* The newest of a person: all, those of a group, or those about a task. */
MUST_CHECK bool store_judge_request_list(struct store_db *db, int64_t requester, const char *group_id,
                                         const char *task_id, int64_t limit, struct store_judge_requests *requests,
                                         struct error *error);
/* The newest that the settings asked for in the group, or of the task when it stood alone; either may be NULL. */
MUST_CHECK bool store_judge_request_automatic(struct store_db *db, const char *group_id, const char *task_id,
                                              int64_t limit, struct store_judge_requests *requests,
                                              struct error *error);
/* Whether the settings have asked for a review of the group or, with it NULL, of the task. */
MUST_CHECK bool store_judge_request_is_asked(struct store_db *db, const char *group_id, const char *task_id,
                                             bool *is_asked, struct error *error);
/* From pending to launching, with the ids of its reviews: compare-and-set. */
MUST_CHECK bool store_judge_request_launch(struct store_db *db, const struct store_judge_request *request, int64_t now,
                                           bool *is_done, struct error *error);
/* From the state `from` to its end: compare-and-set. A group that was made for one that is cancelled goes. */
MUST_CHECK bool store_judge_request_end(struct store_db *db, const struct store_judge_request *request,
                                        const char *from, const char *to, int64_t now, bool *is_done,
                                        struct error *error);

#endif
