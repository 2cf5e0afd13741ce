#include "mcp/tools/tools.h"
#include "server/services/group_shapes.h"
#include "server/services/pin.h"
#include "server/services/task_shapes.h"

static const struct field pinned_rows[] = {
        OUT_STRING("groupId", .is_required = true, .help = "Id of the group."),
        OUT_STRINGS("taskIds", .help = "Its tasks that you can see."),
        OUT_ANY("previousPinStates", .help = "Whether each was on your list before, by task id."),
        PIN_ROWS,
};
static const struct field_table pinned_shape = OUTPUT_TABLE("pinned group", pinned_rows);

static const struct field input_rows[] = {
        STRINGS_FIELD(struct group_pin_input, groupIds, .is_required = true, .minimum = 1,
                      .maximum = PIN_GROUPS_MAXIMUM, .help = "Ids of the groups."),
        BOOLEAN_FIELD(struct group_pin_input, pinned, .is_required = true,
                      .help = "true: pin them; false: unpin them."),
};
static const struct field_table input = FIELD_TABLE(struct group_pin_input, input_rows);

static const struct field output_rows[] = {
        OUT_BOOLEAN("pinned", .is_required = true, .help = "What was asked for."),
        OUT_OBJECTS("groups", pinned_shape, .is_required = true, .help = "What changed in each group."),
        OUT_ANY("orphanedObjectives", .help = "Objectives left without pinned tasks on your list."),
};
static const struct field_table output = OUTPUT_TABLE("set_group_pinned", output_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return group_set_pinned(call, arguments, result, error);
}

const struct tool tool_set_group_pinned = {
        .name = "set_group_pinned",
        .title = "Pin or unpin task groups",
        .description = "Puts every task of one or more groups that you can see on your own pinned list, or takes them "
                       "off: the usual way to "
                       "clear finished groups from it. Every group is checked first; one that is wrong refuses all.",
        .input = &input,
        .output = &output,
        .hints = {.is_idempotent = true},
        .toolset = "groups",
        .needs = PERMISSION_BIT(TASKS_VIEW) | PERMISSION_BIT(TASKS_VIEW_ANY),
        .mode = TOOL_WRITES,
        .run = run,
};
