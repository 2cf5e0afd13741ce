#include "server/services/judge.h"

#include "server/base/id.h"
#include "server/rest/operations.h"
#include "server/services/group_shapes.h"
#include "server/services/judge_shapes.h"
#include "server/services/task_shapes.h"

static const struct field resubmit_rows[] = {
        STRING_FIELD(struct judge_task_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the judge."),
        STRING_FIELD(struct judge_task_input, requestId, .is_valid = id_is_uuid, .shape = "a UUID", .format = "uuid",
                     .help = "A fresh UUID that makes a retry safe."),
};
static const struct field_table resubmit_table = FIELD_TABLE(struct judge_task_input, resubmit_rows);

static const struct field apply_rows[] = {
        STRING_FIELD(struct judge_task_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the judge whose recommendation is taken."),
};
static const struct field_table apply_table = FIELD_TABLE(struct judge_task_input, apply_rows);

static const struct field applied_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the variant that is the winner now."),
        OUT_STRING("groupId", .help = "Id of its group."),
        OUT_BOOLEAN("isWinner", .help = "Whether it has the star."),
        OUT_BOOLEAN("isLoser", .help = "Whether it is ruled out."),
        OUT_STRING("winnerTaskId", .is_nullable = true, .help = "Variant with the star."),
        OUT_STRINGS("loserTaskIds", .help = "Variants that are ruled out."),
        OUT_STRINGS("evaluableTaskIds", .help = "Variants that a review would evaluate now."),
        OUT_STRINGS("remainingTaskIds", .help = "Variants that are not ruled out."),
        OUT_STRINGS("notes", .help = "What the change did and did not do."),
        OUT_OBJECT("group", group_shape, .help = "The group as it is now."),
        OUT_OBJECT("task", task_shape, .help = "The variant as get_task shows it."),
};
static const struct field_table applied_shape = OUTPUT_TABLE("applied recommendation", applied_rows);

REST_SERVICE(judge_resubmit, struct judge_task_input)
const struct rest_operation rest_judge_resubmit = {
        .input = &resubmit_table, .output = &judge_run_shape, .mode = REST_BLOCKS, .run = run_judge_resubmit};

REST_SERVICE(judge_apply_winner, struct judge_task_input)
const struct rest_operation rest_judge_apply_winner = {
        .input = &apply_table, .output = &applied_shape, .mode = REST_BLOCKS, .run = run_judge_apply_winner};
