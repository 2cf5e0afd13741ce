#include "mcp/tools/tools.h"
#include "server/services/judge_pending.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct judge_pending_list_input, taskId, .minimum = 1, .maximum = 100,
                     .help = "Only those about this task."),
        STRING_FIELD(struct judge_pending_list_input, groupId, .minimum = 1, .maximum = 100,
                     .help = "Only those about this group; instead of taskId."),
};
static const struct field_table input = FIELD_TABLE(struct judge_pending_list_input, input_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return judge_pending_list(call, arguments, result, error);
}

const struct tool tool_list_pending_judge_requests = {
        .name = "list_pending_judge_requests",
        .title = "List your review requests",
        .description =
                "Lists the reviews that you asked for with whenFinished, newest first: those that wait for the work "
                "and what is queued there, and those that were launched or cancelled, with the reason.",
        .input = &input,
        .output = &judge_pending_list_shape,
        .hints = {.reads_only = true, .is_idempotent = true},
        .toolset = "judges",
        .needs = PERMISSION_BIT(TASKS_CREATE) | PERMISSION_BIT(TASKS_VIEW),
        .mode = TOOL_READS,
        .run = run,
};
