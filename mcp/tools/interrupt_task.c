#include "mcp/tools/tools.h"
#include "server/services/task.h"

static const char *const queues[] = {"pause", "send_queued", NULL};

static const struct field input_rows[] = {
        STRING_FIELD(struct task_interrupt_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the task."),
        STRING_FIELD(struct task_interrupt_input, queue, .choices = queues,
                     .help = "What becomes of queued follow-ups: pause (the default) or send_queued."),
};
static const struct field_table input = FIELD_TABLE(struct task_interrupt_input, input_rows);

static const struct field output_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the task."),
        OUT_STRING("status", .is_required = true, .choices = task_statuses, .help = "What the task does now."),
        OUT_BOOLEAN("accepted", .help = "The request stands, whether or not it is carried out already."),
        OUT_BOOLEAN("interrupted", .help = "The turn has ended."),
};
static const struct field_table output = OUTPUT_TABLE("interrupt_task", output_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return task_interrupt(call, arguments, result, error);
}

const struct tool tool_interrupt_task = {
        .name = "interrupt_task",
        .title = "Interrupt a task",
        .description = "Ends the agent's current turn and leaves the container running, so that follow_up_task can go "
                       "on at once with other instructions. What the agent has done so far stays. Repeating the call "
                       "does no harm. When interrupted is false the end is still on its way; ask get_task.",
        .input = &input,
        .output = &output,
        .hints = {.is_idempotent = true},
        .toolset = "core",
        .needs = PERMISSION_BIT(TASKS_EXECUTE) | PERMISSION_BIT(TASKS_EXECUTE_ANY),
        .mode = TOOL_BLOCKS,
        .reports_progress = true,
        .run = run,
};
