#include "server/services/environment_shapes.h"

static const struct field repository_rows[] = {
        OUT_STRING("name", .is_required = true, .help = "Name of the repository in the workspace."),
        OUT_STRING("branch", .is_nullable = true, .help = "Branch that new tasks start from, null for its default."),
        OUT_STRING("url", .help = "Where it comes from; only when you may read the environment's configuration."),
};
static const struct field_table repository_shape = OUTPUT_TABLE("repository", repository_rows);

/* clang-format off */
#define ENVIRONMENT_ROWS \
        OUT_STRING("name", .is_required = true, .help = "Name to pass to create_task."), \
        OUT_STRING("description", .is_nullable = true, .help = "What it is for."), \
        OUT_STRING("status", .help = "active, or disabled when no task can start in it."), \
        OUT_STRING("statusReason", .help = "Why it is disabled, when its file cannot be used."), \
        OUT_OBJECTS("repositories", repository_shape, .help = "Repositories that a task's workspace holds."), \
        OUT_STRING("defaultAgent", .is_nullable = true, .help = "Agent of a task that names none."), \
        OUT_STRINGS("agents", .help = "Agents that a task may name."), \
        OUT_BOOLEAN("canCreateTasks", .help = "Whether you may create tasks in it.")
/* clang-format on */

static const struct field environment_rows[] = {ENVIRONMENT_ROWS};
const struct field_table environment_shape = OUTPUT_TABLE("environment", environment_rows);

static const struct field limits_rows[] = {
        OUT_INTEGER("memoryMb", .help = "Memory in MiB."),
        OUT_INTEGER("cpusPercent", .help = "Processor time in percent."),
        OUT_INTEGER("pids", .help = "Processes and threads."),
        OUT_INTEGER("fileSizeMb", .help = "Largest file in MiB, 0 for no limit."),
        OUT_INTEGER("turnMinutes", .help = "Longest turn in minutes."),
};
static const struct field_table limits_shape = OUTPUT_TABLE("limits", limits_rows);

static const struct field app_server_rows[] = {
        OUT_STRING("command", .help = "What runs it."),
        OUT_INTEGER("port", .help = "The port that it listens on."),
        OUT_STRING("readinessPath", .is_nullable = true, .help = "The path that tells whether it is ready."),
        OUT_STRINGS("variables", .help = "Names of the variables that it gets besides."),
};
static const struct field_table app_server_shape = OUTPUT_TABLE("app server", app_server_rows);

static const struct field details_rows[] = {
        ENVIRONMENT_ROWS,
        OUT_STRING("image", .is_nullable = true, .help = "Image of its containers."),
        OUT_STRING("network", .is_nullable = true, .help = "Network of its containers."),
        OUT_OBJECT("limits", limits_shape, .is_nullable = true, .help = "Limits of its containers."),
        OUT_STRINGS("variables", .help = "Names of the variables that agents get."),
        OUT_STRINGS("secrets", .help = "Names of the secrets that tasks may get."),
        OUT_STRINGS("tests", .help = "Names of the tests that can be run in a task."),
        OUT_OBJECT("appServer", app_server_shape, .is_nullable = true,
                   .help = "The application server of its tasks, null when there is none."),
        OUT_BOOLEAN("shareTasks", .help = "Whether new tasks are shared."),
};
const struct field_table environment_details_shape = OUTPUT_TABLE("environment details", details_rows);
