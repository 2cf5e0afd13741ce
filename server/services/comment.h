/* Comments: what people say of a task. Whoever sees the task reads them; whoever may change it (tasks:change) adds
 * some; one's own are one's own to edit and delete. */
#ifndef SERVICES_COMMENT_H
#define SERVICES_COMMENT_H

#include "server/services/services.h"

#define COMMENT_CHARACTERS 10000
#define COMMENTS_PER_TASK 1000

struct comment_list_input {
        const char *taskId;
        int64_t offset, limit;
};
/* {taskId, status, comments, total, nextOffset, pageBounded}, oldest first. Reads. */
MUST_CHECK bool comment_list(struct call *call, const struct comment_list_input *input, json_t **result,
                             struct error *error);

struct comment_input {
        const char *taskId, *commentId, *body; /* commentId: NULL where one is added, body: where one is deleted */
};
/* The comment as lists show it. ERROR_CONFLICT when the task has too many. Writes. */
MUST_CHECK bool comment_add(struct call *call, const struct comment_input *input, json_t **result, struct error *error);
/* ERROR_COMMENT_NOT_FOUND for one that is not there or somebody else's. Both write. */
MUST_CHECK bool comment_edit(struct call *call, const struct comment_input *input, json_t **result,
                             struct error *error);
/* {taskId, commentId, deleted}. */
MUST_CHECK bool comment_remove(struct call *call, const struct comment_input *input, json_t **result,
                               struct error *error);

#endif
