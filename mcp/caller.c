#include "mcp/caller.h"

bool caller_run(struct caller *caller, const struct tool *tool, const void *input, const json_t *arguments,
                json_t **result, struct error *error)
{
        return caller_call(caller, "mcp", tool->run, input, arguments, result, error);
}
