/* The instructions are a bash script. Bash reads it from descriptor 3, so that its commands have their own (empty)
 * standard input. */
#include "server/services/agents/agents.h"

static const char *const command[] = {"bash", "/dev/fd/3"};

const struct agent agent_shell = {
        .name = "shell",
        .description = "Runs the instructions as a bash script.",
        .prompt_on = RUNNER_PROMPT_ON_FD3,
        .is_script = true,
        .format = &stream_format_text,
        .own = command,
        .own_count = COUNT_OF(command),
        .verified = "the real program",
};
