/* Anything as the body of a request to the MCP door, up to the printed answers, with stand-ins for the services. The
 * first byte chooses the protocol revision. Of the requests of 2026-07-28 the headers are taken from the body, so that
 * they get through. */
#include <stdlib.h>
#include <string.h>

#include "mcp/exchange.h"
#include "server/base/document.h"
#include "server/base/log.h"
#include "tests/mcp/stub.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

bool store_write(struct store *store, store_work *work, void *context, struct error *error)
{
        (void)store;
        return work(NULL, context, error);
}

void store_write_later(struct store *store, store_work *work, void *context, store_done *done)
{
        (void)store, (void)work, (void)context, (void)done;
}

struct store_db *store_reader_open(struct store *store, struct error *error)
{
        (void)store, (void)error;
        return NULL;
}

void store_reader_close(struct store_db *db)
{
        (void)db;
}

void store_snapshot_begin(struct store_db *db)
{
        (void)db;
}

void store_snapshot_end(struct store_db *db)
{
        (void)db;
}

/* Whatever goes out is JSON, and an answer has the form of one. */
static void check_answer(const char *body, size_t length)
{
        auto_error error = {0};
        auto_json *answer = document_parse(body, length, &error);

        if (!answer || (!json_is_array(answer) && !json_object_get(answer, "jsonrpc")))
                abort();
}

/* What a client would send beside this body. */
static struct exchange_headers headers_for(const json_t *document, const char *version)
{
        json_t *params = json_object_get(document, "params");
        const char *name = document_get_string(params, "name");

        return (struct exchange_headers){.version = version,
                                         .method = document_get_string(document, "method"),
                                         .name = name ? name : document_get_string(params, "uri"),
                                         .toolsets = document_get_string(params, "toolsets")};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static const char *const versions[] = {NULL, "2025-03-26", "2025-11-25", "2026-07-28"};
        static const struct actor actor = {.credential = CREDENTIAL_API_KEY};
        static struct services services;
        auto_error error = {0};
        size_t length;

        if (!size)
                return 0;
        auto_exchange exchange;
        log_configure(LOG_LEVEL_ERROR + 1, false);
        stub_reset();
        stub.changes = data[0] >> 6;
        struct caller caller = {.services = &services, .token = STUB_TOKEN, .request_id = "fuzz"};
        auto_error ignored = {0};
        auto_json *document = document_parse((const char *)data + 1, size - 1, &ignored);
        struct exchange_headers headers = headers_for(document, versions[data[0] % COUNT_OF(versions)]);
        exchange_open(&exchange, &(struct exchange_request){.body = (const char *)data + 1,
                                                            .length = size - 1,
                                                            .headers = &headers,
                                                            .actor = &actor,
                                                            .body_maximum = 100000,
                                                            .request_id = "fuzz"});
        if (!exchange_run(&exchange, &caller, &error))
                abort();
        auto_free char *body = exchange_print(&exchange, &length);
        if (body)
                check_answer(body, length);
        return 0;
}
