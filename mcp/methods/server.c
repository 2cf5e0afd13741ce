/* Who the server is: server/discover, and what the revisions before it had instead. */
#include "mcp/methods/methods.h"
#include "server/base/document.h"

static const char instructions[] =
        "Longshore runs coding agents as tasks in containers. Call list_environments to see where tasks can run, "
        "create_task to start one, and get_task with its taskId every few seconds until its status is neither "
        "queued nor running; latestResponse then holds what the agent said. get_task_output lists the files it left "
        "and read_task_file reads them. follow_up_task continues the same conversation in the same workspace.";

static json_t *capabilities(void)
{
        return json_pack("{s:{}, s:{}, s:{}, s:{}}", "tools", "prompts", "resources", "completions");
}

void method_discover(struct exchange *exchange, struct exchange_item *item)
{
        static const struct cache_hint hint = {.ttl_ms = 3600000, .is_public = true};
        auto_json *result = json_pack("{s:o, s:o, s:s}", "supportedVersions", revision_names(), "capabilities",
                                      capabilities(), "instructions", instructions);

        method_answer(exchange, item, result, &hint);
}

void method_initialize(struct exchange *exchange, struct exchange_item *item)
{
        const char *wanted = document_get_string(item->message.params, "protocolVersion");

        if (!wanted) {
                method_refuse(item, "initialize needs the string protocolVersion.");
                return;
        }
        auto_json *result =
                json_pack("{s:s, s:o, s:{s:s, s:s, s:s}, s:s}", "protocolVersion", revision_negotiate(wanted)->name,
                          "capabilities", capabilities(), "serverInfo", "name", "longshore", "title", "Longshore",
                          "version", LONGSHORE_VERSION, "instructions", instructions);
        method_answer(exchange, item, result, NULL);
}

void method_ping(struct exchange *exchange, struct exchange_item *item)
{
        (void)exchange;
        envelope_begin(&item->answer, item->message.id);
        text_append_string(&item->answer, "{}}");
}
