#include "mcp/envelope.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/cleanup.h"
#include "server/base/document.h"

const struct envelope_row envelope_rows[] = {
        {ENVELOPE_PARSE_ERROR, "The body is no JSON, has a member twice, or is nested too deeply. HTTP 400."},
        {ENVELOPE_INVALID_REQUEST, "The body is no JSON-RPC message of this revision, or larger than its tool accepts. "
                                   "HTTP 400 or 413."},
        {ENVELOPE_METHOD_NOT_FOUND, "There is no such method in this revision. HTTP 404 since 2026-07-28, else 200."},
        {ENVELOPE_INVALID_PARAMS,
         "The params are not those of the method: an unknown tool, prompt or toolset, and since "
         "2026-07-28 an unknown resource; HTTP 400 when `_meta` lacks what every request needs."},
        {ENVELOPE_INTERNAL, "The server cannot answer now."},
        {ENVELOPE_RESOURCE_NOT_FOUND, "There is no such resource, or you may not read it (before 2026-07-28)."},
        {ENVELOPE_HEADER_MISMATCH, "`MCP-Protocol-Version`, `Mcp-Method` or `Mcp-Name` is missing or is not what the "
                                   "body says (2026-07-28). HTTP 400."},
        {ENVELOPE_MISSING_CAPABILITY, "The tool needs a capability that the client has not declared; "
                                      "`data.requiredCapabilities` says which (2026-07-28). HTTP 400."},
        {ENVELOPE_UNSUPPORTED_VERSION, "This protocol revision is not spoken; `data.supported` lists those that are. "
                                       "HTTP 400."},
        {0, NULL},
};

static void invalid(struct message *message, const char *fault)
{
        message->kind = MESSAGE_INVALID;
        message->fault = fault;
}

static bool is_id(const json_t *value)
{
        return json_is_string(value) || json_is_number(value);
}

static void read_call(json_t *document, struct message *message)
{
        json_t *id = json_object_get(document, "id"), *params = json_object_get(document, "params");

        if (id && !is_id(id)) {
                invalid(message, "The id of a request must be a string or a number.");
                return;
        }
        message->kind = id ? MESSAGE_REQUEST : MESSAGE_NOTIFICATION;
        message->id = id;
        if (params && !json_is_object(params) && !json_is_null(params))
                invalid(message, "The member params must be an object.");
        message->params = json_is_object(params) ? params : NULL;
}

void message_read(json_t *document, struct message *message)
{
        *message = (struct message){.method = document_get_string(document, "method")};
        if (!json_is_object(document)) {
                invalid(message, "A message must be an object.");
                return;
        }
        const char *version = document_get_string(document, "jsonrpc");
        if (!version || strcmp(version, "2.0")) {
                json_t *id = json_object_get(document, "id");
                message->id = is_id(id) ? id : NULL;
                invalid(message, "The member jsonrpc must be \"2.0\".");
        } else if (message->method) {
                read_call(document, message);
        } else if (!json_object_get(document, "method") &&
                   (json_object_get(document, "result") || json_object_get(document, "error"))) {
                message->kind = MESSAGE_RESPONSE;
        } else {
                json_t *id = json_object_get(document, "id");
                message->id = is_id(id) ? id : NULL;
                invalid(message, "The member method must be a string.");
        }
}

static void write_id(struct text *out, const json_t *id)
{
        if (json_is_string(id)) {
                document_append_quoted(out, json_string_value(id), json_string_length(id));
        } else if (json_is_integer(id)) {
                text_printf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(id));
        } else if (json_is_real(id)) {
                document_append_real(out, id);
        } else {
                text_append_string(out, "null");
        }
}

void envelope_begin(struct text *out, const json_t *id)
{
        text_append_string(out, "{\"jsonrpc\":\"2.0\",\"id\":");
        write_id(out, id);
        text_append_string(out, ",\"result\":");
}

#define SERVER_INFO                                                                                                    \
        "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"longshore\",\"version\":\"" LONGSHORE_VERSION "\"}"

void envelope_close(struct text *out, bool is_stateless, const struct cache_hint *hint)
{
        if (is_stateless)
                text_append_string(out, ",\"resultType\":\"complete\",\"_meta\":{" SERVER_INFO "}");
        if (is_stateless && hint)
                text_printf(out, ",\"ttlMs\":%" PRId64 ",\"cacheScope\":\"%s\"", hint->ttl_ms,
                            hint->is_public ? "public" : "private");
        text_append(out, "}}", 2);
}

void envelope_result(struct text *out, const json_t *id, const json_t *result, bool is_stateless,
                     const struct cache_hint *hint)
{
        auto_free char *printed = document_print(result);

        envelope_begin(out, id);
        text_append(out, printed, strlen(printed) - 1);
        envelope_close(out, is_stateless, hint);
}

void envelope_error(struct text *out, const json_t *id, enum envelope_code code, const char *sentence,
                    const json_t *data)
{
        auto_text clean = TEXT_WITH_MAXIMUM(4000);

        /* A parser's complaint shows the bytes it stumbled over. */
        utf8_append_clean(&clean, sentence, strlen(sentence));
        text_append_string(out, "{\"jsonrpc\":\"2.0\",\"id\":");
        write_id(out, id);
        text_printf(out, ",\"error\":{\"code\":%d,\"message\":", code);
        document_append_quoted(out, text_string(&clean), clean.length);
        if (data) {
                auto_free char *printed = document_print(data);
                text_append_string(out, ",\"data\":");
                text_append_string(out, printed);
        }
        text_append_string(out, "}}");
}
