#include "mcp/tools/tools.h"
#include "server/services/rewind.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct rewind_list_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the task."),
        INTEGER_FIELD(struct rewind_list_input, offset, .maximum = 100000, .help = "Points to skip."),
        INTEGER_FIELD(struct rewind_list_input, limit, .minimum = 1, .maximum = 100, .preset = 25,
                      .help = "Points to return at most."),
};
static const struct field_table input = FIELD_TABLE(struct rewind_list_input, input_rows);

static const struct field point_rows[] = {
        OUT_INTEGER("pointId", .is_required = true,
                    .help = "The follow-up after whose turn the conversation would go on; 0 is the first prompt."),
        OUT_INTEGER("turn", .is_required = true, .help = "Turn of the conversation."),
        OUT_STRING("timestamp", .is_nullable = true, .format = "date-time", .help = "When it was submitted."),
        OUT_BOOLEAN("isCurrent", .help = "Whether the conversation stands there now."),
};
static const struct field_table point_shape = OUTPUT_TABLE("rewind point", point_rows);

static const struct field output_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the task."),
        OUT_STRING("status", .is_required = true, .help = "available, or empty when there is none yet."),
        OUT_OBJECTS("points", point_shape, .is_required = true, .help = "Oldest first."),
        OUT_INTEGER("total", .help = "How many there are in all."),
        OUT_INTEGER("nextOffset", .is_nullable = true, .help = "Offset of the next page, null on the last."),
};
static const struct field_table output = OUTPUT_TABLE("list_task_rewind_points", output_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return rewind_list(call, arguments, result, error);
}

const struct tool tool_list_task_rewind_points = {
        .name = "list_task_rewind_points",
        .title = "List a task's rewind points",
        .description = "Lists the turns of the conversation that a person can rewind it to, oldest first. Turns that "
                       "were rewound away before are not among them. Rewinding itself is done on the task's page.",
        .input = &input,
        .output = &output,
        .hints = {.reads_only = true, .is_idempotent = true},
        .toolset = "conversation",
        .needs = PERMISSION_BIT(TASKS_VIEW) | PERMISSION_BIT(TASKS_VIEW_ANY),
        .mode = TOOL_READS,
        .run = run,
};
