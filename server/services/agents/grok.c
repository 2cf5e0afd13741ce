/* Grok's command line agent, by its documentation (docs.x.ai/build/cli): the prompt is read from a file, and the
 * messages come in the shape of Claude Code's. */
#include "server/services/agents/agents.h"

static const char *const accounts[] = {"XAI_API_KEY", "GROK_API_KEY", NULL};

static void command(const struct agent_turn *turn, struct agent_command *command)
{
        agent_begin(command, turn, "bin/grok");
        agent_word(command, "--no-auto-update");
        agent_word(command, "--prompt-file");
        agent_word(command, "/dev/fd/3");
        agent_word(command, "--output-format");
        agent_word(command, "streaming-messages-json");
        agent_word(command, "--always-approve");
        if (agent_has_model(turn)) {
                agent_word(command, "-m");
                agent_word(command, "%s", turn->model);
        }
        if (turn->session) {
                agent_word(command, "-r");
                agent_word(command, "%s", turn->session);
        } else if (turn->is_following) {
                agent_word(command, "-c");
        }
}

const struct agent agent_grok = {
        .name = "grok",
        .description = "Grok's command line agent of xAI.",
        .program = "bin/grok",
        .prompt_on = RUNNER_PROMPT_ON_FD3,
        .format = &stream_format_claude,
        .accounts = accounts,
        .instructions = ".grok/AGENTS.md",
        .skills = ".grok/skills",
        .command = command,
        .verified = "streams written by hand from its documentation",
};
