/* A tool that the product has not: it needs something of the client. */
#include "mcp/more.h"

#include "server/base/cleanup.h"

static const struct field no_rows[1];
static const struct field_table no_arguments = {.name = "no arguments", .rows = no_rows, .size = sizeof(bool)};

static bool run(struct call *call, const struct message *message, json_t **result, struct error *error)
{
        (void)call, (void)message, (void)error;
        *result = json_pack("{s:[]}", "content");
        return true;
}

/* In no toolset, and so in no list. */
static const struct tool needs_sampling = {.name = "needs_sampling",
                                           .title = "Needs sampling",
                                           .description = "For a test.",
                                           .input = &no_arguments,
                                           .toolset = "",
                                           .mode = TOOL_READS,
                                           .run_whole = run,
                                           .capability = "sampling"};
static const struct tool *const tools[] = {&needs_sampling};

const struct more mcp_more = {.tools = tools, .tool_count = COUNT_OF(tools)};
