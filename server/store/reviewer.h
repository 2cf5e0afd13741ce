/* Who reviews, as requests and loops keep it. */
#ifndef STORE_REVIEWER_H
#define STORE_REVIEWER_H

#include "server/store/store.h"

/* Owns its strings; what is not chosen or not known is NULL. */
struct store_reviewer {
        char *agent, *model, *reasoning_effort, *speed;
        char *judge_id; /* of the review task, reserved before it exists */
        /* Of loops only. */
        int64_t round, attempt;
        char *verdict;
        int64_t high, medium, low; /* improvements of each priority */
};

struct store_reviewers {
        struct store_reviewer *items;
        size_t count;
};
void store_reviewers_clear(struct store_reviewers *reviewers);
#define auto_store_reviewers CLEANUP(store_reviewers_clear) struct store_reviewers

#endif
