#include "mcp/tools/tools.h"
#include "server/services/group.h"
#include "server/services/group_shapes.h"
#include "server/services/task_shapes.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct task_mark_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the task."),
        BOOLEAN_FIELD(struct task_mark_input, loser, .is_required = true,
                      .help = "true: rule it out; false: put it back in the running."),
};
static const struct field_table input = FIELD_TABLE(struct task_mark_input, input_rows);

static const struct field output_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the variant."),
        OUT_STRING("groupId", .help = "Id of its group."),
        OUT_BOOLEAN("isWinner", .help = "Whether it has the star."),
        OUT_BOOLEAN("isLoser", .help = "Whether it is ruled out."),
        OUT_STRING("winnerTaskId", .is_nullable = true, .help = "Variant with the star, null when none has it."),
        OUT_STRINGS("loserTaskIds", .help = "Variants that are ruled out."),
        OUT_STRINGS("evaluableTaskIds", .help = "Variants that a review would evaluate now."),
        OUT_STRINGS("remainingTaskIds", .help = "Variants that are not ruled out."),
        OUT_STRINGS("notes", .help = "What the change did and did not do."),
        OUT_OBJECT("group", group_shape, .help = "The group as it is now."),
        OUT_OBJECT("task", task_shape, .help = "The task as get_task shows it."),
};
static const struct field_table output = OUTPUT_TABLE("set_task_loser", output_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return task_set_loser(call, arguments, result, error);
}

const struct tool tool_set_task_loser = {
        .name = "set_task_loser",
        .title = "Rule a variant out",
        .description = "Marks a variant as a loser, or clears the mark: it is left out of reviews from then on. A "
                       "variant cannot have both "
                       "marks; clear the one before you set the other.",
        .input = &input,
        .output = &output,
        .hints = {.is_idempotent = true},
        .toolset = "groups",
        .needs = PERMISSION_BIT(TASKS_CHANGE) | PERMISSION_BIT(TASKS_CHANGE_ANY),
        .mode = TOOL_WRITES,
        .run = run,
};
