/* Anything as what stands beside the body of a request to the MCP door: the headers of revision 2026-07-28, the base64
 * form of a name among them, the toolsets, and the URI of a resource. Lines are the values, in this order. */
#include <stdlib.h>
#include <string.h>

#include "mcp/exchange.h"
#include "mcp/resource.h"
#include "server/base/log.h"
#include "server/services/toolset.h"
#include "tests/mcp/stub.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LINES 6

static const char body[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\",\"params\":{\"name\":\"n\xc3\xa4me\","
        "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";

/* A name that came through is the body's. */
static void try_headers(char *const lines[LINES])
{
        static const struct actor actor = {.credential = CREDENTIAL_API_KEY};
        struct exchange_headers headers = {.version = lines[0],
                                           .method = lines[1],
                                           .name = lines[2],
                                           .toolsets = lines[3],
                                           .toolset_query = lines[4]};
        auto_exchange exchange = {0};

        exchange_open(&exchange, &(struct exchange_request){.body = body,
                                                            .length = sizeof body - 1,
                                                            .headers = &headers,
                                                            .actor = &actor,
                                                            .body_maximum = 10000,
                                                            .request_id = "fuzz"});
        bool is_refused = strstr(text_string(&exchange.single.answer), "-32020");
        auto_free char *name = stateless_header_decode(lines[2]);
        if (!is_refused && (!name || !strstr(name, "n\xc3\xa4me")))
                abort();
}

/* What a URI says comes back when it is written again. */
static void try_uri(const char *uri)
{
        auto_resource_file file = {0}, again = {0};
        auto_text written = TEXT_WITH_MAXIMUM(100000);
        auto_error error = {0};

        if (!resource_read_uri(uri, &file, &error) || strpbrk(file.task_id, "/%?#"))
                return;
        resource_write_uri(&written, file.task_id, file.path);
        if (!resource_read_uri(text_string(&written), &again, &error) || strcmp(again.path, file.path))
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        auto_free char *copy = memory_new(size + 1);
        char *lines[LINES], *at = copy;

        log_configure(LOG_LEVEL_ERROR + 1, false);
        stub_reset();
        memcpy(copy, data, size);
        for (size_t i = 0; i < LINES; i++) {
                char *end = strchr(at, '\n');
                lines[i] = at;
                at = end ? end + 1 : at + strlen(at);
                if (end)
                        *end = '\0';
        }
        try_headers(lines);
        try_uri(lines[5]);
        return 0;
}
