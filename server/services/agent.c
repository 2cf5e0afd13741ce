#include "server/services/agent.h"

#include <string.h>

#include "server/services/task.h"

/* The instructions are a bash script. Bash reads it from descriptor 3, so that its commands have their own (empty)
 * standard input. */
static const char *const shell_command[] = {"bash", "/dev/fd/3", NULL};

static const struct agent agents[] = {
        {"shell", "Runs the instructions as a bash script.", shell_command, RUNNER_PROMPT_ON_FD3, true, NULL,
         &stream_format_text},
};

const char *const task_agents[] = {"shell", NULL};

const struct agent *agent_find(const char *name)
{
        for (size_t i = 0; i < COUNT_OF(agents); i++)
                if (!strcmp(agents[i].name, name))
                        return &agents[i];
        return NULL;
}
