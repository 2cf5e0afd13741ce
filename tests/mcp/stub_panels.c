/* Services of a task's panels that nothing here calls into: they tell what they were given. */
#include "server/services/changes_view.h"
#include "server/services/comment.h"
#include "tests/mcp/stub.h"

#define ECHO(name, type)                                                                                               \
        bool name(struct call *call, const struct type *input, json_t **result, struct error *error)                   \
        {                                                                                                              \
                (void)call, (void)error;                                                                               \
                *result = json_pack("{s:s*}", "taskId", input->taskId);                                                \
                return true;                                                                                           \
        }

ECHO(changes_list, changes_list_input)
ECHO(changes_read, changes_read_input)
ECHO(review_summary, review_summary_input)
ECHO(comment_list, comment_list_input)
