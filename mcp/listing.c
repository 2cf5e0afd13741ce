#include "mcp/listing.h"

#include <pthread.h>
#include <string.h>

#include "mcp/tool.h"
#include "server/base/document.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char *bytes;
static size_t byte_count;

static json_t *annotations(const struct tool *tool)
{
        return json_pack("{s:s, s:b, s:b, s:b, s:b}", "title", tool->title, "readOnlyHint", tool->hints.reads_only,
                         "destructiveHint", tool->hints.destroys, "idempotentHint", tool->hints.is_idempotent,
                         "openWorldHint", tool->hints.is_open_world);
}

static json_t *describe(const struct tool *tool)
{
        return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "name", tool->name, "title", tool->title, "description",
                         tool->description, "inputSchema", field_schema(tool->input, false), "outputSchema",
                         field_schema(tool->output, true), "annotations", annotations(tool));
}

char *listing_build(void)
{
        json_t *tools = json_array();

        for (size_t i = 0; i < mcp_tool_count; i++)
                json_array_append_new(tools, describe(mcp_tools[i]));
        auto_json *list = json_pack("{s:o}", "tools", tools);
        return document_print(list);
}

static void build_once(void)
{
        bytes = listing_build();
        byte_count = strlen(bytes);
}

const char *listing_bytes(size_t *length)
{
        pthread_once(&once, build_once);
        *length = byte_count;
        return bytes;
}
