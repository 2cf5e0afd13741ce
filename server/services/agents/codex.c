/* Codex, as a native program. Its configuration file is written anew for each turn. */
#include <stdio.h>
#include <string.h>

#include "server/services/agents/agents.h"

#define CONFIGURATION_MAXIMUM (256 * 1024)

static const char *const accounts[] = {"OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN", NULL};
static const struct agent_package packages[] = {
        {"codex-linux-%m@npm:@openai/codex@%s-linux-%m", "codex-linux-%m/vendor/*", "."},
        {0},
};

static void command(const struct agent_turn *turn, struct agent_command *command)
{
        agent_begin(command, turn, "bin/codex");
        agent_word(command, "exec");
        if (turn->is_following)
                agent_word(command, "resume");
        agent_word(command, "--json");
        agent_word(command, "--skip-git-repo-check");
        agent_word(command, "--dangerously-bypass-approvals-and-sandbox");
        if (agent_has_model(turn)) {
                agent_word(command, "-m");
                agent_word(command, "%s", turn->model);
        }
        if (turn->effort) {
                agent_word(command, "-c");
                agent_word(command, "model_reasoning_effort=\"%s\"", turn->effort);
        }
        if (turn->speed && strcmp(turn->speed, "standard")) {
                agent_word(command, "-c");
                agent_word(command, "service_tier=\"%s\"", turn->speed);
        }
        if (turn->is_following)
                agent_word(command, "%s", turn->session ? turn->session : "--last");
        agent_word(command, "-");
}

/* A basic string of TOML. */
static void append_string(struct text *out, const char *value)
{
        text_append(out, "\"", 1);
        for (; *value; value++) {
                if (*value == '"' || *value == '\\')
                        text_append(out, "\\", 1);
                if ((unsigned char)*value < 0x20 || *value == 0x7f)
                        text_printf(out, "\\u%04X", (unsigned)*value);
                else
                        text_append(out, value, 1);
        }
        text_append(out, "\"", 1);
}

static void append_member(struct text *out, const char *name, const char *value)
{
        text_printf(out, "%s = ", name);
        append_string(out, value);
        text_append(out, "\n", 1);
}

static void append_server(struct text *out, const struct agent_server *server)
{
        const char *name;
        json_t *value;

        text_append_string(out, "\n[mcp_servers.");
        append_string(out, server->name);
        text_append_string(out, "]\n");
        append_member(out, "url", server->url);
        append_member(out, "default_tools_approval_mode", "approve");
        if (!json_object_size(server->headers))
                return;
        text_append_string(out, "\n[mcp_servers.");
        append_string(out, server->name);
        text_append_string(out, ".http_headers]\n");
        json_object_foreach((json_t *)server->headers, name, value)
        {
                append_string(out, name);
                text_append_string(out, " = ");
                append_string(out, json_string_value(value));
                text_append(out, "\n", 1);
        }
}

/* An address of the environment's own is a provider of its own: the built-in one speaks what only its server does. */
static void append_provider(struct text *out, const char *address)
{
        append_member(out, "model_provider", "custom");
        text_append_string(out, "\n[model_providers.custom]\n");
        append_member(out, "name", "Custom endpoint");
        append_member(out, "base_url", address);
        append_member(out, "env_key", "OPENAI_API_KEY");
        append_member(out, "wire_api", "responses");
}

static void configure(const struct agent_turn *turn, struct agent_files *files)
{
        struct text out = TEXT_WITH_MAXIMUM(CONFIGURATION_MAXIMUM);
        const char *address = agent_variable(turn, "OPENAI_BASE_URL");

        text_append_string(&out, "check_for_update_on_startup = false\n");
        if (address)
                append_provider(&out, address);
        text_append_string(&out, "\n[analytics]\nenabled = false\n\n[features]\nplugins = false\napps = false\n");
        for (size_t i = 0; i < turn->server_count; i++)
                append_server(&out, &turn->servers[i]);
        agent_file_add(files, "home/.codex/config.toml", text_take(&out));
}

const struct agent agent_codex = {
        .name = "codex",
        .description = "Codex of OpenAI.",
        .program = "bin/codex",
        .version = "0.171.0",
        .packages = packages,
        .prompt_on = RUNNER_PROMPT_ON_STDIN,
        .format = &stream_format_codex,
        .tells_end = true,
        .accounts = accounts,
        .conversations = ".codex/sessions",
        .instructions = ".codex/AGENTS.md",
        .skills = ".codex/skills",
        .command = command,
        .configure = configure,
        .verified = "the real program against a scripted model",
};
