#include "mcp/tools/tools.h"
#include "server/services/group_shapes.h"
#include "server/services/task.h"
#include "server/services/task_shapes.h"

static const char *const scopes[] = {"group", "task", NULL};

static const struct field input_rows[] = {
        STRING_FIELD(struct task_rename_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the task."),
        STRING_FIELD(struct task_rename_input, name, .is_required = true, .minimum = 1, .maximum = 120,
                     .help = "The new name."),
        STRING_FIELD(struct task_rename_input, scope, .choices = scopes,
                     .help = "group (when left out): every task of its group is renamed alike; task: only this one."),
};
static const struct field_table input = FIELD_TABLE(struct task_rename_input, input_rows);

static const struct field output_rows[] = {
        RENAME_ROWS,
        OUT_STRING("scope", .help = "What was renamed: task or group."),
        OUT_STRING("groupId", .help = "The group that was renamed."),
        OUT_STRING("note", .help = "Present when the rest of the task's group kept its names."),
        OUT_OBJECTS("tasks", task_shape, .help = "All tasks of the group as get_task shows them."),
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
                "Gives a task another name, so that people find it on their lists. A group is renamed as a whole "
                "unless "
                "scope is task; its reviews keep their prefix. Answers with the names there were, so that the change "
                "can be taken back.",
        .input = &input,
        .output = &output,
        .hints = {.is_idempotent = true},
        .toolset = "core",
        .needs = PERMISSION_BIT(TASKS_CHANGE) | PERMISSION_BIT(TASKS_CHANGE_ANY),
        .mode = TOOL_WRITES,
        .run = run,
};
