#include "mcp/tools/tools.h"
#include "server/services/changes_shapes.h"
#include "server/services/changes_view.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct review_summary_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the task."),
};
static const struct field_table input = FIELD_TABLE(struct review_summary_input, input_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return review_summary(call, arguments, result, error);
}

const struct tool tool_get_task_review_summary = {
        .name = "get_task_review_summary",
        .title = "Summarise a task for a review",
        .description = "Shows what a person who decides on a task has to look at: the revision (the turn, and a "
                       "fingerprint of each repository's saved changes), the changed files of at most 10 repositories, "
                       "the branches that an approval would use, and what is in the way of one. Read the diffs with "
                       "read_task_diff: this summary is no complete review.",
        .input = &input,
        .output = &review_shape,
        .hints = {.reads_only = true, .is_idempotent = true},
        .toolset = "panels",
        .needs = PERMISSION_BIT(TASKS_VIEW) | PERMISSION_BIT(TASKS_VIEW_ANY),
        .audience = TOOL_FOR_PEOPLE,
        .mode = TOOL_READS,
        .is_slow = true,
        .run = run,
};
