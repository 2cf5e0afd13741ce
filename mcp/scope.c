#include "mcp/scope.h"

#include "server/services/toolset.h"

static bool narrow(struct scope *scope, const char *names, struct error *error)
{
        uint32_t set;

        if (!names || !*names)
                return true;
        if (!toolset_parse(names, &set, error))
                return false;
        scope->toolsets = scope->toolsets ? scope->toolsets & set : set;
        if (!scope->toolsets)
                scope->toolsets = TOOLSET_NONE;
        return true;
}

bool scope_read(struct scope *scope, const struct exchange_headers *headers, const struct actor *actor,
                struct error *error)
{
        *scope = (struct scope){.toolsets = actor->toolsets, .actor = actor};
        return narrow(scope, headers->toolset_query, error) && narrow(scope, headers->toolsets, error);
}

bool scope_has(const struct scope *scope, const struct tool *tool)
{
        bool is_task = scope->actor->credential == CREDENTIAL_TASK;

        return tool->audience == TOOL_FOR_ALL || (tool->audience == TOOL_FOR_TASKS) == is_task;
}

bool scope_lists(const struct scope *scope, const struct tool *tool)
{
        uint32_t wanted = scope->toolsets ? scope->toolsets : toolset_defaults();

        return (toolset_bit(tool->toolset) & wanted) && scope_has(scope, tool) &&
               (!tool->needs || access_allows_somewhere(scope->actor, tool->needs));
}

bool scope_allows(const struct scope *scope, const struct tool *tool)
{
        return !scope->toolsets || (toolset_bit(tool->toolset) & scope->toolsets);
}
