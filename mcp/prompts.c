#include <string.h>

#include "mcp/more.h"
#include "mcp/prompts/prompts.h"
#include "server/base/cleanup.h"

static const struct prompt *const prompts[] = {
        &prompt_handoff,
};

size_t prompt_count(void)
{
        return COUNT_OF(prompts) + mcp_more.prompt_count;
}

const struct prompt *prompt_at(size_t index)
{
        return index < COUNT_OF(prompts) ? prompts[index] : mcp_more.prompts[index - COUNT_OF(prompts)];
}

const struct prompt *prompt_find(const char *name)
{
        for (size_t i = 0; i < prompt_count(); i++)
                if (!strcmp(prompt_at(i)->name, name))
                        return prompt_at(i);
        return NULL;
}
