/* What a build may serve beside the product's own tools, prompts and resources: nothing, but for the program that the
 * protocol's conformance suite runs against (mcp/fixtures/), which is linked with another mcp_more. */
#ifndef MCP_MORE_H
#define MCP_MORE_H

#include "mcp/prompt.h"
#include "mcp/tool.h"

struct more {
        const struct tool *const *tools;
        size_t tool_count;
        const struct prompt *const *prompts;
        size_t prompt_count;
        /* Append their rows; NULL where there are none. */
        void (*list_resources)(json_t *resources);
        void (*list_templates)(json_t *templates);
        /* The contents of a resource, NULL when it is none of theirs. The caller owns it. */
        json_t *(*read_resource)(const char *uri);
};
extern const struct more mcp_more;

#endif
