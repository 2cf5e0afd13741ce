#include "mcp/answer.h"

#include <string.h>

#include "mcp/envelope.h"
#include "server/base/document.h"
#include "server/base/log.h"

#define VALIDATION_PREFIX "MCP error -32602: Input validation error: "

bool answer_result(struct text *out, const json_t *id, const struct tool *tool, const json_t *result,
                   struct error *error)
{
        auto_text json = TEXT_WITH_MAXIMUM(SIZE_MAX / 8);

        if (!bound_write(&json, result, &tool->bounds, error))
                return false;
        envelope_begin(out, id);
        text_append_string(out, "{\"content\":[{\"type\":\"text\",\"text\":");
        document_append_quoted(out, json.data, json.length);
        text_append_string(out, "}],\"structuredContent\":");
        text_append(out, json.data, json.length);
        text_append(out, "}", 1);
        envelope_end(out);
        return true;
}

static void write_failure(struct text *out, const json_t *id, const char *text, size_t length)
{
        envelope_begin(out, id);
        text_append_string(out, "{\"content\":[{\"type\":\"text\",\"text\":");
        document_append_quoted(out, text, length);
        text_append_string(out, "}],\"isError\":true}");
        envelope_end(out);
}

/* The reads' own codes, and those that may be told as they are. */
static const enum error_code told_codes[] = {
        ERROR_TASK_NOT_FOUND,    ERROR_ENVIRONMENT_NOT_FOUND,
        ERROR_FILE_NOT_FOUND,    ERROR_INVALID_PATH,
        ERROR_INVALID_CURSOR,    ERROR_NOT_FOUND,
        ERROR_PERMISSION_DENIED, ERROR_INVALID_INPUT,
        ERROR_CONFLICT,          ERROR_UNAVAILABLE,
        ERROR_CHANGED,           ERROR_LOOKUP_UNAVAILABLE,
        ERROR_LOOKUP_FAILED,     ERROR_TEMPLATE_NOT_FOUND,
};

enum error_code answer_read_code(enum error_code code)
{
        for (size_t i = 0; i < COUNT_OF(told_codes); i++)
                if (told_codes[i] == code)
                        return code;
        if (code == ERROR_STORE_FAILED)
                return ERROR_LOOKUP_FAILED;
        switch (error_kind(code)->status) {
        case 400:
                return ERROR_INVALID_INPUT;
        case 401:
        case 403:
                return ERROR_PERMISSION_DENIED;
        case 404:
                return ERROR_NOT_FOUND;
        case 409:
                return ERROR_CONFLICT;
        case 429:
        case 503:
                return ERROR_UNAVAILABLE;
        default:
                return ERROR_LOOKUP_FAILED;
        }
}

void answer_refusal(struct text *out, const json_t *id, const struct tool *tool, const struct error *error,
                    const char *request_id)
{
        const struct error_kind *kind = error_kind(error->code);
        auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 8);

        if (kind->status >= 500 && error->code != ERROR_LOOKUP_UNAVAILABLE)
                log_error("A tool failed", "tool", tool->name, "request", request_id, "code", kind->code, "reason",
                          error->message);
        if (tool->mode == TOOL_READS) {
                kind = error_kind(answer_read_code(error->code));
                text_printf(&text, "{\"error\":\"%s\",\"message\":\"%s\"}", kind->code, kind->sentence);
        } else {
                const char *message = kind->status == 500 ? kind->sentence : error->message;
                auto_json *document = json_pack("{s:s, s:o}", "error", kind->code, "message",
                                                document_text(message, strlen(message)));
                auto_error ignored = {0};
                if (error->details)
                        json_object_set(document, "details", error->details);
                if (!bound_write(&text, document, &(struct bound_rules){0}, &ignored))
                        text_printf(&text, "{\"error\":\"%s\",\"message\":\"%s\"}", kind->code, kind->sentence);
        }
        write_failure(out, id, text_string(&text), text.length);
}

void answer_invalid(struct text *out, const json_t *id, const char *message)
{
        auto_text text = TEXT_WITH_MAXIMUM(2000);

        text_append_string(&text, VALIDATION_PREFIX);
        utf8_append_clean(&text, message, strlen(message));
        write_failure(out, id, text_string(&text), text.length);
}
