#include "mcp/tools/tools.h"
#include "server/services/group.h"
#include "server/services/group_shapes.h"
#include "server/services/task_shapes.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct group_list_input, environment, .minimum = 1, .maximum = 100,
                     .help = "Only groups and tasks of this environment."),
        STRING_FIELD(struct group_list_input, status, .choices = group_filter_statuses,
                     .help = "Only groups with this rolled-up status, and tasks outside groups with this status."),
        BOOLEAN_FIELD(struct group_list_input, createdByMe, .help = "Only what you created."),
        BOOLEAN_FIELD(struct group_list_input, createdByMyTeams,
                      .help = "Only what was created by you or a member of one of your teams."),
        FLAG_FIELD(
                struct group_list_input, pinned,
                .help = "true: only groups of which you have pinned a task, and tasks you have pinned; false: only the "
                        "others."),
        BOOLEAN_FIELD(struct group_list_input, includeSnoozed, .help = "Also what you have put aside at present."),
        BOOLEAN_FIELD(struct group_list_input, includeUngroupedTasks, .preset = 1,
                      .help = "Also the tasks that stand alone, in a list of their own."),
        INTEGER_FIELD(struct group_list_input, limit, .minimum = 1, .maximum = 100, .preset = 25,
                      .help = "Groups to return at most, and as many tasks that stand alone."),
        INTEGER_FIELD(struct group_list_input, offset, .maximum = 10000,
                      .help = "Groups and tasks to skip; for short lists. Use cursor to walk long ones."),
        STRING_FIELD(
                struct group_list_input, cursor, .minimum = 1, .maximum = 200,
                .help = "nextCursor of the page before, with the same filters: both lists continue exactly there."),
};
static const struct field_table input = FIELD_TABLE(struct group_list_input, input_rows);

static const struct field output_rows[] = {
        OUT_OBJECTS("groups", group_shape, .is_required = true, .help = "Newest first."),
        OUT_OBJECTS("ungroupedTasks", task_shape, .help = "Tasks that stand alone, newest first."),
        OUT_INTEGER("total", .is_nullable = true,
                    .help = "How many groups there are in all, null when that is too many."),
        OUT_INTEGER("totalAtLeast", .help = "How many groups there are at least, when total is null."),
        OUT_INTEGER("ungroupedTotal", .is_nullable = true, .help = "The same for tasks that stand alone."),
        OUT_INTEGER("ungroupedTotalAtLeast",
                    .help = "How many of them there are at least, when ungroupedTotal is null."),
        OUT_INTEGER("nextOffset", .is_nullable = true, .help = "Offset of the next page, null on the last."),
        OUT_STRING("nextCursor", .is_nullable = true, .help = "Cursor of the next page, null on the last."),
};
static const struct field_table output = OUTPUT_TABLE("list_task_groups", output_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return group_list(call, arguments, result, error);
}

const struct tool tool_list_task_groups = {
        .name = "list_task_groups",
        .title = "List task groups",
        .description = "Lists the task groups you can see, newest first: one entry for the same work done by several "
                       "agents and its "
                       "reviews, with its rolled-up status and outcome. Tasks that stand alone come beside them in "
                       "ungroupedTasks. What you "
                       "have put aside is left out unless you ask for it.",
        .input = &input,
        .output = &output,
        .hints = {.reads_only = true, .is_idempotent = true},
        .toolset = "groups",
        .needs = PERMISSION_BIT(TASKS_VIEW) | PERMISSION_BIT(TASKS_VIEW_ANY),
        .mode = TOOL_READS,
        .run = run,
};
