#include "server/services/task_shapes.h"
#include "mcp/tools/tools.h"
#include "server/services/model.h"
#include "server/services/task.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct task_follow_up_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of a finished or staged task."),
        STRING_FIELD(struct task_follow_up_input, instructions, .is_required = true, .minimum = 1, .maximum = 200000,
                     .help = "What the agent is to do next."),
        OBJECTS_FIELD(struct task_follow_up_input, attachments, attachment_table, .maximum = UPLOAD_FILES_MAXIMUM,
                      .help = "Files for the agent, put into /task-output/attachments."),
        STRING_FIELD(struct task_follow_up_input, model, .minimum = 1, .maximum = 200,
                     .help = "Model from this turn on, from the catalogue of the task's agent."),
        STRING_FIELD(struct task_follow_up_input, reasoningEffort, .minimum = 1, .maximum = 40,
                     .help = "Reasoning effort from this turn on."),
        STRING_FIELD(struct task_follow_up_input, speed, .choices = model_speeds, .help = "Speed from this turn on."),
        BOOLEAN_FIELD(
                struct task_follow_up_input, queueIfBusy,
                .help = "Queue it behind the turn that runs instead of refusing it; an idle task starts at once."),
        BOOLEAN_FIELD(struct task_follow_up_input, pullLatest,
                      .help = "Pull upstream changes into every repository before the turn; a conflict starts none."),
        STRING_FIELD(struct task_follow_up_input, deliverAt, .minimum = 1, .maximum = 60, .format = "date-time",
                     .help = "Send it later: a date and time with an offset from UTC, at most 30 days ahead."),
        INTEGER_FIELD(struct task_follow_up_input, deliverInMinutes, .minimum = 1, .maximum = 10000000,
                      .help = "Send it so many minutes from now instead, at most 43,200."),
        STRING_FIELD(struct task_follow_up_input, expectedStatus, .choices = task_statuses,
                     .help = "Refuse it when the task is in another status."),
        STRING_FIELD(struct task_follow_up_input, idempotencyKey, .minimum = 1, .maximum = 200,
                     .help = "A key of your own that makes a retry safe: the same key with the same arguments is "
                             "delivered once."),
};
static const struct field_table input = FIELD_TABLE(struct task_follow_up_input, input_rows);

static const struct field output_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the task."),
        OUT_STRING("status", .is_required = true, .choices = task_statuses,
                   .help = "running, or queued while it waits for a free slot."),
        OUT_INTEGER("turnIndex", .is_nullable = true,
                    .help = "Turn that the instructions became, null while they wait."),
        OUT_INTEGER("followUpCount", .help = "Follow-ups so far, this one included."),
        OUT_BOOLEAN("queued", .help = "Present when it waits in the task's queue."),
        OUT_STRING("queuedFollowUpId", .help = "Its entry there."),
        OUT_INTEGER("position", .help = "Its place there, from 1."),
        OUT_BOOLEAN("scheduled", .help = "Present when it was scheduled."),
        OUT_STRING("scheduledFollowUpId", .help = "Its entry in list_task_follow_up_queue."),
        OUT_STRING("deliverAt", .format = "date-time", .help = "When it is due, in UTC."),
        OUT_STRING("followUpState",
                   .help = "Of a scheduled one: scheduled, queued or delivered. Of any: removed, when it was taken out "
                           "before its turn."),
        OUT_STRING("url", .is_nullable = true, .help = "Page of the task."),
        OUT_OBJECT("task", task_shape, .help = "The task as get_task shows it."),
};
static const struct field_table output = OUTPUT_TABLE("follow_up_task", output_rows);

static bool is_prepared_first(const void *arguments)
{
        return task_follow_up_is_prepared_first(arguments);
}

static bool prepare(struct call *call, void *arguments, struct error *error)
{
        return task_follow_up_prepare(call, arguments, error);
}

static void release(const struct services *services, void *arguments, bool is_done)
{
        struct task_follow_up_input *prepared = arguments;

        task_prepared_free(services, take(prepared->prepared), is_done);
}

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return task_follow_up(call, arguments, result, error);
}

const struct tool tool_follow_up_task = {
        .name = "follow_up_task",
        .title = "Follow up on a task",
        .description = "Continues a finished task with more instructions, in the same conversation and workspace, or "
                       "starts a staged one. Returns at once; poll get_task until latestResponse.followUpsSince is 0 "
                       "and the task no longer runs. A task whose turn is still running is refused with task_busy: "
                       "wait for it, pass queueIfBusy to have it delivered when the turn has ended, or end the turn "
                       "with interrupt_task. deliverAt or deliverInMinutes sends it later, also to wake the task up.",
        .input = &input,
        .output = &output,
        .hints = {.is_open_world = true},
        .toolset = "core",
        .needs = PERMISSION_BIT(TASKS_CHANGE) | PERMISSION_BIT(TASKS_CHANGE_ANY),
        .mode = TOOL_WRITES,
        .run = run,
        .is_prepared_first = is_prepared_first,
        .prepare = prepare,
        .release = release,
        .takes_files = true,
};
