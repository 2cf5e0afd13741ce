/* Chat messages, one a line, as Kimi CLI's `--output-format stream-json` prints them: an assistant's message with its
 * tool calls, then one message of each tool. */
#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/services/stream_error.h"
#include "server/services/stream_line.h"

/* The content is a text or a list of parts, of which some are texts and some thoughts. */
static void read_content(struct stream_lines *lines, struct stream_event event, const json_t *content)
{
        const json_t *part;
        size_t i;

        stream_line_text(lines, event, content);
        json_array_foreach(content, i, part)
        {
                struct stream_event thought = {.role = event.role, .type = "thinking"};
                stream_line_text(lines, event, json_object_get(part, "text"));
                stream_line_text(lines, thought, json_object_get(part, "think"));
        }
}

static void read_calls(struct stream_lines *lines, const json_t *calls)
{
        const json_t *call;
        size_t i;

        json_array_foreach(calls, i, call)
        {
                const json_t *function = json_object_get(call, "function");
                const char *given = document_get_string(function, "arguments");
                json_t *arguments = given ? json_loads(given, 0, NULL) : NULL;
                json_t *holder = json_array();
                json_array_append_new(holder, arguments ? arguments : json_object());
                stream_line_keep(lines, holder);
                arguments = json_array_get(holder, 0);
                stream_line_take(lines,
                                 (struct stream_event){.role = "assistant",
                                                       .type = "tool_call",
                                                       .tool = document_get_string(function, "name"),
                                                       .tool_use_id = document_get_string(call, "id"),
                                                       .command = stream_line_command(arguments),
                                                       .paths = stream_line_paths(lines, arguments)},
                                 text_copy(given ? given : "{}"));
        }
}

/* Notes of the program: a step tried again, and how to take the conversation up. */
static void read_note(struct stream_lines *lines, const json_t *line)
{
        const char *type = document_get_string(line, "type"), *text = document_get_string(line, "content");

        stream_line_session(lines, document_get_string(line, "session_id"));
        if (type && text && strstr(type, "error"))
                stream_line_text(lines,
                                 (struct stream_event){.role = "system",
                                                       .type = "error",
                                                       .category = stream_error_category(type, text),
                                                       .error_type = type,
                                                       .resets_at = stream_error_resets_at(text, clock_now())},
                                 json_object_get(line, "content"));
}

static bool read_line(struct stream_lines *lines, const json_t *line)
{
        const char *role = document_get_string(line, "role");
        const json_t *content = json_object_get(line, "content");

        if (!role)
                return false;
        if (!strcmp(role, "assistant")) {
                read_content(lines, (struct stream_event){.role = "assistant", .type = "text", .is_block = true},
                             content);
                read_calls(lines, json_object_get(line, "tool_calls"));
        } else if (!strcmp(role, "tool")) {
                read_content(lines,
                             (struct stream_event){.role = "tool",
                                                   .type = "tool_result",
                                                   .tool_use_id = document_get_string(line, "tool_call_id")},
                             content);
        } else if (!strcmp(role, "meta")) {
                read_note(lines, line);
        }
        return true;
}

STREAM_LINES_FORMAT(stream_format_chat, "chat-json", read_line);
