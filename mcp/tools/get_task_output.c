#include "server/services/task_shapes.h"
#include "mcp/tools/tools.h"
#include "server/services/judge_shapes.h"
#include "server/services/task.h"

static const char *const sections[] = {"summary", "recommendation", "responses", "variants", "failure", "files", NULL};

static const struct field input_rows[] = {
        STRING_FIELD(struct task_output_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the task."),
        STRINGS_FIELD(struct task_output_input, include, .choices = sections, .maximum = 6,
                      .help = "Sections to return; all but variants when left out."),
};
static const struct field_table input = FIELD_TABLE(struct task_output_input, input_rows);

static const struct field summary_rows[] = {
        OUT_STRING("content", .is_nullable = true, .help = "The summary."),
        OUT_STRING("source", .is_nullable = true, .help = "Where it comes from."),
        OUT_STRING("path", .is_nullable = true, .help = "File for read_task_file."),
        OUT_BOOLEAN("isPlaceholder", .help = "Whether the agent never wrote one."),
        OUT_BOOLEAN("truncated", .help = "Whether it was cut."),
        OUT_INTEGER("totalChars", .is_nullable = true,
                    .help = "Characters of the whole; null when it is too long to be counted."),
        OUT_OBJECT("provenance", provenance_shape, .is_nullable = true, .help = "How old it is."),
};
static const struct field_table summary_shape = OUTPUT_TABLE("summary", summary_rows);

static const struct field file_rows[] = {
        OUT_STRING("path", .is_required = true, .help = "Path for read_task_file."),
        OUT_INTEGER("size", .help = "Bytes."),
        OUT_STRING("modifiedAt", .is_nullable = true, .format = "date-time", .help = "When it was last written."),
};
static const struct field_table file_shape = OUTPUT_TABLE("file", file_rows);

static const struct field output_rows[] = {
        OUT_STRING("taskId", .help = "Id of the task."),
        OUT_STRING("status", .choices = task_statuses, .help = "What the task does now."),
        OUT_BOOLEAN("contentWithheld",
                    .help = "Present when you may not see all that the task holds copies of: there are "
                            "no sections then."),
        OUT_OBJECT("summary", summary_shape, .is_nullable = true, .help = "The agent's summary, or the best there is."),
        OUT_OBJECT("recommendation", recommendation_shape, .is_nullable = true,
                   .help = "Verdict of a judge or review task, null for others."),
        OUT_ANY("responses", .help = "The conversation: instructions and the agent's replies, in order."),
        OUT_ANY("variants",
                .help = "What a judge was given, by label: {summary, responses, history, diffs, diffsPath}."),
        OUT_OBJECT("failure", failure_shape, .is_nullable = true, .help = "Why the task failed, null if it did not."),
        OUT_OBJECTS("files", file_shape, .help = "Files the task left under /task-output."),
};
static const struct field_table output = OUTPUT_TABLE("get_task_output", output_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return task_output(call, arguments, result, error);
}

const struct tool tool_get_task_output = {
        .name = "get_task_output",
        .title = "Get a task's output",
        .description =
                "Returns what a task produced: the agent's summary and how current it is, the visible conversation "
                "turn by turn, why it failed if it did, and the list of files under /task-output. Choose sections with "
                "include to keep the result small. Long texts are cut; read them whole with read_task_file.",
        .input = &input,
        .output = &output,
        .hints = {.reads_only = true, .is_idempotent = true},
        .toolset = "core",
        .needs = PERMISSION_BIT(TASKS_VIEW) | PERMISSION_BIT(TASKS_VIEW_ANY),
        .mode = TOOL_READS,
        .run = run,
};
