/* Services of tests and application servers that nothing here calls into: they tell what they were given. */
#include "server/services/app_server.h"
#include "server/services/app_server_shapes.h"
#include "server/services/named_test.h"
#include "tests/mcp/stub.h"

#define ECHO(name, type)                                                                                               \
        bool name(struct call *call, const struct type *input, json_t **result, struct error *error)                   \
        {                                                                                                              \
                (void)call, (void)error;                                                                               \
                *result = json_pack("{s:s}", "taskId", input->taskId);                                                 \
                return true;                                                                                           \
        }

ECHO(test_list, test_list_input)
ECHO(test_run, test_run_input)
ECHO(test_result, test_result_input)
ECHO(app_server_status, app_server_input)
ECHO(app_server_logs, app_server_log_input)
ECHO(app_server_start, app_server_change_input)
ECHO(app_server_stop, app_server_change_input)
ECHO(app_server_restart, app_server_change_input)

const char *const app_server_statuses[] = {"stopped", "running", NULL};
static const struct field change_rows[] = {
        STRING_FIELD(struct app_server_change_input, taskId, .is_required = true),
        STRING_FIELD(struct app_server_change_input, expectedStatus, .is_required = true,
                     .choices = app_server_statuses),
};
const struct field_table app_server_change_table = FIELD_TABLE(struct app_server_change_input, change_rows);
static const struct field rows[] = {OUT_STRING("taskId", .is_required = true)};
const struct field_table app_server_shape = OUTPUT_TABLE("application server", rows);
