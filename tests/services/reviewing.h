/* What the tests of reviews that come over time share: the turns are ended by hand, the judges are what the test
 * writes, and what a job would do is called. */
#ifndef TESTS_SERVICES_REVIEWING_H
#define TESTS_SERVICES_REVIEWING_H

#include "server/services/judge_pending.h"
#include "server/services/review_loop.h"
#include "server/services/review_rules.h"
#include "tests/services/world.h"

#define PASS "{\"mode\":\"review\",\"verdict\":\"pass\",\"confidence\":\"high\""
#define FAULTY "{\"mode\":\"review\",\"verdict\":\"needs-improvement\",\"confidence\":\"high\""
#define WITH(priority, text)                                                                                           \
        ",\"variantFeedback\":{\"A\":{\"improvements\":[{\"priority\":\"" priority "\",\"text\":\"" text "\"}]}}}"

/* Three rounds, medium. */
extern const struct review_loop_options reviewing_usual;

/* A task of dev's that has ended well; its id on the heap. */
char *reviewing_task(struct world *world, const char *environment);
/* A review of the task by the agent shell. */
struct judge_order reviewing_order(const char *task);
/* Reviews the task with a loop; the loop's id, on the heap. */
char *reviewing_begin(struct world *world, const char *task, struct review_loop_options options);
/* The task's loop as dev sees it. */
json_t *reviewing_loop(struct world *world, const char *task);
/* `reason` is "" for a loop that goes on. */
void assert_loop(struct world *world, const char *task, const char *phase, const char *reason);
/* The latest review of the loop, on the heap. */
char *reviewing_judge(struct world *world, const char *task);
/* What the jobs would do. */
void reviewing_advance(struct world *world, const char *task);
/* The jobs that wait to look at the task's reviews. */
int64_t reviewing_jobs(struct world *world, const char *task);
void reviewing_forget_jobs(struct world *world);
/* The task's turn ends well, which leaves one job, and what that would do is done. */
void reviewing_end(struct world *world, const char *task);
/* The process ends, and another begins. */
void reviewing_restart(struct world *world);
/* A variant of the task, which runs; its id on the heap. */
char *reviewing_variant(struct world *world, const char *task);

#endif
