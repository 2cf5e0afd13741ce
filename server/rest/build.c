#include "server/services/build.h"

#include "server/rest/operations.h"

static const char *const statuses[] = {"queued", "running", "succeeded", "failed", "cancelled", NULL};

static const struct field person_rows[] = {
        OUT_STRING("id", .is_nullable = true, .help = "Stable id of the user."),
        OUT_STRING("name", .is_nullable = true, .help = "Name of the user."),
};
static const struct field_table person = OUTPUT_TABLE("builder", person_rows);

static const struct field build_rows[] = {
        OUT_STRING("buildId", .is_required = true, .help = "Id of the build."),
        OUT_STRING("environment", .is_required = true, .help = "The environment whose image it makes."),
        OUT_STRING("status", .is_required = true, .choices = statuses, .help = "What it does now."),
        OUT_BOOLEAN("fresh", .help = "Whether every step is run anew."),
        OUT_OBJECT("createdBy", person, .is_nullable = true, .help = "Who asked for it."),
        OUT_STRING("createdAt", .is_nullable = true, .format = "date-time", .help = "When."),
        OUT_STRING("startedAt", .is_nullable = true, .format = "date-time", .help = "When it began."),
        OUT_STRING("finishedAt", .is_nullable = true, .format = "date-time", .help = "When it was over."),
        OUT_STRING("cancelRequestedAt", .is_nullable = true, .format = "date-time", .help = "When it was cancelled."),
        OUT_STRING("cancelRequestedBy", .is_nullable = true, .help = "Who cancelled it."),
        OUT_STRING("source", .is_nullable = true, .help = "The file it is made from."),
        OUT_STRING("baseImage", .is_nullable = true, .help = "The image that it begins with."),
        OUT_STRING("inputsHash", .is_nullable = true, .help = "Hash of all that went in."),
        OUT_STRING("image", .is_nullable = true, .help = "Id of the image that came out."),
        OUT_STRING("imageName", .is_nullable = true, .help = "Its name in the engine."),
        OUT_INTEGER("imageBytes", .is_nullable = true, .help = "Its size."),
        OUT_BOOLEAN("imageRemoved", .help = "Whether it is gone since."),
        OUT_BOOLEAN("inUse", .help = "Whether new tasks get it."),
        OUT_STRING("endReason", .is_nullable = true, .help = "Why it ended."),
        OUT_INTEGER("exitCode", .is_nullable = true, .help = "Exit code of the step that failed."),
        OUT_STRING("message", .is_nullable = true, .help = "What went wrong."),
        OUT_INTEGER("outputBytes", .help = "Bytes of output so far."),
};
static const struct field_table build_shape = OUTPUT_TABLE("build", build_rows);
static const struct field one_rows[] = {
        OUT_OBJECT("build", build_shape, .is_required = true, .help = "The build."),
};
static const struct field_table one_output = OUTPUT_TABLE("one build", one_rows);
static const struct field list_rows[] = {
        OUT_OBJECTS("builds", build_shape, .is_required = true, .help = "Newest first."),
        OUT_STRING("nextCursor", .is_nullable = true, .help = "Cursor of the next page, null on the last."),
};
static const struct field_table list_output = OUTPUT_TABLE("builds", list_rows);

REST_SERVICE(build_start, struct build_start_input)
const struct rest_operation rest_build_start = {
        .input = &build_start_table, .output = &one_output, .mode = REST_BLOCKS, .status = 201, .run = run_build_start};

REST_SERVICE(build_list, struct build_list_input)
const struct rest_operation rest_build_list = {
        .input = &build_list_table, .output = &list_output, .run = run_build_list};

REST_SERVICE(build_get, struct build_get_input)
const struct rest_operation rest_build_get = {.input = &build_get_table, .output = &one_output, .run = run_build_get};

static bool run_cancel(struct call *call, const void *input, json_t **result, struct error *error)
{
        return build_cancel(call, input, result, error);
}

const struct rest_operation rest_build_cancel = {
        .input = &build_get_table, .output = &one_output, .mode = REST_BLOCKS, .run = run_cancel};

static const char *const encodings[] = {"utf8", "base64", NULL};
static const struct field output_rows[] = {
        OUT_STRING("buildId", .is_required = true, .help = "Id of the build."),
        OUT_STRING("status", .is_required = true, .choices = statuses, .help = "What it does now."),
        OUT_BOOLEAN("isComplete", .is_required = true, .help = "Whether no more output will come."),
        OUT_INTEGER("size", .is_required = true, .help = "Bytes of the output so far."),
        OUT_INTEGER("offset", .is_required = true, .help = "Where this page starts."),
        OUT_INTEGER("bytesReturned", .is_required = true, .help = "Bytes that this page stands for."),
        OUT_STRING("encoding", .is_required = true, .choices = encodings, .help = "How content is written."),
        OUT_STRING("content", .is_required = true, .help = "The page."),
        OUT_BOOLEAN("truncated", .is_required = true, .help = "Whether there is more behind it now."),
        OUT_INTEGER("nextOffset", .is_nullable = true, .help = "Offset of the next page, null at the end."),
};
static const struct field_table output_shape = OUTPUT_TABLE("build output", output_rows);

/* The caller sizes a page. */
static const struct bound_exemption sized[] = {{NULL, "content"}, {NULL, NULL}};

REST_SERVICE(build_output, struct build_output_input)
const struct rest_operation rest_build_output = {
        .input = &build_output_table, .output = &output_shape, .run = run_build_output, .bounds = {.exempt = sized}};
