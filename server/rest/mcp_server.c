#include "server/services/mcp_server.h"

#include "server/rest/operations.h"

static const char *const modes[] = {"main", "listener", NULL};

static const struct field listener_rows[] = {
        OUT_STRING("mode", .is_required = true, .choices = modes,
                   .help = "`listener`: a port of its own serves MCP clients; `main`: the main one does."),
        OUT_STRING("address", .is_required = true, .is_nullable = true, .help = "Where that port listens."),
};
static const struct field_table listener = OUTPUT_TABLE("listener", listener_rows);

static const struct field server_rows[] = {
        OUT_BOOLEAN("enabled", .is_required = true, .help = "Whether POST /mcp answers."),
        OUT_STRING("endpointUrl", .is_required = true, .help = "The address that clients are to be given."),
        OUT_STRING("siteUrl", .is_required = true, .is_nullable = true, .help = "SITE_URL."),
        OUT_STRING("publicBaseUrl", .is_required = true, .is_nullable = true, .help = "MCP_PUBLIC_BASE_URL."),
        OUT_OBJECT("listener", listener, .is_required = true,
                   .help = "The dedicated MCP listener, as the server sees it."),
};
static const struct field_table server_output = OUTPUT_TABLE("MCP server", server_rows);

REST_SERVICE_PLAIN(mcp_server_get)
const struct rest_operation rest_mcp_server = {.output = &server_output, .run = run_mcp_server_get};
