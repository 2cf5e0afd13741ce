#include "mcp/tools/tools.h"
#include "server/services/group.h"
#include "server/services/group_shapes.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct group_get_input, groupId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the group, as tasks carry it in groupId; it starts with g-."),
};
static const struct field_table input = FIELD_TABLE(struct group_get_input, input_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return group_get(call, arguments, result, error);
}

const struct tool tool_get_task_group = {
        .name = "get_task_group",
        .title = "Get a task group",
        .description = "Returns a task group as list_task_groups shows it, with its tasks: the variants in the order "
                       "in which they were "
                       "submitted, then the reviews.",
        .input = &input,
        .output = &group_details_shape,
        .hints = {.reads_only = true, .is_idempotent = true},
        .toolset = "groups",
        .needs = PERMISSION_BIT(TASKS_VIEW) | PERMISSION_BIT(TASKS_VIEW_ANY),
        .mode = TOOL_READS,
        .run = run,
};
