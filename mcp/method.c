#include "mcp/method.h"

#include <string.h>

#include "mcp/answer.h"
#include "mcp/listing.h"
#include "server/base/document.h"

struct method {
        const char *name;
        void (*handle)(struct exchange *exchange, struct exchange_item *item);
        bool is_alone; /* not part of a batch */
};

static const char instructions[] =
        "Longshore runs coding agents as tasks in containers. Call list_environments to see where tasks can run, "
        "create_task to start one, and get_task with its taskId every few seconds until its status is neither "
        "queued nor running; latestResponse then holds what the agent said. get_task_output lists the files it left "
        "and read_task_file reads them. follow_up_task continues the same conversation in the same workspace.";

static void refuse_params(struct exchange_item *item, const char *sentence)
{
        envelope_error(&item->answer, item->message.id, ENVELOPE_INVALID_PARAMS, sentence, NULL);
}

static void initialize(struct exchange *exchange, struct exchange_item *item)
{
        const char *wanted = document_get_string(item->message.params, "protocolVersion");

        (void)exchange;
        if (!wanted) {
                refuse_params(item, "initialize needs the string protocolVersion.");
                return;
        }
        auto_json *result =
                json_pack("{s:s, s:{s:{}}, s:{s:s, s:s, s:s}, s:s}", "protocolVersion",
                          revision_negotiate(wanted)->name, "capabilities", "tools", "serverInfo", "name", "longshore",
                          "title", "Longshore", "version", LONGSHORE_VERSION, "instructions", instructions);
        auto_free char *printed = document_print(result);
        envelope_result(&item->answer, item->message.id, printed, strlen(printed));
}

static void ping(struct exchange *exchange, struct exchange_item *item)
{
        (void)exchange;
        envelope_result(&item->answer, item->message.id, "{}", 2);
}

/* There is one page; whatever cursor came, it is this one. */
static void list_tools(struct exchange *exchange, struct exchange_item *item)
{
        size_t length;
        const char *bytes = listing_bytes(&length);

        (void)exchange;
        envelope_result(&item->answer, item->message.id, bytes, length);
}

static void refuse_tool(struct exchange_item *item, const char *name)
{
        auto_free const char **names = memory_new(mcp_tool_count * sizeof *names);
        auto_text sentence = TEXT_WITH_MAXIMUM(400);

        for (size_t i = 0; i < mcp_tool_count; i++)
                names[i] = mcp_tools[i]->name;
        const char *nearest = field_nearest(name, names, mcp_tool_count);
        auto_text shown = TEXT_WITH_MAXIMUM(128);
        text_append(&shown, name, utf8_head_length(name, strlen(name), 30));
        text_printf(&sentence, "Unknown tool: %s.", text_string(&shown));
        if (nearest)
                text_printf(&sentence, " Did you mean %s?", nearest);
        refuse_params(item, text_string(&sentence));
}

/* Checks the call and leaves the tool and its input in the item. */
static void call_tool(struct exchange *exchange, struct exchange_item *item)
{
        const char *name = document_get_string(item->message.params, "name");
        json_t *arguments = json_object_get(item->message.params, "arguments");
        auto_error error = {0};

        (void)exchange;
        if (!name) {
                refuse_params(item, "tools/call needs the string name.");
                return;
        }
        const struct tool *tool = tool_find(name);
        if (!tool) {
                refuse_tool(item, name);
                return;
        }
        item->body_maximum =
                tool->takes_files ? (size_t)settings_current()->attachment_body_megabytes * 1024 * 1024 : 0;
        if (!arguments || json_is_null(arguments))
                arguments = item->own_arguments = json_object();
        item->arguments = arguments;
        if (field_read(tool->input, arguments, &item->memory, item->input, &error))
                item->tool = tool;
        else
                answer_invalid(&item->answer, item->message.id, error.message);
}

static const struct method methods[] = {
        {"tools/call", call_tool, false},
        {"tools/list", list_tools, false},
        {"ping", ping, false},
        {"initialize", initialize, true},
};

void method_dispatch(struct exchange *exchange, struct exchange_item *item)
{
        for (size_t i = 0; i < COUNT_OF(methods); i++) {
                if (strcmp(methods[i].name, item->message.method))
                        continue;
                if (methods[i].is_alone && exchange->is_batch)
                        envelope_error(&item->answer, item->message.id, ENVELOPE_INVALID_REQUEST,
                                       "This method cannot be part of a batch.", NULL);
                else
                        methods[i].handle(exchange, item);
                return;
        }
        envelope_error(&item->answer, item->message.id, ENVELOPE_METHOD_NOT_FOUND, "There is no such method.", NULL);
}
