/* What a caller is shown of the tools, and may call.
 *
 * Toolsets come from the endpoint's URL, a header and the credential; where several say something, what all of them
 * allow is left. Nobody's word means the default ones in the list, and every tool in calls. */
#ifndef MCP_SCOPE_H
#define MCP_SCOPE_H

#include "mcp/stateless.h"
#include "mcp/tool.h"

struct scope {
        uint32_t toolsets; /* bits of those asked for; 0: none were asked for */
        const struct actor *actor;
};

/* ERROR_INVALID_INPUT for a toolset that is not known. */
MUST_CHECK bool scope_read(struct scope *scope, const struct exchange_headers *headers, const struct actor *actor,
                           struct error *error);
/* Whether the tool stands in the caller's list: of its toolset, for its kind, and of use with its roles. */
bool scope_lists(const struct scope *scope, const struct tool *tool);
/* Whether callers of this kind have the tool at all. What the caller's roles allow is the service's to say. */
bool scope_has(const struct scope *scope, const struct tool *tool);
/* Whether it is within the toolsets that were asked for. */
bool scope_allows(const struct scope *scope, const struct tool *tool);

#endif
