/* What reviews say, as the next instructions of the variant that they are about. */
#ifndef SERVICES_REVIEW_FEEDBACK_H
#define SERVICES_REVIEW_FEEDBACK_H

#include "server/services/agent.h"
#include "server/services/verdict.h"

#define FEEDBACK_MAXIMUM 100000

/* A review of the variant with what it says. Borrowed. */
struct review_said {
        const char *agent;
        const struct verdict *verdict;
};
/* What is said of the variant by the verdict of a review; NULL for nothing. */
const struct verdict_feedback *review_feedback_of(const struct verdict *verdict);
/* How many improvements have each priority. */
void review_feedback_count(const struct verdict *verdict, int64_t *high, int64_t *medium, int64_t *low);
/* The improvements of the priority or above, reviewer by reviewer. An agent that runs its instructions as a script
 * gets comments. On the heap. */
char *review_feedback_text(const struct review_said *said, size_t count, const char *min_priority, bool is_polish,
                           bool is_script);

#endif
