/* Requests to review work once it is finished, those of people and those that an environment's settings make. They
 * wait for the end of all their tasks and of what is queued there, launch once, and keep their outcome. */
#ifndef SERVICES_JUDGE_PENDING_H
#define SERVICES_JUDGE_PENDING_H

#include "server/services/review_loop.h"
#include "server/store/judge_request.h"

extern const struct field_table judge_pending_shape;
extern const struct field_table judge_pending_list_shape;

#define REQUEST_BY_PERSON "request"
#define REQUEST_AUTO_JUDGE "auto_judge"
#define REQUEST_VERIFICATION "verification"

struct judge_pending_new {
        const struct judge_order *order;        /* is_waiting */
        const struct review_loop_options *loop; /* NULL: none */
        const char *origin;
};
/* Checks the order as a launch would, fixes its tasks and saves the request; a task that stands alone gets a group to
 * join at the launch. `id` names it. What judge_plan_make and review_loop_check have. In a piece of work. */
MUST_CHECK bool judge_pending_add(struct call *call, const struct judge_pending_new *new, char id[ID_SIZE],
                                  struct error *error);
/* Saves one of the settings as refused, so that it is not tried again. In a piece of work. */
MUST_CHECK bool judge_pending_add_refused(struct call *call, const struct judge_pending_new *new,
                                          const struct store_task *task, const struct error *refusal,
                                          struct error *error);
/* The answer of create_judge_task to who made it: {pendingRequestId, status, groupId, mode, variantTaskIds, timing...}.
 */
MUST_CHECK bool judge_pending_show(struct call *call, const char *id, json_t **result, struct error *error);

struct judge_pending_list_input {
        const char *taskId, *groupId; /* at most one of them */
};
/* {requests}: the caller's own, newest first. Reads. ERROR_TARGET_INVALID. */
MUST_CHECK bool judge_pending_list(struct call *call, const struct judge_pending_list_input *input, json_t **result,
                                   struct error *error);
/* {requests} that an environment's settings have made for a task or group that the caller sees. Reads. */
MUST_CHECK bool judge_pending_automatic(struct call *call, const struct judge_pending_list_input *input,
                                        json_t **result, struct error *error);
struct judge_pending_cancel_input {
        const char *pendingRequestId;
};
/* Cancels the caller's own request that waits; one that is cancelled stays so. Writes. ERROR_REQUEST_NOT_FOUND,
 * ERROR_REQUEST_LAUNCHED. */
MUST_CHECK bool judge_pending_cancel(struct call *call, const struct judge_pending_cancel_input *input, json_t **result,
                                     struct error *error);

/* Takes one step of a request, as review_loop_take_step does. */
MUST_CHECK bool judge_pending_take_step(struct services *services, struct store_db *db, const char *id, bool *is_over,
                                        bool *is_again, struct error *error);
/* Takes all requests about the task as far as they go now; *is_again as in review_loop.h. Blocks. */
MUST_CHECK bool judge_pending_advance(struct services *services, struct store_db *db, int64_t task, bool *is_again,
                                      struct error *error);
/* Cancels those about a task that is being deleted. In a piece of work. */
MUST_CHECK bool judge_pending_source_gone(struct store_db *db, int64_t task, int64_t now, struct error *error);

#endif
