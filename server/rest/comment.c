#include "server/services/comment.h"

#include "server/rest/operations.h"
#include "server/services/changes_shapes.h"

/* clang-format off */
#define TASK_ROW \
        STRING_FIELD(struct comment_input, taskId, .is_required = true, .minimum = 1, .maximum = 100, \
                     .help = "Id of the task.")
#define COMMENT_ROW \
        STRING_FIELD(struct comment_input, commentId, .is_required = true, .minimum = 1, .maximum = 60, \
                     .help = "Id of the comment.")
#define BODY_ROW \
        STRING_FIELD(struct comment_input, body, .is_required = true, .minimum = 1, .maximum = COMMENT_CHARACTERS, \
                     .help = "Its text.")
/* clang-format on */

static const struct field add_rows[] = {TASK_ROW, BODY_ROW};
static const struct field_table add_input = FIELD_TABLE(struct comment_input, add_rows);
REST_SERVICE(comment_add, struct comment_input)
const struct rest_operation rest_comment_add = {
        .input = &add_input, .output = &comment_shape, .mode = REST_WRITES, .run = run_comment_add};

static const struct field edit_rows[] = {TASK_ROW, COMMENT_ROW, BODY_ROW};
static const struct field_table edit_input = FIELD_TABLE(struct comment_input, edit_rows);
REST_SERVICE(comment_edit, struct comment_input)
const struct rest_operation rest_comment_edit = {
        .input = &edit_input, .output = &comment_shape, .mode = REST_WRITES, .run = run_comment_edit};

static const struct field remove_rows[] = {TASK_ROW, COMMENT_ROW};
static const struct field_table remove_input = FIELD_TABLE(struct comment_input, remove_rows);
static const struct field removed_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the task."),
        OUT_STRING("commentId", .is_required = true, .help = "Id of the comment."),
        OUT_BOOLEAN("deleted", .is_required = true, .help = "It is gone."),
};
static const struct field_table removed_output = OUTPUT_TABLE("deleted comment", removed_rows);
REST_SERVICE(comment_remove, struct comment_input)
const struct rest_operation rest_comment_remove = {
        .input = &remove_input, .output = &removed_output, .mode = REST_WRITES, .run = run_comment_remove};
