#include "mcp/caller.h"

bool caller_run(struct caller *caller, const struct tool_call *asked, json_t **result, struct error *error)
{
        struct call call = caller_as_call(caller, "mcp", asked->arguments);

        if (asked->tool->run_whole)
                return asked->tool->run_whole(&call, asked->message, result, error);
        return asked->tool->run(&call, asked->input, result, error);
}

bool caller_prepare(struct caller *caller, const struct tool_call *asked, struct error *error)
{
        struct call call = caller_as_call(caller, "mcp", asked->arguments);

        return asked->tool->prepare(&call, asked->input, error);
}
