#include <string.h>

#include "mcp/methods/methods.h"
#include "mcp/prompt.h"
#include "server/base/document.h"

static json_t *describe_arguments(const struct prompt *prompt)
{
        json_t *arguments = json_array();

        for (const struct prompt_argument *row = prompt->arguments; row && row->name; row++)
                json_array_append_new(arguments, json_pack("{s:s, s:s, s:b}", "name", row->name, "description",
                                                           row->description, "required", row->is_required));
        return arguments;
}

void method_prompts_list(struct exchange *exchange, struct exchange_item *item)
{
        static const struct cache_hint hint = {.ttl_ms = 3600000, .is_public = true};
        json_t *prompts = json_array();

        for (size_t i = 0; i < prompt_count(); i++) {
                const struct prompt *prompt = prompt_at(i);
                json_array_append_new(prompts, json_pack("{s:s, s:s, s:s, s:o}", "name", prompt->name, "title",
                                                         prompt->title, "description", prompt->description, "arguments",
                                                         describe_arguments(prompt)));
        }
        auto_json *result = json_pack("{s:o}", "prompts", prompts);
        method_answer(exchange, item, result, &hint);
}

static const struct prompt_argument *find_argument(const struct prompt *prompt, const char *name)
{
        for (const struct prompt_argument *row = prompt->arguments; row && row->name; row++)
                if (!strcmp(row->name, name))
                        return row;
        return NULL;
}

/* Whether all are strings and of the prompt, and none is missing that it needs. */
static bool check_arguments(const struct prompt *prompt, json_t *given, struct error *error)
{
        const char *name;
        json_t *value;

        if (given && !json_is_object(given) && !json_is_null(given))
                return error_set(error, ERROR_INVALID_INPUT, "arguments must be an object of strings.");
        json_object_foreach(given, name, value)
        {
                if (!find_argument(prompt, name))
                        return error_set(error, ERROR_INVALID_INPUT, "The prompt %s has no argument %.40s.",
                                         prompt->name, name);
                if (!json_is_string(value))
                        return error_set(error, ERROR_INVALID_INPUT, "The argument %s must be a string.", name);
        }
        for (const struct prompt_argument *row = prompt->arguments; row && row->name; row++)
                if (row->is_required && !document_get_string(given, row->name))
                        return error_set(error, ERROR_INVALID_INPUT, "The prompt %s needs the argument %s.",
                                         prompt->name, row->name);
        return true;
}

static bool get_prompt(struct call *call, const struct message *message, json_t **result, struct error *error)
{
        json_t *arguments = json_object_get(call->arguments, "arguments");

        return prompt_find(document_get_string(call->arguments, "name"))->get(call, message, arguments, result, error);
}

void method_prompts_get(struct exchange *exchange, struct exchange_item *item)
{
        static const struct tool run = {
                .name = "prompts/get", .mode = TOOL_READS, .run_whole = get_prompt, .is_method = true};
        const char *name = document_get_string(item->message.params, "name");
        const struct prompt *prompt = name ? prompt_find(name) : NULL;
        auto_error error = {0};

        (void)exchange;
        if (!name)
                method_refuse(item, "prompts/get needs the string name.");
        else if (!prompt)
                method_refuse(item, "There is no such prompt.");
        else if (!check_arguments(prompt, json_object_get(item->message.params, "arguments"), &error))
                method_refuse(item, error.message);
        else
                method_run(item, &run);
}
