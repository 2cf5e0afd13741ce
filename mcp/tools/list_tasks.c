#include "server/services/task_shapes.h"
#include "mcp/tools/tools.h"
#include "server/services/task.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct task_list_input, environment, .minimum = 1, .maximum = 100,
                     .help = "Only tasks of this environment."),
        STRING_FIELD(struct task_list_input, status, .choices = task_statuses, .help = "Only tasks in this status."),
        STRING_FIELD(struct task_list_input, groupId, .minimum = 1, .maximum = 100,
                     .help = "Only tasks of this group (an id that starts with g-)."),
        BOOLEAN_FIELD(struct task_list_input, createdByMe, .help = "Only tasks you created."),
        BOOLEAN_FIELD(struct task_list_input, createdByMyTeams,
                      .help = "Only tasks created by you or a member of one of your teams."),
        FLAG_FIELD(struct task_list_input, pinned, .help = "true: only pinned tasks; false: only those that are not."),
        BOOLEAN_FIELD(struct task_list_input, includeSnoozed, .help = "Also those that are snoozed at present."),
        INTEGER_FIELD(struct task_list_input, limit, .minimum = 1, .maximum = 100, .preset = 25,
                      .help = "Tasks to return at most."),
        INTEGER_FIELD(struct task_list_input, offset, .maximum = 10000,
                      .help = "Tasks to skip; for short lists. Use cursor to walk a long one."),
        STRING_FIELD(struct task_list_input, cursor, .minimum = 1, .maximum = 200,
                     .help = "nextCursor of the page before, with the same filters: continues exactly there."),
};
static const struct field_table input = FIELD_TABLE(struct task_list_input, input_rows);

static const struct field output_rows[] = {
        OUT_OBJECTS("tasks", task_shape, .is_required = true, .help = "Newest first."),
        OUT_INTEGER("total", .is_nullable = true, .help = "How many there are in all, null when that is too many."),
        OUT_INTEGER("totalAtLeast", .help = "How many there are at least, when total is null."),
        OUT_INTEGER("nextOffset", .is_nullable = true, .help = "Offset of the next page, null on the last."),
        OUT_STRING("nextCursor", .is_nullable = true, .help = "Cursor of the next page, null on the last."),
};
static const struct field_table output = OUTPUT_TABLE("list_tasks", output_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return task_list(call, arguments, result, error);
}

const struct tool tool_list_tasks = {
        .name = "list_tasks",
        .title = "List tasks",
        .description = "Lists the tasks you can see, newest first, without their replies. Filters narrow the list by "
                       "environment, status, group, creator and pin; tasks that are snoozed at present are left out "
                       "unless you ask for them. Continue with nextCursor for the next page.",
        .input = &input,
        .output = &output,
        .hints = {.reads_only = true, .is_idempotent = true},
        .toolset = "core",
        .needs = PERMISSION_BIT(TASKS_VIEW) | PERMISSION_BIT(TASKS_VIEW_ANY),
        .mode = TOOL_READS,
        .run = run,
};
