/* Gemini CLI, with a Node of its own. */
#include "server/base/document.h"
#include "server/services/agents/agents.h"

static const struct runner_variable variables[] = {
        {"GEMINI_CLI_TRUST_WORKSPACE", "true"},
        {"GEMINI_TELEMETRY_ENABLED", "false"},
        {0},
};
static const char *const accounts[] = {"GEMINI_API_KEY", "GOOGLE_API_KEY", NULL};
static const struct agent_package packages[] = {
        {"@google/gemini-cli@%s", "@google/gemini-cli/bundle", "bundle"},
        {"node-linux-%m@22.23.5", "node-linux-%m/bin", "bin"},
        {0},
};

static void command(const struct agent_turn *turn, struct agent_command *command)
{
        agent_begin(command, turn, "bin/node");
        agent_word(command, AGENT_PROGRAM_FOLDER "/bundle/gemini.js");
        agent_word(command, "-o");
        agent_word(command, "stream-json");
        agent_word(command, "--approval-mode");
        agent_word(command, "yolo");
        agent_word(command, "--skip-trust");
        if (agent_has_model(turn)) {
                agent_word(command, "-m");
                agent_word(command, "%s", turn->model);
        }
        if (turn->is_following) {
                agent_word(command, "-r");
                agent_word(command, "%s", turn->session ? turn->session : "latest");
        }
}

void agent_gemini_settings(const struct agent_turn *turn, struct agent_files *files, const char *path)
{
        auto_json *settings = agent_servers(turn, "httpUrl", NULL);
        json_t *servers = json_object_get(settings, "mcpServers"), *server;
        const char *name;

        json_object_foreach(servers, name, server) json_object_set_new(server, "trust", json_true());
        json_object_update_new(settings,
                               json_pack("{s:{s:{s:s}}, s:{s:b, s:b}, s:{s:b}}", "security", "auth", "selectedType",
                                         "gemini-api-key", "general", "enableAutoUpdate", 0,
                                         "enableAutoUpdateNotification", 0, "privacy", "usageStatisticsEnabled", 0));
        agent_file_add(files, path, document_print(settings));
}

static void configure(const struct agent_turn *turn, struct agent_files *files)
{
        agent_gemini_settings(turn, files, "home/.gemini/settings.json");
}

const struct agent agent_gemini = {
        .name = "gemini",
        .description = "Gemini CLI of Google.",
        .program = "bundle/gemini.js",
        .version = "0.61.0",
        .packages = packages,
        .prompt_on = RUNNER_PROMPT_ON_STDIN,
        .format = &stream_format_gemini,
        .tells_end = true,
        .variables = variables,
        .accounts = accounts,
        .instructions = ".gemini/GEMINI.md",
        .skills = ".gemini/skills",
        .command = command,
        .configure = configure,
        .verified = "the real program against a scripted model",
};
