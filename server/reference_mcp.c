/* The reference's section on the MCP server: what is no tool. */
#include <inttypes.h>

#include "mcp/prompt.h"
#include "mcp/resource.h"
#include "mcp/revision.h"
#include "server/base/document.h"
#include "server/reference.h"
#include "server/services/toolset.h"

static void print_revisions(struct text *out)
{
        auto_json *names = revision_names();
        json_t *name;
        size_t i;

        text_append_string(out, "`POST /mcp` speaks the revisions ");
        json_array_foreach(names, i, name)
        {
                text_printf(out, "%s`%s`", i ? ", " : "", json_string_value(name));
        }
        text_append_string(
                out,
                " of the protocol, each request in the one that it names: in `params._meta` and "
                "`MCP-Protocol-Version`, without a handshake, or in `MCP-Protocol-Version` after `initialize`. Nothing "
                "is remembered between requests. Answers are JSON; a tool that reports how far it is answers as an "
                "event stream where the request has a `progressToken` and accepts `text/event-stream`. Closing the "
                "connection ends the request, never what it made.\n\n");
}

static void print_toolsets(struct text *out)
{
        text_append_string(out,
                           "Each tool is in a toolset. `?toolsets=` on the endpoint's URL, the header `X-MCP-Toolsets` "
                           "(names with commas between them, `default`, `all`) and a key made with `--toolsets` "
                           "narrow the list, and the calls too; where several say something, what all of them allow "
                           "is left. Without any of them the default ones are listed, and every tool can be called. "
                           "A list shows only tools that the caller's roles are of use for.\n\n"
                           "| toolset | listed unasked | what is in it |\n|---|---|---|\n");
        for (size_t i = 0; i < toolset_count; i++)
                text_printf(out, "| `%s` | %s | %s |\n", toolset_rows[i].name,
                            toolset_rows[i].is_default ? "yes" : "no", toolset_rows[i].sentence);
}

static void print_prompts(struct text *out)
{
        text_append_string(out, "\n| prompt | argument | what |\n|---|---|---|\n");
        for (size_t i = 0; i < prompt_count(); i++) {
                const struct prompt *prompt = prompt_at(i);
                text_printf(out, "| `%s` | | %s |\n", prompt->name, prompt->description);
                for (const struct prompt_argument *row = prompt->arguments; row && row->name; row++)
                        text_printf(out, "| | `%s`%s | %s |\n", row->name, row->is_required ? " (required)" : "",
                                    row->description);
        }
        text_append_string(out, "\nResources are the files that tasks left, `" RESOURCE_TEMPLATE
                                "`, with the access, redaction and limits of `read_task_file`.\n");
}

static void print_errors(struct text *out)
{
        text_append_string(out, "\n| JSON-RPC code | when |\n|---|---|\n");
        for (const struct envelope_row *row = envelope_rows; row->sentence; row++)
                text_printf(out, "| `%d` | %s |\n", row->code, row->sentence);
        text_append_string(out,
                           "\nA tool that refuses or fails answers with a result, `isError`, whose text is "
                           "`{\"error\", \"message\", \"details\"?}` with a code of the section on error codes; a tool "
                           "that reads tells fixed sentences without details. Arguments that the tool does not take "
                           "are told in a text that begins `MCP error -32602: Input validation error: `. Before the "
                           "protocol is reached, HTTP answers: 401, 403 for a foreign origin, 404 while the server is "
                           "switched off, 405, 415.\n");
}

void reference_print_mcp(struct text *out)
{
        print_revisions(out);
        print_toolsets(out);
        print_prompts(out);
        print_errors(out);
}
