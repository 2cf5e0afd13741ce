#include "mcp/answer.h"

#include <string.h>

#include "mcp/envelope.h"
#include "server/base/document.h"
#include "server/base/log.h"

#define VALIDATION_PREFIX "MCP error -32602: Input validation error: "

/* Appends the members of a result, bounded, without the braces around them. */
static bool write_members(struct text *out, const struct tool *tool, const json_t *result, struct error *error)
{
        auto_text json = TEXT_WITH_MAXIMUM(SIZE_MAX / 8);

        if (!bound_write(&json, result, &tool->bounds, error))
                return false;
        text_append(out, json.data + 1, json.length - 2);
        return true;
}

/* Anything but "complete" says itself what it is (2026-07-28, multi round-trip requests). */
static bool is_complete(const json_t *result)
{
        return !document_get_string(result, "resultType");
}

static bool answer_whole(struct text *out, const struct asked *asked, const json_t *result, struct error *error)
{
        size_t before = out->length;

        envelope_begin(out, asked->id);
        text_append(out, "{", 1);
        if (!write_members(out, asked->tool, result, error)) {
                out->length = before;
                return false;
        }
        envelope_close(out, asked->is_stateless && is_complete(result), asked->tool->hint);
        return true;
}

bool answer_result(struct text *out, const struct asked *asked, const json_t *result, struct error *error)
{
        auto_text json = TEXT_WITH_MAXIMUM(SIZE_MAX / 8);

        if (asked->tool->run_whole)
                return answer_whole(out, asked, result, error);
        if (!bound_write(&json, result, &asked->tool->bounds, error))
                return false;
        envelope_begin(out, asked->id);
        text_append_string(out, "{\"content\":[{\"type\":\"text\",\"text\":");
        document_append_quoted(out, json.data, json.length);
        text_append_string(out, "}],\"structuredContent\":");
        text_append(out, json.data, json.length);
        envelope_close(out, asked->is_stateless, NULL);
        return true;
}

static void write_failure(struct text *out, const json_t *id, bool is_stateless, const char *text, size_t length)
{
        envelope_begin(out, id);
        text_append_string(out, "{\"content\":[{\"type\":\"text\",\"text\":");
        document_append_quoted(out, text, length);
        text_append_string(out, "}],\"isError\":true");
        envelope_close(out, is_stateless, NULL);
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

/* A method that reads: what is hidden and what is not there are one. */
static void write_method_failure(struct text *out, const struct asked *asked, const struct error *error)
{
        enum error_code code = answer_read_code(error->code);
        const struct error_kind *kind = error_kind(code);

        if (error->code == ERROR_INVALID_INPUT) {
                envelope_error(out, asked->id, ENVELOPE_INVALID_PARAMS, error->message, NULL);
        } else if (asked->uri && (kind->status == 404 || kind->status == 400 || kind->status == 403)) {
                auto_json *data = json_pack("{s:s}", "uri", asked->uri);
                envelope_error(out, asked->id,
                               asked->is_stateless ? ENVELOPE_INVALID_PARAMS : ENVELOPE_RESOURCE_NOT_FOUND,
                               "There is no such resource, or you may not read it.", data);
        } else {
                auto_json *data = json_pack("{s:s}", "error", kind->code);
                envelope_error(out, asked->id, ENVELOPE_INTERNAL, kind->sentence, data);
        }
}

static void write_read_failure(struct text *out, const struct error *error)
{
        const struct error_kind *kind = error_kind(answer_read_code(error->code));

        text_printf(out, "{\"error\":\"%s\",\"message\":\"%s\"}", kind->code, kind->sentence);
}

static void write_change_failure(struct text *out, const struct error *error)
{
        const struct error_kind *kind = error_kind(error->code);
        const char *message = kind->status == 500 ? kind->sentence : error->message;
        auto_json *document =
                json_pack("{s:s, s:o}", "error", kind->code, "message", document_text(message, strlen(message)));
        auto_error ignored = {0};

        if (error->details)
                json_object_set(document, "details", error->details);
        if (!bound_write(out, document, &(struct bound_rules){0}, &ignored))
                text_printf(out, "{\"error\":\"%s\",\"message\":\"%s\"}", kind->code, kind->sentence);
}

void answer_refusal(struct text *out, const struct asked *asked, const struct error *error)
{
        const struct tool *tool = asked->tool;
        const struct error_kind *kind = error_kind(error->code);
        auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 8);

        if (kind->status >= 500 && error->code != ERROR_LOOKUP_UNAVAILABLE)
                log_error("A tool failed", "tool", tool->name, "request", asked->request_id, "code", kind->code,
                          "reason", error->message);
        if (tool->is_method || (tool->run_whole && error->code == ERROR_INVALID_INPUT)) {
                write_method_failure(out, asked, error);
                return;
        }
        if (tool->mode == TOOL_READS)
                write_read_failure(&text, error);
        else
                write_change_failure(&text, error);
        write_failure(out, asked->id, asked->is_stateless, text_string(&text), text.length);
}

void answer_invalid(struct text *out, const json_t *id, bool is_stateless, const char *message)
{
        auto_text text = TEXT_WITH_MAXIMUM(2000);

        text_append_string(&text, VALIDATION_PREFIX);
        utf8_append_clean(&text, message, strlen(message));
        write_failure(out, id, is_stateless, text_string(&text), text.length);
}
