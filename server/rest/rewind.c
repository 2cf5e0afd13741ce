#include "server/services/rewind.h"

#include "server/rest/operations.h"
#include "server/services/task_shapes.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct rewind_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the task."),
        INTEGER_FIELD(struct rewind_input, pointId, .is_required = true, .maximum = 1000000,
                      .help = "A point of list_task_rewind_points: what came after it is discarded."),
};
static const struct field_table rewind_table = FIELD_TABLE(struct rewind_input, input_rows);

static const struct field output_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the task."),
        OUT_INTEGER("pointId", .is_required = true, .help = "The point."),
        OUT_INTEGER("turn", .help = "Turn after which the conversation goes on."),
        OUT_INTEGER("discardedTurns", .is_required = true, .help = "Turns that are on a discarded branch now."),
        OUT_OBJECT("task", task_shape, .help = "The task as get_task shows it."),
};
static const struct field_table output = OUTPUT_TABLE("rewound task", output_rows);

REST_SERVICE(task_rewind, struct rewind_input)
const struct rest_operation rest_task_rewind = {
        .input = &rewind_table, .output = &output, .mode = REST_WRITES, .run = run_task_rewind};
