/* Claude Code, as a native program. */
#include "server/base/document.h"
#include "server/services/agents/agents.h"

/* Nothing but the model's own server is called. */
static const struct runner_variable variables[] = {
        {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"},
        {"DISABLE_AUTOUPDATER", "1"},
        {"DISABLE_TELEMETRY", "1"},
        {"DISABLE_ERROR_REPORTING", "1"},
        {"DISABLE_BUG_COMMAND", "1"},
        {"ENABLE_TOOL_SEARCH", "false"},
        {0},
};
static const char *const accounts[] = {"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_AUTH_TOKEN", NULL};
static const struct agent_package packages[] = {
        {"@anthropic-ai/claude-code-linux-%m@%s", "@anthropic-ai/claude-code-linux-%m", "."},
        {0},
};

static void command(const struct agent_turn *turn, struct agent_command *command)
{
        agent_begin(command, turn, "claude");
        agent_word(command, "-p");
        agent_word(command, "--output-format");
        agent_word(command, "stream-json");
        agent_word(command, "--verbose");
        agent_word(command, "--dangerously-skip-permissions");
        if (turn->server_count) {
                agent_word(command, "--mcp-config");
                agent_word(command, "%s/mcp.json", turn->folder);
        }
        if (agent_has_model(turn)) {
                agent_word(command, "--model");
                agent_word(command, "%s", turn->model);
        }
        if (turn->effort) {
                agent_word(command, "--effort");
                agent_word(command, "%s", turn->effort);
        }
        if (turn->session) {
                agent_word(command, "--resume");
                agent_word(command, "%s", turn->session);
        } else if (turn->is_following) {
                agent_word(command, "--continue");
        }
}

static void configure(const struct agent_turn *turn, struct agent_files *files)
{
        auto_json *servers = agent_servers(turn, "url", "http");

        if (turn->server_count)
                agent_file_add(files, "mcp.json", document_print(servers));
}

const struct agent agent_claude = {
        .name = "claude",
        .description = "Claude Code of Anthropic.",
        .program = "claude",
        .version = "2.1.332",
        .packages = packages,
        .prompt_on = RUNNER_PROMPT_ON_STDIN,
        .format = &stream_format_claude,
        .tells_end = true,
        .variables = variables,
        .accounts = accounts,
        .conversations = ".claude/projects",
        .instructions = ".claude/CLAUDE.md",
        .skills = ".claude/skills",
        .command = command,
        .configure = configure,
        .verified = "the real program against a scripted model",
};
