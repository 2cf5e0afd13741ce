/* completion/complete: what an argument of a prompt may go on with. */
#include <string.h>

#include "mcp/methods/methods.h"
#include "mcp/prompt.h"
#include "server/base/document.h"

/* A client shows a list of at most so many (MCP, completion). */
#define VALUES_MAXIMUM 100

static const struct prompt_argument *find_argument(const json_t *params)
{
        const char *name = document_get_string(json_object_get(params, "ref"), "name");
        const char *argument = document_get_string(json_object_get(params, "argument"), "name");
        const struct prompt *prompt = name ? prompt_find(name) : NULL;

        for (const struct prompt_argument *row = prompt ? prompt->arguments : NULL; row && row->name; row++)
                if (argument && !strcmp(row->name, argument))
                        return row;
        return NULL;
}

static bool complete(struct call *call, const struct message *message, json_t **result, struct error *error)
{
        const struct prompt_argument *argument = find_argument(call->arguments);
        const char *typed = document_get_string(json_object_get(call->arguments, "argument"), "value");
        auto_json *values = json_array();

        (void)message;
        if (argument && argument->complete && !argument->complete(call, typed ? typed : "", values, error))
                return false;
        size_t total = json_array_size(values);
        while (json_array_size(values) > VALUES_MAXIMUM)
                json_array_remove(values, json_array_size(values) - 1);
        *result = json_pack("{s:{s:O, s:I, s:b}}", "completion", "values", values, "total", (json_int_t)total,
                            "hasMore", total > VALUES_MAXIMUM);
        return true;
}

void method_complete(struct exchange *exchange, struct exchange_item *item)
{
        static const struct tool run = {
                .name = "completion/complete", .mode = TOOL_READS, .run_whole = complete, .is_method = true};
        const char *type = document_get_string(json_object_get(item->message.params, "ref"), "type");
        bool is_prompt = type && !strcmp(type, "ref/prompt");

        (void)exchange;
        if (!document_get_string(json_object_get(item->message.params, "argument"), "name") ||
            (!is_prompt && (!type || strcmp(type, "ref/resource"))))
                method_refuse(item, "completion/complete needs ref (of a prompt or a resource) and argument.");
        else if (is_prompt && !find_argument(item->message.params))
                method_refuse(item, "There is no such prompt, or it has no such argument.");
        else
                method_run(item, &run);
}
