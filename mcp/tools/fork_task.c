#include "server/services/task_shapes.h"
#include "mcp/tools/tools.h"
#include "server/base/id.h"
#include "server/services/fork.h"
#include "server/services/task.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct task_fork_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the task to copy; it must not be at work."),
        STRING_FIELD(struct task_fork_input, name, .minimum = 1, .maximum = 120,
                     .help = "Name of the copy; by default that of the task with (fork) behind it."),
        STRING_FIELD(struct task_fork_input, instructions, .minimum = 1, .maximum = 200000,
                     .help = "What the agent of the copy is to do next; without it the copy waits for a follow-up."),
        STRING_FIELD(struct task_fork_input, requestId, .is_valid = id_is_uuid, .shape = "a UUID", .format = "uuid",
                     .help = "A UUID of your own that makes a retry safe: the same id with the same arguments gives "
                             "the same copy."),
};
static const struct field_table input = FIELD_TABLE(struct task_fork_input, input_rows);

static const struct field output_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the copy."),
        OUT_STRING("name", .is_nullable = true, .help = "Its name."),
        OUT_STRING("environment", .help = "Environment it runs in."),
        OUT_STRING("agent", .help = "Agent that works on it."),
        OUT_STRING("status", .is_required = true, .choices = task_statuses, .help = "What the copy does now."),
        OUT_STRING("url", .is_nullable = true, .help = "Page of the copy."),
        OUT_BOOLEAN("isPinned", .help = "Whether it is pinned."),
        OUT_STRING("sourceTaskId", .is_nullable = true, .help = "Id of the task it was copied from."),
        OUT_OBJECT("task", task_shape, .help = "The copy as get_task shows it."),
};
static const struct field_table output = OUTPUT_TABLE("fork_task", output_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return task_fork(call, arguments, result, error);
}

const struct tool tool_fork_task = {
        .name = "fork_task",
        .title = "Fork a task",
        .description =
                "Copies a task that is not at work: its conversation, workspace and output become a task of your "
                "own with a container of its own, whose agent remembers what was said. The task itself stays as "
                "it is. Pass instructions to have the copy go on at once. What waits in the task's queue is not "
                "copied.",
        .input = &input,
        .output = &output,
        .hints = {.is_open_world = true},
        .toolset = "conversation",
        .needs = PERMISSION_BIT(TASKS_CREATE),
        .mode = TOOL_BLOCKS,
        .run = run,
};
