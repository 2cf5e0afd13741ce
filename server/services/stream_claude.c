/* Claude Code's `--output-format stream-json --verbose`: one object a line, "type" told by each. */
#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/services/stream_error.h"
#include "server/services/stream_line.h"

/* The word that Claude Code has for a message of its own making, and what it means. */
static const struct {
        const char *word, *category;
} errors[] = {
        {"authentication_failed", "auth"}, {"oauth_org_not_allowed", "auth"}, {"account_on_hold", "auth"},
        {"verification_required", "auth"}, {"billing_error", "rate_limit"},   {"rate_limit", "rate_limit"},
};

static const char *category_of(const char *word, const char *message)
{
        for (size_t i = 0; word && i < COUNT_OF(errors); i++)
                if (!strcmp(errors[i].word, word))
                        return errors[i].category;
        return stream_error_category(NULL, message);
}

/* After a limit or a refused login there is no going on. */
static void read_error(struct stream_lines *lines, const json_t *line, const json_t *text)
{
        const char *word = document_get_string(line, "error"), *type = document_get_string(line, "api_error_type");
        const char *message = json_string_value(text);
        struct stream_event event = {.role = "system", .type = "error", .error_type = type ? type : word};

        if (!message)
                return;
        event.category = category_of(word, message);
        event.resets_at = stream_error_resets_at(message, clock_now());
        event.is_fatal = !strcmp(event.category, "rate_limit") || !strcmp(event.category, "auth");
        stream_line_text(lines, event, text);
}

/* What a sub-agent says is no reply of the turn: it speaks as a tool. */
static const char *speaker(const json_t *line)
{
        return json_is_string(json_object_get(line, "parent_tool_use_id")) ? "tool" : "assistant";
}

static void read_block(struct stream_lines *lines, const json_t *line, const json_t *block)
{
        const char *type = document_get_string(block, "type");
        const json_t *input = json_object_get(block, "input");

        if (!type)
                return;
        if (!strcmp(type, "text") && *stream_line_flag(lines))
                read_error(lines, line, json_object_get(block, "text"));
        else if (!strcmp(type, "text"))
                stream_line_text(lines, (struct stream_event){.role = speaker(line), .type = "text", .is_block = true},
                                 json_object_get(block, "text"));
        else if (!strcmp(type, "thinking"))
                stream_line_text(lines, (struct stream_event){.role = speaker(line), .type = "thinking"},
                                 json_object_get(block, "thinking"));
        else if (!strcmp(type, "tool_use") || !strcmp(type, "server_tool_use"))
                stream_line_take(lines,
                                 (struct stream_event){.role = speaker(line),
                                                       .type = "tool_call",
                                                       .tool = document_get_string(block, "name"),
                                                       .tool_use_id = document_get_string(block, "id"),
                                                       .command = stream_line_command(input),
                                                       .paths = stream_line_paths(lines, input)},
                                 stream_line_arguments(input));
}

static void read_assistant(struct stream_lines *lines, const json_t *line)
{
        const json_t *message = json_object_get(line, "message"), *block;
        const char *model = document_get_string(message, "model");
        size_t i;

        *stream_line_flag(lines) =
                (model && !strcmp(model, "<synthetic>")) || json_is_true(json_object_get(line, "is_api_error_message"));
        json_array_foreach(json_object_get(message, "content"), i, block) read_block(lines, line, block);
}

/* A tool's result is a text or a list of blocks, of which some are texts. */
static void read_result_content(struct stream_lines *lines, struct stream_event event, const json_t *content)
{
        const json_t *block;
        size_t i;

        if (!json_is_array(content)) {
                stream_line_text(lines, event, content);
                return;
        }
        json_array_foreach(content, i, block) stream_line_text(lines, event, json_object_get(block, "text"));
}

static void read_user(struct stream_lines *lines, const json_t *line)
{
        const json_t *block;
        size_t i;

        json_array_foreach(json_object_get(json_object_get(line, "message"), "content"), i, block)
        {
                const char *type = document_get_string(block, "type");
                struct stream_event event = {.role = "tool",
                                             .type = "tool_result",
                                             .tool_use_id = document_get_string(block, "tool_use_id"),
                                             .is_error = json_is_true(json_object_get(block, "is_error"))};
                if (type && !strcmp(type, "tool_result"))
                        read_result_content(lines, event, json_object_get(block, "content"));
        }
}

static void read_usage(struct stream_lines *lines, const json_t *line)
{
        const json_t *usage = json_object_get(line, "usage");
        const double cost = json_number_value(json_object_get(line, "total_cost_usd"));
        struct stream_usage used = {.input = document_get_integer(usage, "input_tokens", 0),
                                    .output = document_get_integer(usage, "output_tokens", 0),
                                    .cache_read = document_get_integer(usage, "cache_read_input_tokens", 0),
                                    .cache_write = document_get_integer(usage, "cache_creation_input_tokens", 0),
                                    .cost_micros = cost > 0 && cost < 1e9 ? (int64_t)(cost * 1e6 + 0.5) : 0,
                                    .is_cost_of_conversation = true};

        if (usage)
                stream_line_emit(lines, &(struct stream_event){.role = "system",
                                                               .type = "usage",
                                                               .usage = stream_line_usage(lines, &used)});
}

/* The turn's end. Claude Code tells a limit in the words of a reply, and some versions end with success then. */
static void read_result(struct stream_lines *lines, const json_t *line)
{
        const json_t *result = json_object_get(line, "result");
        const char *reply = json_string_value(result), *subtype = document_get_string(line, "subtype");
        bool is_notice = reply && stream_error_is_limit_notice(reply) &&
                         !document_get_integer(json_object_get(line, "usage"), "output_tokens", 0);
        bool is_failed = json_is_true(json_object_get(line, "is_error")) || (subtype && strncmp(subtype, "success", 7));

        stream_line_over(lines);
        read_usage(lines, line);
        if (!is_failed && !is_notice)
                return;
        struct stream_event event = {.role = "system",
                                     .type = "error",
                                     .error_type = document_get_string(line, "api_error_type"),
                                     .is_fatal = true};
        const char *word = subtype && *subtype && strncmp(subtype, "success", 7) ? subtype : NULL;
        event.error_type = event.error_type ? event.error_type : word;
        const char *message = reply && *reply ? reply : word ? word : "the agent failed";
        event.category = stream_error_category(event.error_type, message);
        event.resets_at = stream_error_resets_at(message, clock_now());
        stream_line_take(lines, event, text_copy(message));
}

static void read_limit(struct stream_lines *lines, const json_t *line)
{
        const json_t *info = json_object_get(line, "rate_limit_info");
        const char *status = document_get_string(info, "status"), *type = document_get_string(info, "rateLimitType");

        if (status && !strcmp(status, "rejected"))
                stream_line_take(lines,
                                 (struct stream_event){.role = "system",
                                                       .type = "error",
                                                       .category = "rate_limit",
                                                       .error_type = "rate_limit",
                                                       .resets_at = document_get_integer(info, "resetsAt", 0) * 1000},
                                 text_format("The account's usage limit is reached (%s).", type ? type : "unknown"));
}

static const struct {
        const char *type;
        void (*read)(struct stream_lines *lines, const json_t *line);
} kinds[] = {
        {"assistant", read_assistant},
        {"user", read_user},
        {"result", read_result},
        {"rate_limit_event", read_limit},
};

static bool read_line(struct stream_lines *lines, const json_t *line)
{
        const char *type = document_get_string(line, "type");

        if (!type)
                return false;
        stream_line_session(lines, document_get_string(line, "session_id"));
        for (size_t i = 0; i < COUNT_OF(kinds); i++)
                if (!strcmp(kinds[i].type, type))
                        kinds[i].read(lines, line);
        return true;
}

STREAM_LINES_FORMAT(stream_format_claude, "claude-json", read_line);
