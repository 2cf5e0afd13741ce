/* Bob Shell of IBM, by its documentation: it came of Gemini CLI and speaks as that does. */
#include "server/services/agents/agents.h"

static const char *const accounts[] = {"BOBSHELL_API_KEY", NULL};

static void command(const struct agent_turn *turn, struct agent_command *command)
{
        agent_begin(command, turn, "bin/bob");
        agent_word(command, "-o");
        agent_word(command, "stream-json");
        agent_word(command, "--approval-mode");
        agent_word(command, "yolo");
        if (turn->is_following) {
                agent_word(command, "-r");
                agent_word(command, "%s", turn->session ? turn->session : "latest");
        }
}

static void configure(const struct agent_turn *turn, struct agent_files *files)
{
        agent_gemini_settings(turn, files, "home/.bob/settings.json");
}

const struct agent agent_bob = {
        .name = "bob",
        .description = "Bob Shell of IBM.",
        .program = "bin/bob",
        .prompt_on = RUNNER_PROMPT_ON_STDIN,
        .format = &stream_format_gemini,
        .accounts = accounts,
        .instructions = ".bob/AGENTS.md",
        .skills = ".bob/skills",
        .command = command,
        .configure = configure,
        .verified = "streams written by hand from its documentation",
};
