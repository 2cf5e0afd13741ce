/* Kimi CLI, by its documentation (print mode): the prompt on standard input, chat messages on standard output. */
#include "server/base/document.h"
#include "server/services/agents/agents.h"

static const char *const accounts[] = {"KIMI_API_KEY", NULL};

static void command(const struct agent_turn *turn, struct agent_command *command)
{
        agent_begin(command, turn, "bin/kimi");
        agent_word(command, "--print");
        agent_word(command, "--output-format");
        agent_word(command, "stream-json");
        if (turn->server_count) {
                agent_word(command, "--mcp-config-file");
                agent_word(command, "%s/mcp.json", turn->folder);
        }
        if (agent_has_model(turn)) {
                agent_word(command, "--model");
                agent_word(command, "%s", turn->model);
        }
        if (turn->session) {
                agent_word(command, "--session");
                agent_word(command, "%s", turn->session);
        } else if (turn->is_following) {
                agent_word(command, "--continue");
        }
}

static void configure(const struct agent_turn *turn, struct agent_files *files)
{
        auto_json *servers = agent_servers(turn, "url", NULL);

        if (turn->server_count)
                agent_file_add(files, "mcp.json", document_print(servers));
}

const struct agent agent_kimi = {
        .name = "kimi",
        .description = "Kimi CLI of Moonshot AI.",
        .program = "bin/kimi",
        .prompt_on = RUNNER_PROMPT_ON_STDIN,
        .format = &stream_format_chat,
        .accounts = accounts,
        .instructions = ".kimi/AGENTS.md",
        .skills = ".kimi/skills",
        .command = command,
        .configure = configure,
        .verified = "streams written by hand from its documentation",
};
