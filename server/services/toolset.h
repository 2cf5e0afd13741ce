/* Toolsets: the groups that the tools of the MCP server are in, so that a caller can ask for fewer of them, or for
 * those that are not listed unasked. Each tool's row names one (mcp/tool.h). */
#ifndef SERVICES_TOOLSET_H
#define SERVICES_TOOLSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/error.h"

struct toolset {
        const char *name;
        bool is_default; /* its tools are listed for a caller who did not ask for toolsets */
        const char *sentence;
};
extern const struct toolset toolset_rows[];
extern const size_t toolset_count;

#define TOOLSET_NAMES_MAXIMUM 200
/* A set that is not empty and that no tool is in. */
#define TOOLSET_NONE (UINT32_C(1) << 31)

/* The bit of the toolset in a set of them, 0 when there is none of that name. */
uint32_t toolset_bit(const char *name);
/* Those that are listed unasked. */
uint32_t toolset_defaults(void);
/* Reads names with commas between them ("core,groups"); "all" and "default" stand for several. ERROR_INVALID_INPUT
 * names the one that is not known, and those that are. */
MUST_CHECK bool toolset_parse(const char *names, uint32_t *set, struct error *error);

#endif
