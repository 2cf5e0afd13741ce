#include "server/services/environment.h"

#include <string.h>

#include "server/services/environment_file.h"
#include "server/services/model.h"
#include "server/services/review_options.h"
#include "server/services/secret_value.h"
#include "server/services/task.h"

#define NAME_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

static bool is_repository_name(const char *name)
{
        return *name && !name[strspn(name, NAME_LETTERS "._-")] && strcmp(name, ".") && strcmp(name, "..") &&
               strcmp(name, ".git");
}

bool environment_variable_name_is_valid(const char *name)
{
        return *name && !strchr("0123456789", *name) && !name[strspn(name, NAME_LETTERS "_")];
}

static bool is_image(const char *image)
{
        for (const char *at = image; *at; at++)
                if (*at <= ' ' || *at > '~')
                        return false;
        return *image != '-';
}

static bool is_agent_name(const char *name)
{
        return *name && !name[strspn(name, NAME_LETTERS "._-")] && strchr(NAME_LETTERS, *name);
}

/* Names go into the configuration files of programs that allow no more. */
static bool is_server_name(const char *name)
{
        return *name && !name[strspn(name, NAME_LETTERS "_-")];
}

static bool is_server_url(const char *url)
{
        const char *host = !strncmp(url, "https://", 8) ? url + 8 : !strncmp(url, "http://", 7) ? url + 7 : "";

        for (const char *at = url; *at; at++)
                if (*at <= ' ' || *at > '~' || *at == '"' || *at == '\\')
                        return false;
        return *host && !memchr(host, '@', strcspn(host, "/"));
}

/* RFC 9110, section 5.6.2. */
static bool is_header_name(const char *name)
{
        return *name && !name[strspn(name, NAME_LETTERS "!#$%&'*+-.^_`|~")];
}

static const char *const prompt_places[] = {"stdin", "fd3", NULL};
static const char *const formats[] = {"text", "claude-json", "codex-json", "gemini-json", NULL};
static const char *const statuses[] = {"active", "disabled", NULL};
static const char *const networks[] = {"bridge", "none", "host", NULL};

static const struct field repository_rows[] = {
        STRING_FIELD(struct environment_repository, name, .minimum = 1, .maximum = 100, .is_valid = is_repository_name,
                     .shape = "a plain folder name of letters, digits, dots, hyphens and underscores",
                     .help = "Folder below /workspace; by default the last part of the URL without .git."),
        STRING_FIELD(struct environment_repository, url, .is_required = true, .minimum = 1, .maximum = 2048,
                     .help = "Address of the git remote, without credentials."),
        STRING_FIELD(struct environment_repository, branch, .minimum = 1, .maximum = 255,
                     .help = "Branch to start from; by default the remote's own default branch."),
        BOOLEAN_FIELD(struct environment_repository, readOnly,
                      .help = "Whether the agent may only read it: its changes are never taken."),
        BOOLEAN_FIELD(struct environment_repository, locked, .help = "Whether a task may not choose another branch."),
};
static const struct field_table repository_table = FIELD_TABLE(struct environment_repository, repository_rows);

static const struct field limits_rows[] = {
        INTEGER_FIELD(struct environment_limits, memoryMb, .minimum = 64, .maximum = 1048576, .preset = 4096,
                      .help = "Memory of a task's container in MiB, without swap."),
        INTEGER_FIELD(struct environment_limits, cpusPercent, .minimum = 10, .maximum = 6400, .preset = 200,
                      .help = "Processor time in percent; 100 is one processor."),
        INTEGER_FIELD(struct environment_limits, pids, .minimum = 16, .maximum = 65536, .preset = 512,
                      .help = "Processes and threads at once."),
        INTEGER_FIELD(struct environment_limits, fileSizeMb, .maximum = 1048576,
                      .help = "Largest file that an agent may write, in MiB; 0 for no limit."),
        INTEGER_FIELD(struct environment_limits, turnMinutes, .minimum = 1, .maximum = 10080, .preset = 120,
                      .help = "Longest duration of a turn in minutes."),
        INTEGER_FIELD(struct environment_limits, concurrentTasks, .maximum = 1000,
                      .help = "Tasks that run at once; 0 for TASK_CONCURRENCY_PER_ENVIRONMENT."),
        INTEGER_FIELD(struct environment_limits, spendUsd, .maximum = 1000000,
                      .help = "US dollars in a period (SPEND_PERIOD) beyond which nothing starts; 0 for "
                              "SPEND_LIMIT_ENVIRONMENT_USD."),
};
static const struct field_table limits_table = FIELD_TABLE(struct environment_limits, limits_rows);

static const struct field secret_rows[] = {
        STRING_FIELD(struct environment_secret, name, .is_required = true, .minimum = 1, .maximum = SECRET_NAME_MAXIMUM,
                     .is_valid = secret_name_is_valid, .shape = SECRET_NAME_SHAPE,
                     .help = "Name of a secret of this environment, or of the task's owner."),
        STRING_FIELD(
                struct environment_secret, as, .choices = secret_ways,
                .help = "Whether a task gets it as an environment variable or as a file; by default as it was set."),
        STRING_FIELD(struct environment_secret, path, .minimum = 1, .maximum = 200, .is_valid = secret_path_is_valid,
                     .shape = SECRET_PATH_SHAPE, .help = "Where a file stands below /longshore/secrets."),
};
static const struct field_table secret_table = FIELD_TABLE(struct environment_secret, secret_rows);

static const struct field agent_rows[] = {
        STRING_FIELD(struct environment_agent, name, .is_required = true, .minimum = 1, .maximum = 64,
                     .is_valid = is_agent_name, .shape = "letters, digits, dots, hyphens and underscores",
                     .help = "By which tasks choose it; not the name of a known agent."),
        STRING_FIELD(struct environment_agent, description, .maximum = 500, .help = "What it is."),
        STRINGS_FIELD(
                struct environment_agent, command, .is_required = true, .minimum = 1, .maximum = 100,
                .help = "The program, which the image has, and its arguments. It gets LONGSHORE_AGENT_CONFIG (a folder "
                        "with AGENTS.md, skills and mcp.json) and, in a following turn, LONGSHORE_SESSION."),
        STRING_FIELD(struct environment_agent, promptOn, .choices = prompt_places, .text_preset = "stdin",
                     .help = "Where it reads the instructions: standard input, or descriptor 3."),
        STRING_FIELD(struct environment_agent, format, .choices = formats, .text_preset = "text",
                     .help = "What its standard output is: plain text, or the JSON lines of a known program."),
};
static const struct field_table agent_table = FIELD_TABLE(struct environment_agent, agent_rows);

static const struct field server_rows[] = {
        STRING_FIELD(struct environment_server, name, .is_required = true, .minimum = 1, .maximum = 64,
                     .is_valid = is_server_name, .shape = "letters, digits, hyphens and underscores",
                     .help = "By which the agent knows it."),
        STRING_FIELD(struct environment_server, url, .is_required = true, .minimum = 1, .maximum = 2048,
                     .is_valid = is_server_url, .shape = "an http or https address without credentials",
                     .help = "Address of the server (Streamable HTTP)."),
        MAP_FIELD(struct environment_server, headers, .maximum = 50, .is_valid = is_header_name,
                  .shape = "a header's name",
                  .help = "Headers of every request; ${secret:NAME} stands for a secret's value."),
};
static const struct field_table server_table = FIELD_TABLE(struct environment_server, server_rows);

static const struct field reviewer_rows[] = {
        STRING_FIELD(struct environment_reviewer, agent, .is_required = true, .minimum = 1, .maximum = 64,
                     .help = "Who reviews: an agent that the environment offers."),
        STRING_FIELD(struct environment_reviewer, model, .minimum = 1, .maximum = 200,
                     .help = "Its model; by default the agent's own."),
        STRING_FIELD(struct environment_reviewer, reasoningEffort, .minimum = 1, .maximum = 40,
                     .help = "Its reasoning effort; by default the model's own."),
        STRING_FIELD(struct environment_reviewer, speed, .choices = model_speeds, .help = "Its speed, of Codex only."),
};
static const struct field_table reviewer_table = FIELD_TABLE(struct environment_reviewer, reviewer_rows);

static const struct field auto_judge_rows[] = {
        OBJECTS_FIELD(struct environment_auto_judge, reviewers, reviewer_table, .is_required = true, .minimum = 1,
                      .maximum = TASK_AGENTS_MAXIMUM, .help = "Who judges, each agent once."),
        STRING_FIELD(struct environment_auto_judge, instructions, .maximum = 4000,
                     .help = "What they are to look at besides."),
};
static const struct field_table auto_judge_table = FIELD_TABLE(struct environment_auto_judge, auto_judge_rows);

static const struct field verification_rows[] = {
        OBJECTS_FIELD(struct environment_verification, reviewers, reviewer_table, .is_required = true, .minimum = 1,
                      .maximum = TASK_AGENTS_MAXIMUM, .help = "Who reviews, each agent once."),
        STRING_FIELD(struct environment_verification, instructions, .maximum = 4000,
                     .help = "What they are to look at besides."),
        OBJECT_FIELD(struct environment_verification, reviewLoop, struct review_loop_options, review_loop_options_table,
                     .help = "Sends what they say to the task and has them look again, round by round; by default a "
                             "single review."),
};
static const struct field_table verification_table = FIELD_TABLE(struct environment_verification, verification_rows);

static const struct field rows[] = {
        STRING_FIELD(struct environment_file, description, .maximum = 2000, .help = "What the environment is for."),
        STRING_FIELD(struct environment_file, status, .choices = statuses, .text_preset = "active",
                     .help = "A disabled environment starts no tasks."),
        STRING_FIELD(struct environment_file, image, .minimum = 1, .maximum = 255, .is_valid = is_image,
                     .shape = "the name of an image", .text_preset = "longshore/task:1",
                     .help = "Docker image of a task's container."),
        STRING_FIELD(struct environment_file, defaultAgent, .minimum = 1, .maximum = 64, .text_preset = "shell",
                     .help = "Agent of a task that names none."),
        OBJECTS_FIELD(struct environment_file, repositories, repository_table, .maximum = 100,
                      .help = "Git repositories that a task's workspace holds."),
        OBJECT_FIELD(struct environment_file, limits, struct environment_limits, limits_table,
                     .help = "What a task's container may use."),
        STRING_FIELD(struct environment_file, network, .choices = networks, .text_preset = "bridge",
                     .help = "Network of a task's container."),
        MAP_FIELD(struct environment_file, environment, .maximum = 1000, .is_valid = environment_variable_name_is_valid,
                  .shape = "letters, digits and underscores, and not begin with a digit",
                  .help = "Environment variables of the agent's process."),
        OBJECTS_FIELD(struct environment_file, secrets, secret_table, .maximum = 200,
                      .help = "Secrets that a task gets when a value is set for them; values never stand here."),
        STRING_FIELD(struct environment_file, codexSpeed, .choices = model_speeds, .text_preset = "ultrafast",
                     .help = "The fastest speed that a Codex task may choose here, within the server's CODEX_SPEED."),
        OBJECTS_FIELD(struct environment_file, agents, agent_table, .maximum = ENVIRONMENT_AGENTS_MAXIMUM,
                      .help = "Agents of the environment's own, besides the known ones."),
        OBJECTS_FIELD(struct environment_file, mcpServers, server_table, .maximum = 50,
                      .help = "MCP servers that its agents may use."),
        OBJECT_FIELD(struct environment_file, autoJudge, struct environment_auto_judge, auto_judge_table,
                     .help = "Has every group of variants judged, once, when all of them are finished; as who made the "
                             "group. Orchestrators are left out."),
        OBJECT_FIELD(struct environment_file, verification, struct environment_verification, verification_table,
                     .help = "Has every task that stands alone reviewed, once, when it is finished; as who made it. "
                             "Orchestrators are left out."),
        OBJECTS_FIELD(struct environment_file, tests, environment_test_table, .maximum = 100,
                      .help = "Named tests that people run in a task's workspace."),
        OBJECT_FIELD(struct environment_file, appServer, struct environment_app_server, environment_app_server_table,
                     .help = "The application server that people start in a task's container and reach through the "
                             "proxy (APP_PROXY_PORT)."),
        BOOLEAN_FIELD(struct environment_file, shareTasks, .preset = true,
                      .help = "Whether new tasks are shared with everybody who may view tasks here."),
};
const struct field_table environment_table = FIELD_TABLE(struct environment_file, rows);

bool environment_name_is_allowed(const char *name)
{
        return *name && strchr(NAME_LETTERS, *name) && strlen(name) <= ENVIRONMENT_NAME_MAXIMUM &&
               !name[strspn(name, NAME_LETTERS "._-")];
}
