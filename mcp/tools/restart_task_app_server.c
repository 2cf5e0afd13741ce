#include "mcp/tools/tools.h"
#include "server/services/app_server.h"
#include "server/services/app_server_shapes.h"

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return app_server_restart(call, arguments, result, error);
}

const struct tool tool_restart_task_app_server = {
        .name = "restart_task_app_server",
        .title = "Restart the application server",
        .description = "Ends the task's application server and starts it again. Whoever had it open asks for its "
                       "address anew. "
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
