/* What is seen of a loop before each of its steps. */
#ifndef SERVICES_REVIEW_SIGHT_H
#define SERVICES_REVIEW_SIGHT_H

#include "server/services/review_loop.h"
#include "server/services/review_rules.h"
#include "server/services/verdict.h"

/* A loop with all that its next step depends on. */
struct review_seen {
        struct store_review_loop loop;
        struct store_task variant;
        struct store_reviewers judges;                          /* of all rounds */
        struct store_reviewer *latest[JUDGE_REVIEWERS_MAXIMUM]; /* of this round, one a reviewer; borrowed */
        struct verdict verdicts[JUDGE_REVIEWERS_MAXIMUM];
        struct loop_review reviews[JUDGE_REVIEWERS_MAXIMUM];
        size_t count;
        struct loop_sight sight;
};
void review_seen_clear(struct review_seen *seen);
#define auto_review_seen CLEANUP(review_seen_clear) struct review_seen

/* Looks at the loop of the variant; *is_open is false when none goes on. Blocks: verdicts are read. */
MUST_CHECK bool review_see(struct services *services, struct store_db *db, int64_t task, struct review_seen *seen,
                           bool *is_open, struct error *error);

#endif
