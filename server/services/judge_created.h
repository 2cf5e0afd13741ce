/* What create_judge_task made, as its receipt keeps it and as it is told. */
#ifndef SERVICES_JUDGE_CREATED_H
#define SERVICES_JUDGE_CREATED_H

#include "server/services/judge.h"

/* {groupId, mode, variantTaskIds, taskIds, loopId?} as text, on the heap. */
char *judge_created_outcome(const struct judge_launched *launched, const char *loop_id);
/* The same of a request that waits: {pendingRequestId}. */
char *judge_pending_outcome(const char *id);
/* The result for the call's actor as things are now: what cannot be seen any more is left out, a deleted variant unless
 * a judge that remains shows that the actor could see it. ERROR_GROUP_NOT_FOUND when nothing is left. */
MUST_CHECK bool judge_created_render(struct call *call, const char *outcome, json_t **result, struct error *error);

#endif
