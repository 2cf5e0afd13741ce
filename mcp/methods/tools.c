#include <string.h>

#include "mcp/answer.h"
#include "mcp/listing.h"
#include "mcp/methods/methods.h"
#include "server/base/document.h"
#include "server/services/setting.h"

static bool read_scope(const struct exchange *exchange, struct exchange_item *item, struct scope *scope)
{
        const struct exchange_request *request = exchange->request;
        auto_error error = {0};

        if (scope_read(scope, request->headers, request->actor, &error))
                return true;
        method_refuse(item, error.message);
        return false;
}

/* There is one page; whatever cursor came, it is this one. */
void method_tools_list(struct exchange *exchange, struct exchange_item *item)
{
        /* What a caller's roles allow changes at once; a list that is a minute old only shows a tool that refuses. */
        static const struct cache_hint hint = {.ttl_ms = 60000};
        struct scope scope;

        if (!read_scope(exchange, item, &scope))
                return;
        envelope_begin(&item->answer, item->message.id);
        listing_append(&item->answer, &scope);
        envelope_close(&item->answer, exchange->revision->is_stateless, &hint);
}

static void refuse_unknown(struct exchange_item *item, const char *name)
{
        auto_free const char **names = memory_new(tool_count() * sizeof *names);
        auto_text sentence = TEXT_WITH_MAXIMUM(400);

        for (size_t i = 0; i < tool_count(); i++)
                names[i] = tool_at(i)->name;
        const char *nearest = field_nearest(name, names, tool_count());
        auto_text shown = TEXT_WITH_MAXIMUM(128);
        text_append(&shown, name, utf8_head_length(name, strlen(name), 30));
        text_printf(&sentence, "Unknown tool: %s.", text_string(&shown));
        if (nearest)
                text_printf(&sentence, " Did you mean %s?", nearest);
        method_refuse(item, text_string(&sentence));
}

static void refuse_outside(struct exchange_item *item, const struct tool *tool)
{
        auto_free char *sentence = text_format("The tool %s is in the toolset %s, which is not among those that this "
                                               "connection asked for.",
                                               tool->name, tool->toolset);

        method_refuse(item, sentence);
}

/* Whether the client has said that it can do what the tool asks of it. */
static bool check_capability(struct exchange *exchange, struct exchange_item *item, const char *capability)
{
        if (!capability || json_object_get(stateless_capabilities(&item->message), capability))
                return true;
        auto_json *data = json_pack("{s:{s:{}}}", "requiredCapabilities", capability);
        exchange->status = exchange->revision->is_stateless ? 400 : exchange->status;
        envelope_error(&item->answer, item->message.id, ENVELOPE_MISSING_CAPABILITY,
                       "The tool needs a capability that the client has not declared.", data);
        return false;
}

/* The tool, when it may be called; otherwise answered. */
static const struct tool *find_tool(struct exchange *exchange, struct exchange_item *item)
{
        const char *name = document_get_string(item->message.params, "name");
        const struct tool *tool = name ? tool_find(name) : NULL;
        struct scope scope;

        if (!name)
                method_refuse(item, "tools/call needs the string name.");
        else if (!tool)
                refuse_unknown(item, name);
        else if (read_scope(exchange, item, &scope)) {
                if (!scope_has(&scope, tool))
                        refuse_unknown(item, name);
                else if (!scope_allows(&scope, tool))
                        refuse_outside(item, tool);
                else if (check_capability(exchange, item, tool->capability))
                        return tool;
        }
        return NULL;
}

/* Checks the call and leaves the tool and its input in the item. */
void method_tools_call(struct exchange *exchange, struct exchange_item *item)
{
        const struct tool *tool = find_tool(exchange, item);
        json_t *arguments = json_object_get(item->message.params, "arguments");
        auto_error error = {0};

        if (!tool)
                return;
        item->body_maximum =
                tool->takes_files ? (size_t)settings_current()->attachment_body_megabytes * 1024 * 1024 : 0;
        if (!arguments || json_is_null(arguments))
                arguments = item->own_arguments = json_object();
        item->arguments = arguments;
        if (field_read(tool->input, arguments, &item->memory, item->input, &error))
                item->tool = tool;
        else
                answer_invalid(&item->answer, item->message.id, exchange->revision->is_stateless, error.message);
}
