#include "mcp/tools/tools.h"
#include "server/services/judge_pending.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct judge_pending_cancel_input, pendingRequestId, .is_required = true, .minimum = 1,
                     .maximum = 60, .help = "Id of the request."),
};
static const struct field_table input = FIELD_TABLE(struct judge_pending_cancel_input, input_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return judge_pending_cancel(call, arguments, result, error);
}

const struct tool tool_cancel_pending_judge_request = {
        .name = "cancel_pending_judge_request",
        .title = "Cancel a review request",
        .description = "Cancels a review that you asked for with whenFinished and that waits; safe to repeat. Once the "
                       "launch has begun it is refused: the reviews are tasks then, which stop_task stops.",
        .input = &input,
        .output = &judge_pending_shape,
        .hints = {.is_idempotent = true},
        .toolset = "judges",
        .needs = PERMISSION_BIT(TASKS_CREATE) | PERMISSION_BIT(TASKS_VIEW),
        .mode = TOOL_WRITES,
        .run = run,
};
