#include <string.h>

#include "mcp/methods/methods.h"

enum era { EVER, WITH_HANDSHAKE, STATELESS };

static const struct method {
        const char *name;
        method_handler *handle;
        enum era era;  /* in which revisions it is there */
        bool is_alone; /* not part of a batch */
} methods[] = {
        {"tools/call", method_tools_call, EVER, false},
        {"tools/list", method_tools_list, EVER, false},
        {"server/discover", method_discover, STATELESS, true},
        {"initialize", method_initialize, WITH_HANDSHAKE, true},
        {"ping", method_ping, WITH_HANDSHAKE, false},
        {"prompts/list", method_prompts_list, EVER, false},
        {"prompts/get", method_prompts_get, EVER, false},
        {"resources/list", method_resources_list, EVER, false},
        {"resources/templates/list", method_resource_templates_list, EVER, false},
        {"resources/read", method_resources_read, EVER, false},
        {"completion/complete", method_complete, EVER, false},
};

void method_refuse(struct exchange_item *item, const char *sentence)
{
        envelope_error(&item->answer, item->message.id, ENVELOPE_INVALID_PARAMS, sentence, NULL);
}

void method_answer(const struct exchange *exchange, struct exchange_item *item, const json_t *result,
                   const struct cache_hint *hint)
{
        envelope_result(&item->answer, item->message.id, result, exchange->revision->is_stateless, hint);
}

void method_run(struct exchange_item *item, const struct tool *tool)
{
        item->arguments = item->message.params;
        if (!item->arguments)
                item->arguments = item->own_arguments = json_object();
        item->tool = tool;
}

static const struct method *find(const struct exchange *exchange, const char *name)
{
        enum era absent = exchange->revision->is_stateless ? WITH_HANDSHAKE : STATELESS;

        for (size_t i = 0; i < COUNT_OF(methods); i++)
                if (!strcmp(methods[i].name, name))
                        return methods[i].era == absent ? NULL : &methods[i];
        return NULL;
}

void method_dispatch(struct exchange *exchange, struct exchange_item *item)
{
        const struct method *method = find(exchange, item->message.method);

        if (!method) {
                if (exchange->revision->is_stateless)
                        exchange->status = 404;
                envelope_error(&item->answer, item->message.id, ENVELOPE_METHOD_NOT_FOUND, "There is no such method.",
                               NULL);
        } else if (method->is_alone && exchange->is_batch) {
                envelope_error(&item->answer, item->message.id, ENVELOPE_INVALID_REQUEST,
                               "This method cannot be part of a batch.", NULL);
        } else {
                method->handle(exchange, item);
        }
}
