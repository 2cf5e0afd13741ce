#include "mcp/tools/tools.h"
#include "server/services/app_server.h"
#include "server/services/app_server_shapes.h"

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return app_server_stop(call, arguments, result, error);
}

const struct tool tool_stop_task_app_server = {
        .name = "stop_task_app_server",
        .title = "Stop the application server",
        .description = "Ends the task's application server with all of its processes, and everybody's access to it. "
                       "Refused when it is in another state than expected.",
        .input = &app_server_change_table,
        .output = &app_server_shape,
        .hints = {.is_idempotent = true},
        .toolset = "panels",
        .needs = PERMISSION_BIT(TASKS_EXECUTE) | PERMISSION_BIT(TASKS_EXECUTE_ANY),
        .audience = TOOL_FOR_PEOPLE,
        .mode = TOOL_BLOCKS,
        .run = run,
};
