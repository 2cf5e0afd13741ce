#include "mcp/tools/tools.h"
#include "server/services/task.h"

/* A page of 512,000 bytes as base64, and what stands around it. */
#define CEILING 690000

static const struct field input_rows[] = {
        STRING_FIELD(struct task_file_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the task."),
        STRING_FIELD(struct task_file_input, path, .is_required = true, .minimum = 1, .maximum = 4096,
                     .help = "Path as listed in the files of get_task_output."),
        INTEGER_FIELD(struct task_file_input, offset, .help = "Byte to start at; nextOffset of the page before."),
        INTEGER_FIELD(struct task_file_input, maxBytes, .minimum = 1, .maximum = 512000, .preset = 64000,
                      .help = "Bytes to return at most."),
};
static const struct field_table input = FIELD_TABLE(struct task_file_input, input_rows);

static const char *const encodings[] = {"utf8", "base64", NULL};
static const struct field output_rows[] = {
        OUT_STRING("path", .is_required = true, .help = "The file."),
        OUT_INTEGER("size", .is_required = true, .help = "Bytes of the whole file."),
        OUT_INTEGER("offset", .is_required = true, .help = "Where this page starts."),
        OUT_INTEGER("bytesReturned", .is_required = true, .help = "Bytes of the file that this page stands for."),
        OUT_STRING("encoding", .is_required = true, .choices = encodings, .help = "How content is written."),
        OUT_STRING("content", .is_required = true, .help = "The page: text, or base64 of bytes that are no text."),
        OUT_BOOLEAN("truncated", .is_required = true, .help = "Whether the file goes on behind it."),
        OUT_INTEGER("nextOffset", .is_nullable = true, .help = "Offset of the next page, null at the end."),
};
static const struct field_table output = OUTPUT_TABLE("read_task_file", output_rows);

static const struct bound_exemption sized[] = {
        {NULL, "content"},
        {NULL, NULL},
};

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return task_file_read(call, arguments, result, error);
}

const struct tool tool_read_task_file = {
        .name = "read_task_file",
        .title = "Read a task's file",
        .description = "Reads one page of a file that a task left under /task-output. Text comes as it is, anything "
                       "else as base64. Continue with offset set to nextOffset while truncated is true: the pages "
                       "together are the file, byte for byte. Files of the server's own are there too: log.txt holds "
                       "everything the agent printed, debug-stream.jsonl each of its events.",
        .input = &input,
        .output = &output,
        .hints = {.reads_only = true, .is_idempotent = true},
        .toolset = "core",
        .needs = PERMISSION_BIT(TASKS_VIEW) | PERMISSION_BIT(TASKS_VIEW_ANY),
        .mode = TOOL_READS,
        .run = run,
        .bounds = {.exempt = sized, .ceiling = CEILING},
};
