#include "mcp/tools/tools.h"
#include "server/services/group_shapes.h"
#include "server/services/pin.h"
#include "server/services/task_shapes.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct task_pin_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the task."),
        BOOLEAN_FIELD(struct task_pin_input, pinned, .is_required = true, .help = "true: pin it; false: unpin it."),
};
static const struct field_table input = FIELD_TABLE(struct task_pin_input, input_rows);

static const struct field output_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the task."),
        OUT_BOOLEAN("pinned", .is_required = true, .help = "What was asked for."),
        OUT_STRINGS("affectedTaskIds", .help = "The task, and the reviews that were unpinned with it."),
        OUT_ANY("previousPinStates", .help = "Whether each was on your list before, by task id."),
        PIN_ROWS,
        OUT_ANY("orphanedObjectives", .help = "Objectives left without pinned tasks on your list."),
        OUT_OBJECT("task", task_shape, .help = "The task as get_task shows it."),
};
static const struct field_table output = OUTPUT_TABLE("set_task_pinned", output_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return task_set_pinned(call, arguments, result, error);
}

const struct tool tool_set_task_pinned = {
        .name = "set_task_pinned",
        .title = "Pin or unpin a task",
        .description = "Puts a task on your own pinned list or takes it off. Unpinning a task of a group unpins the "
                       "group's reviews too; "
                       "for a whole group use set_group_pinned. Nobody else's list changes.",
        .input = &input,
        .output = &output,
        .hints = {.is_idempotent = true},
        .toolset = "groups",
        .needs = PERMISSION_BIT(TASKS_VIEW) | PERMISSION_BIT(TASKS_VIEW_ANY),
        .mode = TOOL_WRITES,
        .run = run,
};
