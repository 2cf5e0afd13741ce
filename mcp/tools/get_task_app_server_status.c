#include "mcp/tools/tools.h"
#include "server/services/app_server.h"
#include "server/services/app_server_shapes.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct app_server_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the task."),
};
static const struct field_table input = FIELD_TABLE(struct app_server_input, input_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return app_server_status(call, arguments, result, error);
}

const struct tool tool_get_task_app_server_status = {
        .name = "get_task_app_server_status",
        .title = "See whether the application server runs",
        .description =
                "Tells what the task's application server is found doing and whether its port takes connections. "
                "Starts nothing. Give the status to start_, stop_ and restart_task_app_server as "
                "expectedStatus.",
        .input = &input,
        .output = &app_server_shape,
        .hints = {.reads_only = true, .is_idempotent = true},
        .toolset = "panels",
        .needs = PERMISSION_BIT(TASKS_EXECUTE) | PERMISSION_BIT(TASKS_EXECUTE_ANY),
        .mode = TOOL_READS,
        .is_slow = true,
        .run = run,
};
