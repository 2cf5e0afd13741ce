/* A request for a run: with a request id it makes one however often it comes, also at the same instant. */
#ifndef SERVICES_JUDGE_REQUEST_H
#define SERVICES_JUDGE_REQUEST_H

#include "server/services/judge.h"

struct judge_request {
        const char *tool, *id;                  /* id: NULL for none */
        const struct review_loop_options *loop; /* of a loop that follows; NULL: none */
        bool is_held;
};
/* Waits until nobody else works on the request, and answers it when it was made before. judge_request_end follows,
 * whatever came of it. */
MUST_CHECK bool judge_request_begin(struct call *call, struct judge_request *request, json_t **result,
                                    bool *is_answered, struct error *error);
/* Launches the order, keeps the receipt with it and answers; `order->recorded` is not the caller's. */
MUST_CHECK bool judge_request_launch(struct call *call, const struct judge_request *request, struct judge_order *order,
                                     json_t **result, struct error *error);
/* Saves the order, which is_waiting, as a request for when the work is finished (judge_pending.h), keeps the receipt
 * with it and answers. */
MUST_CHECK bool judge_request_save(struct call *call, const struct judge_request *request,
                                   const struct judge_order *order, json_t **result, struct error *error);
void judge_request_end(struct call *call, struct judge_request *request);

#endif
