#include "mcp/envelope.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/cleanup.h"
#include "server/base/document.h"

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

void envelope_end(struct text *out)
{
        text_append(out, "}", 1);
}

void envelope_result(struct text *out, const json_t *id, const char *result, size_t length)
{
        envelope_begin(out, id);
        text_append(out, result, length);
        envelope_end(out);
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
