#include "server/rest/operations.h"
#include "server/services/usage.h"

static const char *const kinds[] = {"container", "workspace", NULL};
static const char *const actions[] = {"stop", "remove", NULL};

static const struct field container_rows[] = {
        OUT_STRING("handle", .is_required = true, .help = "Name of the container, or folder of the workspace."),
        OUT_STRING("kind", .is_required = true, .choices = kinds, .help = "What it is."),
        OUT_STRING("taskId", .is_required = true, .help = "The task it is for."),
        OUT_STRING("taskStatus", .help = "What the task does."),
        OUT_BOOLEAN("ready", .help = "Whether its making has been completed."),
        OUT_BOOLEAN("pinned", .help = "Whether somebody pinned the task."),
        OUT_STRING("stoppedAt", .is_nullable = true, .format = "date-time", .help = "When it was stopped."),
        OUT_STRING("activeAt", .is_nullable = true, .format = "date-time", .help = "When the task was last active."),
        OUT_INTEGER("idleMinutes", .help = "Minutes since then."),
        OUT_BOOLEAN("outOfMemory", .help = "Whether something in it was killed for lack of memory."),
};
static const struct field_table container_shape = OUTPUT_TABLE("container", container_rows);
static const struct field list_rows[] = {
        OUT_OBJECTS("containers", container_shape, .is_required = true, .help = "By handle."),
};
static const struct field_table list_output = OUTPUT_TABLE("containers", list_rows);

REST_SERVICE_PLAIN(usage_containers)
const struct rest_operation rest_container_list = {
        .output = &list_output, .run = run_usage_containers, .page = {"containers", "handle"}};

static const char *const measured_kinds[] = {"container",      "workspace",   "run",    "mirror",        "client",
                                             "review_request", "review_loop", "runner", "agent_program", NULL};

static const struct field measure_rows[] = {
        OUT_STRING("handle", .is_required = true,
                   .help = "Name of the container or mirror, folder of the workspace or version, id of anything else."),
        OUT_STRING("kind", .is_required = true, .choices = measured_kinds, .help = "What it is."),
        OUT_STRING("taskId", .is_required = true, .is_nullable = true, .help = "The task it is for, if it is for one."),
        OUT_STRING("action", .is_required = true, .choices = actions, .help = "What becomes of it."),
};
static const struct field_table measure_shape = OUTPUT_TABLE("measure", measure_rows);
static const struct field preview_rows[] = {
        OUT_STRING("at", .is_required = true, .format = "date-time", .help = "The time looked at."),
        OUT_OBJECTS("measures", measure_shape, .is_required = true, .help = "By handle."),
};
static const struct field_table preview_output = OUTPUT_TABLE("retention", preview_rows);

REST_SERVICE(retention_preview, struct retention_preview_input)
const struct rest_operation rest_retention_preview = {.input = &retention_preview_table,
                                                      .output = &preview_output,
                                                      .run = run_retention_preview,
                                                      .page = {"measures", "handle"}};
