#include "server/services/toolset.h"

#include <string.h>

#include "server/base/text.h"

const struct toolset toolset_rows[] = {
        {"core", true, "Environments and templates; tasks made, read, continued and stopped."},
        {"conversation", true, "The queue of follow-ups, scheduled ones, pulling, rewinding and forking."},
        {"groups", true, "Task groups, pins, snoozes, winners and losers."},
        {"judges", true, "Judge and review runs."},
        {"panels", false, "What a task's page shows: comments, changed files and diffs, tests, its app server."},
};
const size_t toolset_count = COUNT_OF(toolset_rows);

uint32_t toolset_bit(const char *name)
{
        for (size_t i = 0; i < toolset_count; i++)
                if (!strcmp(toolset_rows[i].name, name))
                        return UINT32_C(1) << i;
        return 0;
}

uint32_t toolset_defaults(void)
{
        uint32_t set = 0;

        for (size_t i = 0; i < toolset_count; i++)
                if (toolset_rows[i].is_default)
                        set |= UINT32_C(1) << i;
        return set;
}

static uint32_t find(const char *name, size_t length)
{
        auto_text copy = TEXT_WITH_MAXIMUM(TOOLSET_NAMES_MAXIMUM);

        text_append(&copy, name, length);
        if (!strcmp(text_string(&copy), "all"))
                return (UINT32_C(1) << toolset_count) - 1;
        return strcmp(text_string(&copy), "default") ? toolset_bit(text_string(&copy)) : toolset_defaults();
}

static bool refuse(const char *name, size_t length, struct error *error)
{
        auto_text known = TEXT_WITH_MAXIMUM(TOOLSET_NAMES_MAXIMUM);

        for (size_t i = 0; i < toolset_count; i++)
                text_printf(&known, "%s, ", toolset_rows[i].name);
        return error_set(error, ERROR_INVALID_INPUT, "there is no toolset %.*s; there are %sdefault and all",
                         (int)utf8_head_length(name, length, 40), name, text_string(&known));
}

bool toolset_parse(const char *names, uint32_t *set, struct error *error)
{
        uint32_t found = 0;

        for (const char *at = names + strspn(names, ", "); *at;) {
                size_t length = strcspn(at, ", ");
                uint32_t bits = find(at, length);
                if (!bits)
                        return refuse(at, length, error);
                found |= bits;
                at += length + strspn(at + length, ", ");
        }
        if (!found)
                return refuse("\"\"", 2, error);
        *set = found;
        return true;
}
