/* Runs tools for whoever calls. */
#ifndef MCP_CALLER_H
#define MCP_CALLER_H

#include "mcp/tool.h"
#include "server/services/caller.h"

/* Runs the tool for the authenticated caller. */
MUST_CHECK bool caller_run(struct caller *caller, const struct tool *tool, const void *input, const json_t *arguments,
                           json_t **result, struct error *error);
/* Prepares the tool's input for the authenticated caller. */
MUST_CHECK bool caller_prepare(struct caller *caller, const struct tool *tool, void *input, const json_t *arguments,
                               struct error *error);

#endif
