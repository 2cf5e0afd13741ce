#include "mcp/tools/tools.h"
#include "server/services/follow_up.h"
#include "server/services/task.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct queue_resume_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the task."),
};
static const struct field_table input = FIELD_TABLE(struct queue_resume_input, input_rows);

static const struct field output_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the task."),
        OUT_STRING("status", .is_required = true, .choices = task_statuses, .help = "What the task does now."),
        OUT_BOOLEAN("resumed", .is_required = true, .help = "Whether the queue had been paused."),
        OUT_INTEGER("queuedFollowUps", .help = "Follow-ups that still wait."),
        OUT_INTEGER("followUpCount", .help = "Follow-ups so far."),
};
static const struct field_table output = OUTPUT_TABLE("resume_task_follow_up_queue", output_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return queue_resume(call, arguments, result, error);
}

const struct tool tool_resume_task_follow_up_queue = {
        .name = "resume_task_follow_up_queue",
        .title = "Resume a task's follow-up queue",
        .description =
                "Lets a paused queue of follow-ups go on. A queue is paused when the turn before it was stopped, "
                "interrupted or failed. When the task is idle, what stands first in the queue starts as its next "
                "turn at once. Repeating the call does no harm.",
        .input = &input,
        .output = &output,
        .hints = {.is_idempotent = true, .is_open_world = true},
        .toolset = "conversation",
        .needs = PERMISSION_BIT(TASKS_CHANGE) | PERMISSION_BIT(TASKS_CHANGE_ANY),
        .mode = TOOL_WRITES,
        .run = run,
};
