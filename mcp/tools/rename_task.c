#include "server/services/task_shapes.h"
#include "mcp/tools/tools.h"
#include "server/services/task.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct task_rename_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the task."),
        STRING_FIELD(struct task_rename_input, name, .is_required = true, .minimum = 1, .maximum = 120,
                     .help = "The new name."),
};
static const struct field_table input = FIELD_TABLE(struct task_rename_input, input_rows);

static const struct field output_rows[] = {
        OUT_STRINGS("renamedTaskIds", .is_required = true, .help = "Every task that was renamed."),
        OUT_ANY("previousNames", .help = "The name each had before, null for none, by task id."),
        OUT_MAP("newNames", .help = "The name each has now, by task id."),
        OUT_ANY("previousNameSources", .help = "Whether the previous name was generated, chosen or unset (null)."),
        OUT_STRING("scope", .help = "What was renamed: the one task."),
        OUT_OBJECT("task", task_shape, .help = "The task as get_task shows it."),
};
static const struct field_table output = OUTPUT_TABLE("rename_task", output_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return task_rename(call, arguments, result, error);
}

const struct tool tool_rename_task = {
        .name = "rename_task",
        .title = "Rename a task",
        .description =
                "Gives a task another name, so that people find it on their lists. Answers with the name that it had, "
                "so that the change can be taken back.",
        .input = &input,
        .output = &output,
        .hints = {.is_idempotent = true},
        .toolset = "core",
        .needs = PERMISSION_BIT(TASKS_CHANGE) | PERMISSION_BIT(TASKS_CHANGE_ANY),
        .mode = TOOL_WRITES,
        .run = run,
};
