#include "mcp/tools/tools.h"
#include "server/services/group_shapes.h"
#include "server/services/pin.h"
#include "server/services/task_shapes.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct snooze_input, groupId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the group, as tasks carry it in groupId; it starts with g-."),
        STRING_FIELD(
                struct snooze_input, until, .is_nullable = true, .minimum = 1, .maximum = 64, .format = "date-time",
                .help = "When to show it again: a date and time with an offset, at most five years ahead; null wakes "
                        "it now."),
        INTEGER_FIELD(struct snooze_input, snoozeForMinutes, .minimum = 1, .maximum = 2630880,
                      .help = "Minutes from now, in place of until."),
};
static const struct field_table input = FIELD_TABLE(struct snooze_input, input_rows);

static const struct field output_rows[] = {
        OUT_STRING("groupId", .is_required = true, .help = "Id of the group."),
        OUT_BOOLEAN("isSnoozed", .is_required = true, .help = "Whether you have put it aside now."),
        OUT_STRING("pinSnoozedUntil", .is_nullable = true, .format = "date-time", .help = "When it wakes."),
        OUT_BOOLEAN("snoozedForMe", .help = "The same as isSnoozed."),
        OUT_STRING("pinSnoozedUntilForMe", .is_nullable = true, .format = "date-time", .help = "As pinSnoozedUntil."),
        OUT_STRINGS("affectedTaskIds", .help = "The tasks that were put aside or woken."),
        PIN_ROWS,
};
static const struct field_table output = OUTPUT_TABLE("set_group_snooze", output_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return group_set_snooze(call, arguments, result, error);
}

const struct tool tool_set_group_snooze = {
        .name = "set_group_snooze",
        .title = "Snooze a pinned task group",
        .description = "Puts the pinned tasks of a group aside on your own list until a time, or wakes them. Give "
                       "exactly one of until and "
                       "snoozeForMinutes.",
        .input = &input,
        .output = &output,
        .hints = {},
        .toolset = "groups",
        .needs = PERMISSION_BIT(TASKS_CHANGE) | PERMISSION_BIT(TASKS_CHANGE_ANY),
        .mode = TOOL_WRITES,
        .run = run,
};
