/* Services of reviews that come over time: they tell what they were given. */
#include "server/services/judge_pending.h"
#include "tests/mcp/stub.h"

bool judge_pending_list(struct call *call, const struct judge_pending_list_input *input, json_t **result,
                        struct error *error)
{
        (void)call, (void)input, (void)error;
        *result = json_pack("{s:[]}", "requests");
        return true;
}

bool judge_pending_cancel(struct call *call, const struct judge_pending_cancel_input *input, json_t **result,
                          struct error *error)
{
        (void)call, (void)error;
        *result = json_pack("{s:s}", "pendingRequestId", input->pendingRequestId);
        return true;
}
