#include "mcp/tools/tools.h"
#include "server/services/app_server.h"
#include "server/services/app_server_shapes.h"

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return app_server_start(call, arguments, result, error);
}

const struct tool tool_start_task_app_server = {
        .name = "start_task_app_server",
        .title = "Start the application server",
        .description = "Starts the application server of the task's environment in the task's container, which is "
                       "started first when it does not run. Waits a moment for its first answer; ask "
                       "get_task_app_server_status afterwards. "
                       "Refused when it is in another state than expected.",
        .input = &app_server_change_table,
        .output = &app_server_shape,
        .hints = {},
        .toolset = "panels",
        .needs = PERMISSION_BIT(TASKS_EXECUTE) | PERMISSION_BIT(TASKS_EXECUTE_ANY),
        .audience = TOOL_FOR_PEOPLE,
        .mode = TOOL_BLOCKS,
        .run = run,
};
