#include "mcp/tools/tools.h"
#include "server/services/task.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct task_stop_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the task."),
};
static const struct field_table input = FIELD_TABLE(struct task_stop_input, input_rows);

static const struct field output_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the task."),
        OUT_STRING("status", .is_required = true, .choices = task_statuses, .help = "What the task does now."),
        OUT_BOOLEAN("accepted", .help = "The request stands, whether or not it is carried out already."),
        OUT_BOOLEAN("stopped", .help = "Nothing of the task runs any more."),
};
static const struct field_table output = OUTPUT_TABLE("stop_task", output_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return task_stop(call, arguments, result, error);
}

const struct tool tool_stop_task = {
        .name = "stop_task",
        .title = "Stop a task",
        .description = "Ends the agent's current turn and stops the task's container. What the agent has done so far "
                       "stays, and follow_up_task can continue it later. Repeating the call does no harm. When "
                       "stopped is false the end is still on its way; ask get_task.",
        .input = &input,
        .output = &output,
        .hints = {.is_idempotent = true},
        .toolset = "core",
        .needs = PERMISSION_BIT(TASKS_EXECUTE) | PERMISSION_BIT(TASKS_EXECUTE_ANY),
        .mode = TOOL_BLOCKS,
        .reports_progress = true,
        .run = run,
};
