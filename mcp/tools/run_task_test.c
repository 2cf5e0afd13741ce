#include "mcp/tools/tools.h"
#include "server/services/named_test.h"

static bool is_any_name(const char *name)
{
        return *name;
}

static const struct field input_rows[] = {
        STRING_FIELD(struct test_run_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of a task whose agent does not work."),
        STRING_FIELD(struct test_run_input, testName, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Name of the test, exactly as list_task_tests shows it."),
        MAP_FIELD(struct test_run_input, parameters, .maximum = 50, .is_valid = is_any_name, .shape = "a name",
                  .help = "Values of declared parameters, by name. No secrets: they are given by the server."),
};
static const struct field_table input = FIELD_TABLE(struct test_run_input, input_rows);

static const struct field output_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the task."),
        OUT_STRING("testName", .is_required = true, .help = "Name of the test."),
        OUT_STRING("runId", .is_required = true, .help = "Id of the run."),
        OUT_STRING("status", .is_required = true, .help = "running."),
        OUT_STRING("startedAt", .format = "date-time", .help = "When it was started."),
};
static const struct field_table output = OUTPUT_TABLE("run_task_test", output_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return test_run(call, arguments, result, error);
}

const struct tool tool_run_task_test = {
        .name = "run_task_test",
        .title = "Run a named test",
        .description = "Starts a named test of the environment in the task's container, which is started first when it "
                       "does not run. Follow it with get_task_test_run. Needs a task whose agent does not work; a run "
                       "whose end is not known is never repeated.",
        .input = &input,
        .output = &output,
        .hints = {},
        .toolset = "panels",
        .needs = PERMISSION_BIT(TASKS_EXECUTE) | PERMISSION_BIT(TASKS_EXECUTE_ANY),
        .audience = TOOL_FOR_PEOPLE,
        .mode = TOOL_BLOCKS,
        .run = run,
};
