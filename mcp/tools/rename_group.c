#include "mcp/tools/tools.h"
#include "server/services/group.h"
#include "server/services/group_shapes.h"
#include "server/services/task_shapes.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct group_rename_input, groupId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the group, as tasks carry it in groupId; it starts with g-."),
        STRING_FIELD(struct group_rename_input, name, .is_required = true, .minimum = 1, .maximum = 120,
                     .help = "The new name."),
};
static const struct field_table input = FIELD_TABLE(struct group_rename_input, input_rows);

static const struct field output_rows[] = {
        OUT_STRING("groupId", .is_required = true, .help = "Id of the group."),
        RENAME_ROWS,
        OUT_OBJECTS("tasks", task_shape, .help = "The renamed tasks as get_task shows them."),
};
static const struct field_table output = OUTPUT_TABLE("rename_group", output_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return group_rename(call, arguments, result, error);
}

const struct tool tool_rename_group = {
        .name = "rename_group",
        .title = "Rename a task group",
        .description = "Names every task of a group, its reviews too, which keep their prefix. You must be allowed to "
                       "change each of them; "
                       "otherwise nothing is renamed.",
        .input = &input,
        .output = &output,
        .hints = {.is_idempotent = true},
        .toolset = "groups",
        .needs = PERMISSION_BIT(TASKS_CHANGE) | PERMISSION_BIT(TASKS_CHANGE_ANY),
        .mode = TOOL_WRITES,
        .run = run,
};
