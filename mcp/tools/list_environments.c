#include "mcp/tools/tools.h"
#include "server/services/environment.h"
#include "server/services/environment_shapes.h"

struct list_environments_input {
        char unused;
};

static const struct field_table input = {.name = "list_environments", .size = sizeof(struct list_environments_input)};

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
