/* Codex's `exec --json`: events of a thread; an item is told when it starts and when it is done. */
#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/services/stream_error.h"
#include "server/services/stream_line.h"

static void read_error(struct stream_lines *lines, const json_t *message, bool is_fatal)
{
        const char *text = json_is_string(message) ? json_string_value(message) : "";

        stream_line_failure(lines,
                            (struct stream_event){.role = "system",
                                                  .type = "error",
                                                  .category = stream_error_category(NULL, text),
                                                  .resets_at = stream_error_resets_at(text, clock_now()),
                                                  .is_fatal = is_fatal},
                            message);
}

static bool is_failed(const json_t *item)
{
        const char *status = document_get_string(item, "status");

        return status && (!strcmp(status, "failed") || !strcmp(status, "declined"));
}

static void call(struct stream_lines *lines, const json_t *item, struct stream_event event, char *text)
{
        event.role = "assistant";
        event.type = "tool_call";
        event.tool_use_id = document_get_string(item, "id");
        stream_line_take(lines, event, text);
}

static void result(struct stream_lines *lines, const json_t *item, struct stream_event event, char *text)
{
        event.role = "tool";
        event.type = "tool_result";
        event.tool_use_id = document_get_string(item, "id");
        event.is_error = is_failed(item);
        stream_line_take(lines, event, text);
}

static void read_message(struct stream_lines *lines, const json_t *item, bool is_done)
{
        if (is_done)
                stream_line_text(lines, (struct stream_event){.role = "assistant", .type = "text", .is_block = true},
                                 json_object_get(item, "text"));
}

static void read_reasoning(struct stream_lines *lines, const json_t *item, bool is_done)
{
        if (is_done)
                stream_line_text(lines, (struct stream_event){.role = "assistant", .type = "thinking"},
                                 json_object_get(item, "text"));
}

static void read_command(struct stream_lines *lines, const json_t *item, bool is_done)
{
        const char *command = document_get_string(item, "command"),
                   *output = document_get_string(item, "aggregated_output");
        struct stream_event event = {.tool = "shell", .command = command};

        if (!is_done) {
                call(lines, item, event, text_copy(command ? command : ""));
                return;
        }
        event.is_error = document_get_integer(item, "exit_code", 0) != 0;
        result(lines, item, event, text_copy(output ? output : ""));
}

/* Told when it is done only. */
static void read_change(struct stream_lines *lines, const json_t *item, bool is_done)
{
        const json_t *changes = json_object_get(item, "changes"), *change;
        json_t *paths = json_array();
        size_t i;

        json_array_foreach(changes, i, change)
        {
                json_t *path = json_object_get(change, "path");
                if (json_is_string(path))
                        json_array_append(paths, path);
        }
        struct stream_event event = {.tool = "apply_patch", .paths = stream_line_keep(lines, paths)};
        if (!is_done)
                return;
        call(lines, item, event, stream_line_arguments(changes));
        result(lines, item, event, text_copy(is_failed(item) ? "failed" : "done"));
}

static void read_tool(struct stream_lines *lines, const json_t *item, bool is_done)
{
        const char *tool = document_get_string(item, "tool"), *failure;
        const json_t *arguments = json_object_get(item, "arguments");
        struct stream_event event = {
                .tool = tool, .command = stream_line_command(arguments), .paths = stream_line_paths(lines, arguments)};

        if (!is_done) {
                call(lines, item, event, stream_line_arguments(arguments));
                return;
        }
        failure = document_get_string(json_object_get(item, "error"), "message");
        result(lines, item, event,
               failure ? text_copy(failure) : stream_line_arguments(json_object_get(item, "result")));
}

static void read_search(struct stream_lines *lines, const json_t *item, bool is_done)
{
        const char *query = document_get_string(item, "query");

        if (is_done)
                call(lines, item, (struct stream_event){.tool = "web_search"}, text_copy(query ? query : ""));
}

static void read_item_error(struct stream_lines *lines, const json_t *item, bool is_done)
{
        if (is_done)
                read_error(lines, json_object_get(item, "message"), false);
}

static const struct {
        const char *type;
        void (*read)(struct stream_lines *lines, const json_t *item, bool is_done);
} items[] = {
        {"agent_message", read_message}, {"reasoning", read_reasoning}, {"command_execution", read_command},
        {"file_change", read_change},    {"mcp_tool_call", read_tool},  {"collab_tool_call", read_tool},
        {"web_search", read_search},     {"error", read_item_error},
};

static void read_item(struct stream_lines *lines, const json_t *item, bool is_done)
{
        const char *type = document_get_string(item, "type");

        for (size_t i = 0; type && i < COUNT_OF(items); i++)
                if (!strcmp(items[i].type, type))
                        items[i].read(lines, item, is_done);
}

/* Codex counts over the conversation, and what the cache held is within its input. */
static void read_usage(struct stream_lines *lines, const json_t *usage)
{
        int64_t cached = document_get_integer(usage, "cached_input_tokens", 0);
        int64_t input = document_get_integer(usage, "input_tokens", 0);
        struct stream_usage used = {.input = input > cached ? input - cached : 0,
                                    .output = document_get_integer(usage, "output_tokens", 0),
                                    .cache_read = cached,
                                    .cache_write = document_get_integer(usage, "cache_write_input_tokens", 0),
                                    .is_conversation = true};

        stream_line_emit(lines, &(struct stream_event){
                                        .role = "system", .type = "usage", .usage = stream_line_usage(lines, &used)});
}

static void read_end(struct stream_lines *lines, const json_t *line)
{
        stream_line_over(lines);
        if (json_is_object(json_object_get(line, "usage")))
                read_usage(lines, json_object_get(line, "usage"));
}

static void read_failure(struct stream_lines *lines, const json_t *line)
{
        stream_line_over(lines);
        read_error(lines, json_object_get(json_object_get(line, "error"), "message"), true);
}

static bool read_line(struct stream_lines *lines, const json_t *line)
{
        const char *type = document_get_string(line, "type");

        if (!type)
                return false;
        if (!strcmp(type, "thread.started"))
                stream_line_session(lines, document_get_string(line, "thread_id"));
        else if (!strcmp(type, "item.started") || !strcmp(type, "item.completed"))
                read_item(lines, json_object_get(line, "item"), !strcmp(type, "item.completed"));
        else if (!strcmp(type, "turn.completed"))
                read_end(lines, line);
        else if (!strcmp(type, "turn.failed"))
                read_failure(lines, line);
        else if (!strcmp(type, "error"))
                read_error(lines, json_object_get(line, "message"), false);
        return true;
}

STREAM_LINES_FORMAT(stream_format_codex, "codex-json", read_line);
