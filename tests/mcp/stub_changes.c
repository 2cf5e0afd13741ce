/* Services of what a task changed and what people say about it: they tell what they were given. */
#include "server/services/changes_view.h"
#include "server/services/comment.h"
#include "tests/mcp/stub.h"

static bool tell(const char *task_id, json_t **result)
{
        *result = json_pack("{s:s}", "taskId", task_id);
        return true;
}

bool changes_list(struct call *call, const struct changes_list_input *input, json_t **result, struct error *error)
{
        (void)call, (void)error;
        return tell(input->taskId, result);
}

bool changes_read(struct call *call, const struct changes_read_input *input, json_t **result, struct error *error)
{
        (void)call, (void)error;
        return tell(input->taskId, result);
}

bool review_summary(struct call *call, const struct review_input *input, json_t **result, struct error *error)
{
        (void)call, (void)error;
        return tell(input->taskId, result);
}

bool comment_list(struct call *call, const struct comment_list_input *input, json_t **result, struct error *error)
{
        (void)call, (void)error;
        return tell(input->taskId, result);
}
