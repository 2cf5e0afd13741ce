#include "mcp/tools/tools.h"
#include "server/services/environment.h"

struct list_environments_input {
        char unused;
};

static const struct field_table input = {.name = "list_environments", .size = sizeof(struct list_environments_input)};

static const struct field repository_rows[] = {
        OUT_STRING("name", .is_required = true, .help = "Name of the repository in the workspace."),
        OUT_STRING("branch", .is_nullable = true, .help = "Branch that new tasks start from, null for its default."),
        OUT_STRING("url", .help = "Where it comes from; only when you may read the environment's configuration."),
};
static const struct field_table repository_shape = OUTPUT_TABLE("repository", repository_rows);

static const struct field environment_rows[] = {
        OUT_STRING("name", .is_required = true, .help = "Name to pass to create_task."),
        OUT_STRING("description", .is_nullable = true, .help = "What it is for."),
        OUT_STRING("status", .help = "active, or disabled when no task can start in it."),
        OUT_STRING("statusReason", .help = "Why it is disabled, when its file cannot be used."),
        OUT_OBJECTS("repositories", repository_shape, .help = "Repositories that a task's workspace holds."),
        OUT_STRING("defaultAgent", .is_nullable = true, .help = "Agent of a task that names none."),
        OUT_STRINGS("agents", .help = "Agents that a task may name."),
        OUT_BOOLEAN("canCreateTasks", .help = "Whether you may create tasks in it."),
};
static const struct field_table environment_shape = OUTPUT_TABLE("environment", environment_rows);

static const struct field output_rows[] = {
        OUT_OBJECTS("environments", environment_shape, .is_required = true, .help = "By name."),
};
static const struct field_table output = OUTPUT_TABLE("list_environments", output_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        (void)arguments;
        return environment_list(call, result, error);
}

const struct tool tool_list_environments = {
        .name = "list_environments",
        .title = "List environments",
        .description = "Lists the environments you can see: what each is for, its repositories with the branch a task "
                       "starts from, the agents it offers and which of them is used by default, and whether you may "
                       "create tasks in it. Call this first: create_task needs one of these names.",
        .input = &input,
        .output = &output,
        .hints = {.reads_only = true, .is_idempotent = true},
        .toolset = "core",
        .mode = TOOL_READS,
        .run = run,
};
