/* Loops of review and improvement: what the reviews of a variant say is sent to it, and the same reviewers look again,
 * until all of them pass or there is a reason to stop (review_rules.h).
 *
 * Each step is one transaction. What it begins outside the store is begun with what the step wrote (ids of reviews
 * reserved beforehand) or in the step itself (the follow-up), so that a process that ends anywhere is gone on from. */
#ifndef SERVICES_REVIEW_LOOP_H
#define SERVICES_REVIEW_LOOP_H

#include "server/services/judge.h"
#include "server/services/review_options.h"
#include "server/services/services.h"
#include "server/store/review_loop.h"

extern const struct field_table review_loop_shape;

/* Whether a loop may follow the review that is planned: ERROR_LOOP_NOT_APPLICABLE for a comparison,
 * ERROR_LOOP_ORCHESTRATOR, ERROR_PERMISSION_DENIED without tasks:change in the variant's environment, ERROR_CONFLICT
 * while another loop of it goes on. Reads. */
MUST_CHECK bool review_loop_check(struct call *call, const struct judge_plan *plan, struct error *error);

/* As judge_order.recorded: makes the loop whose first round the new reviews are, in the transaction that makes them.
 * The context is a struct review_loop_start. */
struct review_loop_start {
        const struct judge_order *order;
        struct review_loop_options options;
        const char *id; /* by review_loop_new_id */
};
void review_loop_new_id(char id[ID_SIZE]);
MUST_CHECK bool review_loop_recorded(struct call *call, const struct judge_launched *launched, const void *context,
                                     struct error *error);

/* The loop as the doors show it, JSON null when there is none with the id. For who sees the variant's content. */
MUST_CHECK bool review_loop_show(struct call *call, const char *id, json_t **view, struct error *error);

struct review_loop_get_input {
        const char *taskId;
};
/* The loop of a task that goes on, or its latest. Reads. ERROR_LOOP_NOT_FOUND. */
MUST_CHECK bool review_loop_get(struct call *call, const struct review_loop_get_input *input, json_t **result,
                                struct error *error);
struct review_loop_input {
        const char *loopId;
        int64_t maxRounds;
};
/* Ends a loop that goes on, whatever it waits for; its reviews and the variant's turn go on. Needs tasks:change on the
 * variant. One that has stopped stays as it is. Writes. */
MUST_CHECK bool review_loop_stop(struct call *call, const struct review_loop_input *input, json_t **result,
                                 struct error *error);
/* Lets a loop that ran out of rounds go on for `maxRounds` more. Writes. ERROR_CONFLICT for any other. */
MUST_CHECK bool review_loop_continue(struct call *call, const struct review_loop_input *input, json_t **result,
                                     struct error *error);

/* Takes one step of the variant's loop, if one is due: *is_over says that none was, or that it is to be tried again
 * soon
 * (*is_again). Blocks. */
MUST_CHECK bool review_loop_take_step(struct services *services, struct store_db *db, int64_t task, bool *is_over,
                                      bool *is_again, struct error *error);
/* Takes the loop of the variant as far as it goes now; *is_again says that it is to be tried again soon. Blocks. */
MUST_CHECK bool review_loop_advance(struct services *services, struct store_db *db, int64_t task, bool *is_again,
                                    struct error *error);
/* Ends the loop of a variant that is being deleted. In a piece of work. */
MUST_CHECK bool review_loop_source_gone(struct store_db *db, int64_t task, int64_t now, struct error *error);

#endif
