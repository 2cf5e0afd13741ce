/* The answer of tools/list, of parts that are made once and kept as bytes. */
#ifndef MCP_LISTING_H
#define MCP_LISTING_H

#include "mcp/scope.h"

/* Appends {"tools":[...] of those that the scope lists, in their order, without the closing brace. On any thread. */
void listing_append(struct text *out, const struct scope *scope);

#endif
