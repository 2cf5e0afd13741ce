#include "server/services/task.h"

#include "server/rest/operations.h"
#include "server/services/task_shapes.h"

#define TASK_ID(S) STRING_FIELD(S, taskId, .is_required = true, .minimum = 1, .maximum = 100, .help = "Id of the task.")

static const struct field share_rows[] = {
        TASK_ID(struct task_share_input),
        BOOLEAN_FIELD(struct task_share_input, shared, .is_required = true,
                      .help = "Whether others who may see the environment's tasks see this one."),
};
static const struct field_table share_input = FIELD_TABLE(struct task_share_input, share_rows);

REST_SERVICE(task_share, struct task_share_input)
const struct rest_operation rest_task_share = {
        .input = &share_input, .output = &task_shape, .mode = REST_WRITES, .run = run_task_share};

static const struct field start_rows[] = {TASK_ID(struct task_start_input)};
static const struct field_table start_input = FIELD_TABLE(struct task_start_input, start_rows);

REST_SERVICE(task_start, struct task_start_input)
const struct rest_operation rest_task_start = {
        .input = &start_input, .output = &task_shape, .mode = REST_WRITES, .run = run_task_start};

static const struct field delete_rows[] = {TASK_ID(struct task_delete_input)};
static const struct field_table delete_input = FIELD_TABLE(struct task_delete_input, delete_rows);
static const struct field deleted_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the task."),
        OUT_BOOLEAN("deleted", .is_required = true, .help = "It is gone, with its files and its workspace."),
};
static const struct field_table deleted_output = OUTPUT_TABLE("deleted task", deleted_rows);

REST_SERVICE(task_delete, struct task_delete_input)
const struct rest_operation rest_task_delete = {
        .input = &delete_input, .output = &deleted_output, .mode = REST_BLOCKS, .run = run_task_delete};

struct task_files_input {
        const char *taskId;
};
static const struct field files_rows[] = {TASK_ID(struct task_files_input)};
static const struct field_table files_input = FIELD_TABLE(struct task_files_input, files_rows);
static const struct field file_rows[] = {
        OUT_STRING("path", .is_required = true, .help = "Path below the task's output folder."),
        OUT_INTEGER("size", .help = "Bytes."),
        OUT_STRING("modifiedAt", .is_nullable = true, .format = "date-time", .help = "When it was last written."),
};
static const struct field_table file_shape = OUTPUT_TABLE("task file", file_rows);
static const struct field file_list_rows[] = {
        OUT_STRING("taskId", .help = "Id of the task."),
        OUT_STRING("status", .choices = task_statuses, .help = "What the task does now."),
        OUT_OBJECTS("files", file_shape, .is_required = true, .help = "By path."),
        OUT_INTEGER("filesOmitted", .help = "How many more there are that no list shows."),
};
static const struct field_table files_output = OUTPUT_TABLE("task files", file_list_rows);

/* The files are one section of a task's output. */
static bool run_files(struct call *call, const void *input, json_t **result, struct error *error)
{
        const struct task_files_input *wanted = input;
        const char *section = "files";
        struct task_output_input output = {.taskId = wanted->taskId, .include = {&section, 1}};

        return task_output(call, &output, result, error) &&
               (json_object_get(*result, "files") || error_set(error, ERROR_CONTENT_WITHHELD, NULL));
}

const struct rest_operation rest_task_files = {
        .input = &files_input, .output = &files_output, .run = run_files, .page = {"files", "path"}};
