#include "server/services/follow_up.h"

#include "server/rest/operations.h"
#include "server/services/follow_up_shapes.h"

/* clang-format off */
#define ENTRY_ROWS \
        STRING_FIELD(struct queue_entry_input, taskId, .is_required = true, .minimum = 1, .maximum = 100, \
                     .help = "Id of the task."), \
        STRING_FIELD(struct queue_entry_input, entryId, .is_required = true, .minimum = 1, .maximum = 60, \
                     .help = "Id of the entry."), \
        INTEGER_FIELD(struct queue_entry_input, version, .is_required = true, .minimum = 1, \
                      .help = "Version of the entry that you read.")
/* clang-format on */

static const struct field edit_rows[] = {
        ENTRY_ROWS,
        STRING_FIELD(struct queue_entry_input, instructions, .minimum = 1, .maximum = 200000, .help = "The new text."),
        STRING_FIELD(struct queue_entry_input, deliverAt, .minimum = 1, .maximum = 60, .format = "date-time",
                     .help = "The new time of a scheduled one, with an offset from UTC."),
        INTEGER_FIELD(struct queue_entry_input, deliverInMinutes, .minimum = 1, .maximum = 10000000,
                      .help = "Its new time as minutes from now."),
        FLAG_FIELD(struct queue_entry_input, pullLatest, .help = "Whether upstream changes are pulled before it."),
};
static const struct field_table edit_input = FIELD_TABLE(struct queue_entry_input, edit_rows);

REST_SERVICE(queue_entry_edit, struct queue_entry_input)
const struct rest_operation rest_queue_entry_edit = {
        .input = &edit_input, .output = &queue_entry_shape, .mode = REST_WRITES, .run = run_queue_entry_edit};

static const struct field entry_rows[] = {ENTRY_ROWS};
static const struct field_table entry_input = FIELD_TABLE(struct queue_entry_input, entry_rows);
static const struct field removed_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the task."),
        OUT_STRING("entryId", .is_required = true, .help = "Id of the entry."),
        OUT_BOOLEAN("removed", .is_required = true, .help = "It is not delivered any more."),
};
static const struct field_table removed_output = OUTPUT_TABLE("removed follow-up", removed_rows);

REST_SERVICE(queue_entry_remove, struct queue_entry_input)
const struct rest_operation rest_queue_entry_remove = {
        .input = &entry_input, .output = &removed_output, .mode = REST_BLOCKS, .run = run_queue_entry_remove};

REST_SERVICE(queue_entry_send, struct queue_entry_input)
const struct rest_operation rest_queue_entry_send = {
        .input = &entry_input, .output = &queue_entry_shape, .mode = REST_WRITES, .run = run_queue_entry_send};
