/* The rows of the agents: command lines and configuration files, which no other test than one with the real program
 * reads. */
#include "tests/services/suites.h"

#include "tests/cmocka.h"

#include <string.h>

#include "server/services/agent.h"

static const json_t *no_headers;

/* The words of the command line in one text. */
static char *command_of(const char *name, const struct agent_turn *turn)
{
        const struct agent *agent = agent_find_known(name);
        auto_agent_command command = {0};
        struct text out = TEXT_WITH_MAXIMUM(65536);

        assert_non_null(agent);
        agent->command(turn, &command);
        assert_null(command.words[command.count]);
        for (size_t i = 0; i < command.count; i++)
                text_printf(&out, "%s%s", i ? " " : "", command.words[i]);
        return text_take(&out);
}

static void check_command(const char *name, const struct agent_turn *turn, const char *wanted)
{
        auto_free char *command = command_of(name, turn);
        static const char begin[] = "/bin/sh -c cp -R \"$0/home/.\" \"$HOME/\" && exec \"$@\" /longshore/agent/turn-1 "
                                    "/opt/longshore/agents/";

        assert_memory_equal(command, begin, sizeof begin - 1);
        assert_string_equal(command + sizeof begin - 1, wanted);
}

static void a_first_turn_names_what_was_chosen_and_nothing_else(void **state)
{
        const struct agent_turn plain = {.folder = "/longshore/agent/turn-1"};

        (void)state;
        check_command("claude", &plain,
                      "claude -p --output-format stream-json --verbose --dangerously-skip-permissions");
        check_command("codex", &plain,
                      "bin/codex exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox -");
        check_command(
                "gemini", &plain,
                "bin/node /opt/longshore/agents/bundle/gemini.js -o stream-json --approval-mode yolo --skip-trust");
        check_command("grok", &plain,
                      "bin/grok --no-auto-update --prompt-file /dev/fd/3 --output-format streaming-messages-json "
                      "--always-approve");
        check_command("kimi", &plain, "bin/kimi --print --output-format stream-json");
        check_command("bob", &plain, "bin/bob -o stream-json --approval-mode yolo");
}

static void a_following_turn_resumes_its_conversation_with_model_effort_and_speed(void **state)
{
        const struct agent_turn turn = {.folder = "/longshore/agent/turn-1",
                                        .is_following = true,
                                        .session = "abc-1",
                                        .model = "m; rm -rf /",
                                        .effort = "high",
                                        .speed = "fast"};

        (void)state;
        check_command("claude", &turn,
                      "claude -p --output-format stream-json --verbose --dangerously-skip-permissions "
                      "--model m; rm -rf / --effort high --resume abc-1");
        check_command("codex", &turn,
                      "bin/codex exec resume --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox "
                      "-m m; rm -rf / -c model_reasoning_effort=\"high\" -c service_tier=\"fast\" abc-1 -");
        check_command(
                "gemini", &turn,
                "bin/node /opt/longshore/agents/bundle/gemini.js -o stream-json --approval-mode yolo --skip-trust "
                "-m m; rm -rf / -r abc-1");
        check_command("grok", &turn,
                      "bin/grok --no-auto-update --prompt-file /dev/fd/3 --output-format streaming-messages-json "
                      "--always-approve -m m; rm -rf / -r abc-1");
        check_command("kimi", &turn,
                      "bin/kimi --print --output-format stream-json --model m; rm -rf / --session abc-1");
        check_command("bob", &turn, "bin/bob -o stream-json --approval-mode yolo -r abc-1");
}

static void a_conversation_without_an_id_is_the_last_one(void **state)
{
        static const struct {
                const char *agent, *end;
        } ends[] = {{"claude", " --continue"}, {"codex", " --last -"},  {"gemini", " -r latest"},
                    {"grok", " -c"},           {"kimi", " --continue"}, {"bob", " -r latest"}};
        const struct agent_turn turn = {.folder = "/f", .is_following = true};

        (void)state;
        for (size_t i = 0; i < COUNT_OF(ends); i++) {
                auto_free char *command = command_of(ends[i].agent, &turn);
                assert_string_equal(command + strlen(command) - strlen(ends[i].end), ends[i].end);
        }
}

static const char *content_of(const struct agent_files *files, const char *path)
{
        for (size_t i = 0; i < files->count; i++)
                if (!strcmp(files->items[i].path, path))
                        return files->items[i].content;
        return "";
}

static void configure(const char *name, const char *address, struct agent_files *files)
{
        json_t *headers = json_pack("{s:s}", "Authorization", "Bearer \"x\"\\\n");
        const struct agent_server servers[] = {{"echo", "http://e/mcp", headers}, {"plain", "http://p", no_headers}};
        const struct runner_variable variables[] = {{"OPENAI_BASE_URL", "http://old"}, {"OPENAI_BASE_URL", address}};
        const struct agent_turn turn = {.folder = "/f",
                                        .servers = servers,
                                        .server_count = COUNT_OF(servers),
                                        .variables = variables,
                                        .variable_count = COUNT_OF(variables)};

        agent_find_known(name)->configure(&turn, files);
        json_decref(headers);
}

static void servers_of_the_environment_are_written_as_each_program_wants_them(void **state)
{
        auto_agent_files claude = {0}, codex = {0}, gemini = {0}, without = {0};

        (void)state;
        configure("claude", "", &claude);
        assert_string_equal(content_of(&claude, "mcp.json"),
                            "{\"mcpServers\":{\"echo\":{\"type\":\"http\",\"url\":\"http://e/mcp\",\"headers\":"
                            "{\"Authorization\":\"Bearer \\\"x\\\"\\\\\\n\"}},\"plain\":{\"type\":\"http\",\"url\":"
                            "\"http://p\"}}}");
        configure("codex", "http://o/v1", &codex);
        const char *toml = content_of(&codex, "home/.codex/config.toml");
        assert_non_null(strstr(toml, "model_provider = \"custom\"\n"));
        assert_non_null(strstr(toml, "base_url = \"http://o/v1\"\n"));
        assert_non_null(strstr(
                toml, "[mcp_servers.\"echo\".http_headers]\n\"Authorization\" = \"Bearer \\\"x\\\"\\\\\\u000A\"\n"));
        configure("codex", "", &without);
        assert_null(strstr(content_of(&without, "home/.codex/config.toml"), "model_provider"));
        configure("gemini", "", &gemini);
        const char *settings = content_of(&gemini, "home/.gemini/settings.json");
        assert_non_null(strstr(settings, "\"echo\":{\"httpUrl\":\"http://e/mcp\",\"headers\":"));
        assert_non_null(strstr(settings, "\"trust\":true"));
        assert_non_null(strstr(settings, "\"selectedType\":\"gemini-api-key\""));
}

static void every_agent_says_how_it_is_verified_and_what_lets_it_in(void **state)
{
        (void)state;
        assert_int_equal(agent_count, 7);
        for (size_t i = 0; i < agent_count; i++) {
                assert_non_null(agents[i]->verified);
                assert_non_null(agents[i]->format);
                assert_true(agents[i]->program ? agents[i]->accounts && agents[i]->command : agents[i]->own_count);
        }
        assert_null(agent_find_known("nobody"));
}

int run_agent_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_first_turn_names_what_was_chosen_and_nothing_else),
                cmocka_unit_test(a_following_turn_resumes_its_conversation_with_model_effort_and_speed),
                cmocka_unit_test(a_conversation_without_an_id_is_the_last_one),
                cmocka_unit_test(servers_of_the_environment_are_written_as_each_program_wants_them),
                cmocka_unit_test(every_agent_says_how_it_is_verified_and_what_lets_it_in),
        };

        return cmocka_run_group_tests_name("agents", tests, NULL, NULL);
}
