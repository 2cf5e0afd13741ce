/* The prompts, one file each. */
#ifndef MCP_PROMPTS_PROMPTS_H
#define MCP_PROMPTS_PROMPTS_H

#include "mcp/prompt.h"

extern const struct prompt prompt_handoff;

#endif
