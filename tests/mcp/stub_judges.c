/* The service of judges, which nothing here calls into: it tells what it was given. */
#include "server/services/judge.h"

#include "tests/mcp/stub.h"

bool judge_create(struct call *call, const struct judge_create_input *input, json_t **result, struct error *error)
{
        (void)call;
        (void)error;
        *result = json_pack("{s:s?}", "groupId", input->groupId);
        return true;
}
