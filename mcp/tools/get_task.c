#include "server/services/task_shapes.h"
#include "mcp/tools/tools.h"
#include "server/services/task.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct task_get_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the task."),
        INTEGER_FIELD(struct task_get_input, latestResponseMaxChars, .minimum = 1, .maximum = 200000, .preset = 12000,
                      .help = "Characters of the end of the agent's reply to return."),
        BOOLEAN_FIELD(struct task_get_input, fullLatestResponse,
                      .help = "Return the whole reply, as far as a result has room for it."),
        BOOLEAN_FIELD(struct task_get_input, includeLatestResponse, .preset = 1,
                      .help = "Whether to return the agent's latest reply."),
        BOOLEAN_FIELD(struct task_get_input, includeSummary,
                      .help = "Also return the summary file, which the agent may have written long ago; "
                              "summaryProvenance says how old it is."),
        BOOLEAN_FIELD(struct task_get_input, includeOutput,
                      .help = "Also return the end of what the agent's process printed."),
        INTEGER_FIELD(struct task_get_input, outputMaxChars, .minimum = 1, .maximum = 200000, .preset = 20000,
                      .help = "Characters of the end of that output to return."),
};
static const struct field_table input = FIELD_TABLE(struct task_get_input, input_rows);

/* The caller chose their size. */
static const struct bound_exemption sized[] = {
        {"latestResponse", "content"},
        {"deployment", "output"},
        {NULL, "output"},
        {NULL, NULL},
};

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return task_get(call, arguments, result, error);
}

const struct tool tool_get_task = {
        .name = "get_task",
        .title = "Get a task",
        .description =
                "Returns a task's status, settings and cost, and the agent's latest reply. Use it to wait for a task: "
                "call it every few seconds until the status is neither queued nor running. latestResponse is the end "
                "of the reply; followUpsSince is 0 when it answers the latest instruction. Where the reply asks "
                "something "
                "(a question, a triage list, a ranking) it holds the choices and how to answer: send the answer with "
                "follow_up_task. A failed task carries failure, which says at which stage and why. Use "
                "get_task_output for the files the agent left.",
        .input = &input,
        .output = &task_details_shape,
        .hints = {.reads_only = true, .is_idempotent = true},
        .toolset = "core",
        .needs = PERMISSION_BIT(TASKS_VIEW) | PERMISSION_BIT(TASKS_VIEW_ANY),
        .mode = TOOL_READS,
        .run = run,
        .bounds = {.exempt = sized},
};
