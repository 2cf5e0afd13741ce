/* Rewinding: a conversation goes on from an earlier turn; the turns behind it are on a discarded branch then. The
 * workspace stays as it is. */
#ifndef SERVICES_REWIND_H
#define SERVICES_REWIND_H

#include "server/services/services.h"
#include "server/store/task.h"
#include "server/store/turn.h"

struct rewind_list_input {
        const char *taskId;
        int64_t offset, limit;
};
/* {taskId, status, points: [{pointId, turn, timestamp, isCurrent}], total, nextOffset}, oldest first. Reads. */
MUST_CHECK bool rewind_list(struct call *call, const struct rewind_list_input *input, json_t **result,
                            struct error *error);

struct rewind_input {
        const char *taskId;
        int64_t pointId; /* the follow-up after whose turn the conversation goes on; 0: the first prompt */
};
/* Discards what came after the point. {taskId, pointId, turn, discardedTurns, task}. ERROR_TASK_BUSY,
 * ERROR_REWIND_POINT_NOT_FOUND. Writes. */
MUST_CHECK bool task_rewind(struct call *call, const struct rewind_input *input, json_t **result, struct error *error);

struct agent;
/* Before a turn is launched: when turns that the agent was told since the one this goes on from were discarded, what it
 * remembers of them is taken from it. *is_forgotten says that it remembers nothing at all, or was told nothing yet:
 * *transcript (heap, may be NULL) is what was said. Blocks. */
MUST_CHECK bool rewind_prepare(const struct services *services, struct store_db *db, const struct store_task *task,
                               const struct store_turn *turn, const struct agent *agent, bool *is_forgotten,
                               char **transcript, struct error *error);

#endif
