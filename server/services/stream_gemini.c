/* Gemini CLI's `--output-format stream-json`: init, message, tool_use, tool_result, error, result. */
#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/services/stream_error.h"
#include "server/services/stream_line.h"

/* The user's own message is told too; it is known. */
static void read_message(struct stream_lines *lines, const json_t *line)
{
        const char *role = document_get_string(line, "role");

        if (role && !strcmp(role, "assistant"))
                stream_line_text(lines,
                                 (struct stream_event){.role = "assistant",
                                                       .type = "text",
                                                       .is_block = !json_is_true(json_object_get(line, "delta"))},
                                 json_object_get(line, "content"));
}

static void read_call(struct stream_lines *lines, const json_t *line)
{
        const json_t *parameters = json_object_get(line, "parameters");

        stream_line_take(lines,
                         (struct stream_event){.role = "assistant",
                                               .type = "tool_call",
                                               .tool = document_get_string(line, "tool_name"),
                                               .tool_use_id = document_get_string(line, "tool_id"),
                                               .command = stream_line_command(parameters),
                                               .paths = stream_line_paths(lines, parameters)},
                         stream_line_arguments(parameters));
}

static void read_tool_result(struct stream_lines *lines, const json_t *line)
{
        const char *status = document_get_string(line, "status");
        const json_t *failure = json_object_get(json_object_get(line, "error"), "message"),
                     *output = json_object_get(line, "output");
        struct stream_event event = {.role = "tool",
                                     .type = "tool_result",
                                     .tool_use_id = document_get_string(line, "tool_id"),
                                     .is_error = status && !strcmp(status, "error")};

        if (json_string_length(output) || !failure)
                stream_line_take(lines, event, text_copy(json_string_length(output) ? json_string_value(output) : ""));
        else
                stream_line_text(lines, event, failure);
}

static void read_error_of(struct stream_lines *lines, const json_t *message, const char *type, bool is_fatal)
{
        const char *text = json_is_string(message) ? json_string_value(message) : "";

        stream_line_failure(lines,
                            (struct stream_event){.role = "system",
                                                  .type = "error",
                                                  .category = stream_error_category(type, text),
                                                  .error_type = type,
                                                  .resets_at = stream_error_resets_at(text, clock_now()),
                                                  .is_fatal = is_fatal},
                            message);
}

static void read_error(struct stream_lines *lines, const json_t *line)
{
        read_error_of(lines, json_object_get(line, "message"), NULL, false);
}

/* What the cache held is within the input. */
static void read_usage(struct stream_lines *lines, const json_t *stats)
{
        int64_t cached = document_get_integer(stats, "cached", 0);
        int64_t input = document_get_integer(stats, "input_tokens", 0);
        struct stream_usage used = {.input = input > cached ? input - cached : 0,
                                    .output = document_get_integer(stats, "output_tokens", 0),
                                    .cache_read = cached};

        stream_line_emit(lines, &(struct stream_event){
                                        .role = "system", .type = "usage", .usage = stream_line_usage(lines, &used)});
}

static void read_result(struct stream_lines *lines, const json_t *line)
{
        const char *status = document_get_string(line, "status");
        const json_t *failure = json_object_get(line, "error");

        stream_line_over(lines);
        if (json_is_object(json_object_get(line, "stats")))
                read_usage(lines, json_object_get(line, "stats"));
        if (status && strcmp(status, "success"))
                read_error_of(lines, json_object_get(failure, "message"), document_get_string(failure, "type"), true);
}

static const struct {
        const char *type;
        void (*read)(struct stream_lines *lines, const json_t *line);
} kinds[] = {
        {"message", read_message}, {"tool_use", read_call}, {"tool_result", read_tool_result},
        {"error", read_error},     {"result", read_result},
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

STREAM_LINES_FORMAT(stream_format_gemini, "gemini-json", read_line);
