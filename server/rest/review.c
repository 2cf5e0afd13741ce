#include "server/services/judge_pending.h"

#include "server/rest/operations.h"
#include "server/services/review_loop.h"

static const struct field get_rows[] = {
        STRING_FIELD(struct review_loop_get_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the variant."),
};
static const struct field_table get_input = FIELD_TABLE(struct review_loop_get_input, get_rows);

REST_SERVICE(review_loop_get, struct review_loop_get_input)
const struct rest_operation rest_review_loop_get = {
        .input = &get_input, .output = &review_loop_shape, .mode = REST_READS, .run = run_review_loop_get};

static const struct field stop_rows[] = {
        STRING_FIELD(struct review_loop_input, loopId, .is_required = true, .minimum = 1, .maximum = 60,
                     .help = "Id of the loop."),
};
static const struct field_table stop_input = FIELD_TABLE(struct review_loop_input, stop_rows);

REST_SERVICE(review_loop_stop, struct review_loop_input)
const struct rest_operation rest_review_loop_stop = {
        .input = &stop_input, .output = &review_loop_shape, .mode = REST_WRITES, .run = run_review_loop_stop};

static const struct field continue_rows[] = {
        STRING_FIELD(struct review_loop_input, loopId, .is_required = true, .minimum = 1, .maximum = 60,
                     .help = "Id of the loop."),
        INTEGER_FIELD(struct review_loop_input, maxRounds, .minimum = 1, .maximum = LOOP_ROUNDS_MAXIMUM, .preset = 3,
                      .help = "Rounds that it may take from now on."),
};
static const struct field_table continue_input = FIELD_TABLE(struct review_loop_input, continue_rows);

REST_SERVICE(review_loop_continue, struct review_loop_input)
const struct rest_operation rest_review_loop_continue = {
        .input = &continue_input, .output = &review_loop_shape, .mode = REST_WRITES, .run = run_review_loop_continue};

static const struct field group_rows[] = {
        STRING_FIELD(struct judge_pending_list_input, groupId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the group."),
};
static const struct field_table group_input = FIELD_TABLE(struct judge_pending_list_input, group_rows);

static const struct field task_rows[] = {
        STRING_FIELD(struct judge_pending_list_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the task."),
};
static const struct field_table task_input = FIELD_TABLE(struct judge_pending_list_input, task_rows);

REST_SERVICE(judge_pending_automatic, struct judge_pending_list_input)
const struct rest_operation rest_group_automatic_reviews = {.input = &group_input,
                                                            .output = &judge_pending_list_shape,
                                                            .mode = REST_READS,
                                                            .run = run_judge_pending_automatic};
const struct rest_operation rest_task_automatic_reviews = {.input = &task_input,
                                                           .output = &judge_pending_list_shape,
                                                           .mode = REST_READS,
                                                           .run = run_judge_pending_automatic};
