#include "mcp/listing.h"

#include <pthread.h>
#include <string.h>

#include "mcp/tool.h"
#include "server/base/document.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
/* What is said about each tool, in their order. */
static char **parts;

static json_t *annotations(const struct tool *tool)
{
        return json_pack("{s:s, s:b, s:b, s:b, s:b}", "title", tool->title, "readOnlyHint", tool->hints.reads_only,
                         "destructiveHint", 0, "idempotentHint", tool->hints.is_idempotent, "openWorldHint",
                         tool->hints.is_open_world);
}

static json_t *describe(const struct tool *tool)
{
        return json_pack("{s:s, s:s, s:s, s:o, s:o*, s:o}", "name", tool->name, "title", tool->title, "description",
                         tool->description, "inputSchema", field_schema(tool->input, false), "outputSchema",
                         tool->output ? field_schema(tool->output, true) : NULL, "annotations", annotations(tool));
}

static void build_once(void)
{
        parts = memory_new(tool_count() * sizeof *parts);
        for (size_t i = 0; i < tool_count(); i++) {
                auto_json *described = describe(tool_at(i));
                parts[i] = document_print(described);
        }
}

void listing_append(struct text *out, const struct scope *scope)
{
        bool is_first = true;

        pthread_once(&once, build_once);
        text_append_string(out, "{\"tools\":[");
        for (size_t i = 0; i < tool_count(); i++) {
                if (!scope_lists(scope, tool_at(i)))
                        continue;
                text_append_string(out, is_first ? "" : ",");
                text_append_string(out, parts[i]);
                is_first = false;
        }
        text_append_string(out, "]");
}
