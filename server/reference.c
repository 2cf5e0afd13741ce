#include "server/reference.h"

#include <string.h>

#include "mcp/tool.h"
#include "server/base/field.h"
#include "server/routes.h"
#include "server/services/environment.h"
#include "server/services/permission.h"
#include "server/services/setting.h"

static void print_hints(const struct tool *tool, struct text *out)
{
        const struct tool_hints *hints = &tool->hints;

        text_printf(out, "Toolset `%s`. ", tool->toolset);
        text_printf(out, "%s%s%s.", hints->reads_only ? "Reads only" : "Changes something",
                    hints->is_idempotent ? "; repeating it changes nothing more" : "",
                    hints->is_open_world ? "; reaches beyond this server" : "");
        if (tool->reports_progress)
                text_append_string(out, " Reports how far it is.");
        if (tool->takes_files)
                text_append_string(out, " A request may be as large as `ATTACHMENT_BODY_MEGABYTES` says.");
        text_append_string(out, "\n\n");
}

static void print_tool(const struct tool *tool, struct text *out)
{
        text_printf(out, "### %s\n\n%s\n\n", tool->name, tool->description);
        print_hints(tool, out);
        if (tool->input->count) {
                text_append_string(out, "Arguments:\n\n");
                field_document(tool->input, out);
        } else {
                text_append_string(out, "No arguments.\n");
        }
        if (tool->output->count) {
                text_append_string(out, "\nResult:\n\n");
                field_document(tool->output, out);
        }
        text_append_string(out, "\n");
}

static void print_tools(struct text *out)
{
        text_append_string(out, "The tools of the MCP server at `POST /mcp`.\n\n");
        for (size_t i = 0; i < mcp_tool_count; i++)
                print_tool(mcp_tools[i], out);
}

/* PORT is --port, MCP_SERVER_ENABLED is --mcp-server-enabled. */
static void print_settings(struct text *out)
{
        text_append_string(out, "A setting is stored with `longshored setting set`, or given in `config.json` in the "
                                "data folder, as an environment variable of its name, or as a flag (`--port` for "
                                "`PORT`); each of these goes before the one named earlier and pins the setting.\n\n");
        field_document(&settings_table, out);
}

static void print_environment(struct text *out)
{
        text_append_string(out, "An environment is a folder `environments/NAME` in the setup folder with a file "
                                "`environment.json`, an object of the members below; all but a repository's `url` may "
                                "be left out. NAME has 1 to 64 letters, digits, dots, hyphens and underscores and "
                                "begins with a letter or digit. Changes are taken up within a second. A file with a "
                                "mistake disables its environment until it is mended; `list_environments` says "
                                "why. A folder that is removed, or gets another name, gives up its access rights: one "
                                "that comes back under the name begins without any.\n\n");
        field_document(&environment_table, out);
}

static void print_operation(size_t row, struct text *out)
{
        const struct rest_operation *operation = route_operation(row);

        if (!operation || !operation->input)
                return;
        text_printf(out, "\n### %s %s\n\n", routes[row].method, routes[row].path);
        field_document(operation->input, out);
}

static void print_rest(struct text *out)
{
        text_append_string(out, "| method | path | who | what |\n|---|---|---|---|\n");
        for (size_t i = 0; i < route_count; i++) {
                const char *permission = route_permission(i);
                text_printf(out, "| `%s` | `%s` | %s%s%s | %s |\n", routes[i].method, routes[i].path,
                            route_access_words(i), permission ? "; needs " : "", permission ? permission : "",
                            route_sentence(i));
        }
        text_append_string(
                out,
                "\nArguments come from the path, the query (lists with commas) and the JSON body; below they stand "
                "together for each route. Lists are returned in pages: `limit` and `cursor` in the query, "
                "`nextCursor` in the answer. An error is answered as `{\"error\", \"code\", \"message\", "
                "\"details\"?}` with `error` and `code` alike. Every answer carries `X-Request-Id`. A session "
                "(`POST /login`) sends its cookie, and with every request that changes something the `csrfToken` "
                "as `X-CSRF-Token`. `GET /openapi.json` has all of it for programs.\n");
        for (size_t i = 0; i < route_count; i++)
                print_operation(i, out);
}

static void print_errors(struct text *out)
{
        text_append_string(out, "| code | HTTP status | default message |\n|---|---|---|\n");
        for (int code = ERROR_NONE + 1; code < ERROR_COUNT; code++) {
                const struct error_kind *kind = error_kind((enum error_code)code);
                text_printf(out, "| `%s` | %d | %s |\n", kind->code, kind->status, kind->sentence);
        }
}

static void print_permissions(struct text *out)
{
        text_append_string(out,
                           "A permission comes from a role that is bound to a user or a team: in an environment, in "
                           "all environments, or at the server.\n\n| permission | scope | allows |\n|---|---|---|\n");
        for (int i = 0; i < PERMISSION_COUNT; i++) {
                const struct permission_row *row = permission_row((enum permission)i);
                text_printf(out, "| `%s` | %s | %s |\n", row->string,
                            row->scope == PERMISSION_SCOPE_SERVER ? "server" : "environment", row->sentence);
        }
}

static const struct section {
        const char *name, *title;
        void (*print)(struct text *out);
} sections[] = {
        {"tools", "Tools", print_tools},
        {"mcp", "The MCP server", reference_print_mcp},
        {"settings", "Settings", print_settings},
        {"environment", "Environments", print_environment},
        {"rest", "HTTP routes", print_rest},
        {"errors", "Error codes", print_errors},
        {"permissions", "Permissions", print_permissions},
};

static const char *const section_names[] = {"tools", "mcp",    "settings",    "environment",
                                            "rest",  "errors", "permissions", NULL};

static const struct field reference_rows[] = {
        STRING_FIELD(struct reference_input, section, .choices = section_names, .help = "One section; all without it."),
};
const struct field_table reference_table = FIELD_TABLE(struct reference_input, reference_rows);

static void print_section(const struct section *section, struct text *out)
{
        text_printf(out, "%s## %s\n\n", out->length ? "\n" : "", section->title);
        section->print(out);
}

static bool refuse_section(const char *name, struct error *error)
{
        auto_text known = TEXT_WITH_MAXIMUM(200);

        for (size_t i = 0; i < COUNT_OF(sections); i++)
                text_printf(&known, "%s%s", i ? ", " : "", sections[i].name);
        return error_set(error, ERROR_NOT_FOUND, "The reference has no section %.40s; there are: %s.", name,
                         text_string(&known));
}

bool reference_print(const char *section, struct text *out, struct error *error)
{
        if (!section)
                text_printf(out, "# Longshore %s\n", LONGSHORE_VERSION);
        for (size_t i = 0; i < COUNT_OF(sections); i++) {
                if (section && strcmp(section, sections[i].name))
                        continue;
                print_section(&sections[i], out);
                if (section)
                        return true;
        }
        return !section || refuse_section(section, error);
}
