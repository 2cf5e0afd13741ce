#include "mcp/tools/tools.h"
#include "server/services/group_shapes.h"
#include "server/services/pin.h"
#include "server/services/task_shapes.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct snooze_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the task."),
        STRING_FIELD(
                struct snooze_input, until, .is_nullable = true, .minimum = 1, .maximum = 64, .format = "date-time",
                .help = "When to show it again: a date and time with an offset, at most five years ahead; null wakes "
                        "it now."),
        INTEGER_FIELD(struct snooze_input, snoozeForMinutes, .minimum = 1, .maximum = 2630880,
                      .help = "Minutes from now, in place of until."),
};
static const struct field_table input = FIELD_TABLE(struct snooze_input, input_rows);

static const struct field output_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the task."),
        OUT_BOOLEAN("isSnoozed", .is_required = true, .help = "Whether you have put it aside now."),
        OUT_STRING("pinSnoozedUntil", .is_nullable = true, .format = "date-time", .help = "When it wakes."),
        OUT_BOOLEAN("snoozedForMe", .help = "The same as isSnoozed."),
        OUT_STRING("pinSnoozedUntilForMe", .is_nullable = true, .format = "date-time", .help = "As pinSnoozedUntil."),
        OUT_STRINGS("affectedTaskIds", .help = "The tasks that were put aside or woken."),
        PIN_ROWS,
        OUT_OBJECT("task", task_shape, .help = "The task as get_task shows it."),
};
static const struct field_table output = OUTPUT_TABLE("set_task_snooze", output_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return task_set_snooze(call, arguments, result, error);
}

const struct tool tool_set_task_snooze = {
        .name = "set_task_snooze",
        .title = "Snooze a pinned task",
        .description = "Puts a pinned task aside on your own list until a time, or wakes it; the pinned tasks of its "
                       "group move with it. "
                       "Give exactly one of until and snoozeForMinutes. Lists leave it out until then unless they are "
                       "asked for it.",
        .input = &input,
        .output = &output,
        .hints = {},
        .toolset = "groups",
        .needs = PERMISSION_BIT(TASKS_CHANGE) | PERMISSION_BIT(TASKS_CHANGE_ANY),
        .mode = TOOL_WRITES,
        .run = run,
};
