#include "mcp/caller.h"

bool caller_run(struct caller *caller, const struct tool *tool, const void *input, const json_t *arguments,
                json_t **result, struct error *error)
{
        struct call call = caller_as_call(caller, "mcp", arguments);

        return tool->run(&call, input, result, error);
}

bool caller_prepare(struct caller *caller, const struct tool *tool, void *input, const json_t *arguments,
                    struct error *error)
{
        struct call call = caller_as_call(caller, "mcp", arguments);

        return tool->prepare(&call, input, error);
}
