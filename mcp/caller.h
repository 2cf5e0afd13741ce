/* Runs tools for whoever calls. */
#ifndef MCP_CALLER_H
#define MCP_CALLER_H

#include "mcp/tool.h"
#include "server/services/caller.h"

/* A call of a tool as it was read from its message; borrowed. */
struct tool_call {
        const struct tool *tool;
        const struct message *message;
        void *input; /* the struct that the input table filled */
        const json_t *arguments;
};

/* Runs the tool for the authenticated caller. */
MUST_CHECK bool caller_run(struct caller *caller, const struct tool_call *asked, json_t **result, struct error *error);
/* Prepares the tool's input for the authenticated caller. */
MUST_CHECK bool caller_prepare(struct caller *caller, const struct tool_call *asked, struct error *error);

#endif
