#include <stdio.h>
#include <string.h>

#include "docker/runner/control.h"
#include "server/base/document.h"
#include "server/services/agent_configuration.h"
#include "server/services/rewind.h"
#include "server/services/run_environment.h"
#include "server/services/runtime_parts.h"
#include "server/services/task_paths.h"
#include "server/services/vault.h"

/* A growing list in which a name stands once. */
struct variables {
        struct runner_variable *items;
        size_t count;
};

/* Puts a variable behind the others, or into the place of the one of its name. */
static void set(struct variables *variables, const char *name, const char *value)
{
        size_t at = 0;

        while (at < variables->count && strcmp(variables->items[at].name, name) != 0)
                at++;
        if (at == variables->count)
                variables->items = memory_resize(variables->items, ++variables->count * sizeof *variables->items);
        variables->items[at] = (struct runner_variable){name, value};
}

/* The agent's variables: ours first, then its own, the environment's win over them, and what is secret over all. */
static void fill_variables(const struct launch_request *request, const struct agent *agent,
                           const struct agent_turn *turn, struct variables *variables)
{
        const struct runner_variable fixed[] = {
                {"HOME", AGENT_HOME},
                {"USER", "agent"},
                {"LANG", "C.UTF-8"},
                {"TERM", "dumb"},
                {"GIT_AUTHOR_NAME", "Longshore"},
                {"GIT_AUTHOR_EMAIL", "agent@longshore.invalid"},
                {"GIT_COMMITTER_NAME", "Longshore"},
                {"GIT_COMMITTER_EMAIL", "agent@longshore.invalid"},
                {"LONGSHORE_TASK_ID", request->task->id},
                {"LONGSHORE_OUTPUT", CONTAINER_OUTPUT},
                {"LONGSHORE_AGENT_CONFIG", turn->folder},
        };
        const char *name;
        json_t *value;

        for (size_t i = 0; i < COUNT_OF(fixed); i++)
                set(variables, fixed[i].name, fixed[i].value);
        if (turn->session)
                set(variables, "LONGSHORE_SESSION", turn->session);
        for (const struct runner_variable *own = agent->variables; own && own->name; own++)
                set(variables, own->name, own->value);
        json_object_foreach(request->environment->file.environment, name, value)
                set(variables, name, json_string_value(value));
        for (size_t i = 0; i < request->secrets->count; i++)
                set(variables, request->secrets->variables[i].name, request->secrets->variables[i].value);
}

/* The environment's MCP servers with their secrets filled in; `headers` owns what the servers borrow. */
static bool fill_servers(const struct launch_request *request, struct agent_server *servers, json_t *headers,
                         struct error *error)
{
        const struct environment_server *list = request->environment->file.mcpServers.items;

        for (size_t i = 0; i < request->environment->file.mcpServers.count; i++) {
                json_t *filled = json_object(), *value;
                const char *name;
                json_array_append_new(headers, filled);
                json_object_foreach(list[i].headers, name, value)
                {
                        auto_free char *expanded = NULL;
                        if (!vault_expand(request->runtime->services, request->db, request->task, request->environment,
                                          json_string_value(value), &expanded, error))
                                return error_prefix(error, "mcpServers: %s", list[i].name);
                        json_object_set_new(filled, name, document_string(expanded));
                }
                servers[i] = (struct agent_server){list[i].name, list[i].url, filled};
        }
        return true;
}

static void fill_command(const struct agent *agent, const struct agent_turn *turn, struct agent_command *command)
{
        for (size_t i = 0; i < agent->own_count; i++)
                agent_word(command, "%s", agent->own[i]);
        if (agent->command)
                agent->command(turn, command);
}

static bool compose(const struct launch_request *request, const struct agent *agent, const struct agent_turn *turn,
                    const char *transcript, struct launch_message *message, struct error *error)
{
        const struct environment_limits *limits = request->environment->file.limits;
        int64_t ordinal = request->turn->ordinal, uid = settings_current()->agent_uid;
        auto_free char *control = task_path_control(request->runtime->services->data_folder, request->task->id),
                       *run = turn_run_id(ordinal), *output = turn_path_output(ordinal),
                       *errors = turn_path_errors(ordinal), *workdir = task_workdir(request->environment);
        auto_free char *prompt = text_format("%s%s", transcript ? transcript : "",
                                             request->turn->given ? request->turn->given : request->turn->shown);
        auto_agent_command command = {0};

        fill_command(agent, turn, &command);
        struct runner_start start = {.kind = "turn",
                                     .command = command.words,
                                     .environment = turn->variables,
                                     .environment_count = turn->variable_count,
                                     .prompt_on = agent->prompt_on,
                                     .workdir = workdir,
                                     .uid = uid,
                                     .gid = uid,
                                     .output = output,
                                     .errors = errors,
                                     .log = RECORD_LOG,
                                     .time_limit = limits->turnMinutes * request->runtime->times.minute,
                                     .grace = settings_current()->stop_grace_seconds * 1000,
                                     .file_size_limit = limits->fileSizeMb * 1024 * 1024};
        snprintf(start.run, sizeof start.run, "%s", run);
        message->limit_ms = start.time_limit;
        free(take(message->text));
        /* Earlier turns have ended in the store. */
        control_forget(control, TURN_RUN_PREFIX, run);
        return control_compose(control, &start, prompt, strlen(prompt), &message->text, error);
}

bool launch_prepare(const struct launch_request *request, struct launch_message *message, struct error *error)
{
        const struct store_task *task = request->task;
        size_t server_count = request->environment->file.mcpServers.count;
        auto_free struct agent_server *servers = memory_new((server_count + 1) * sizeof *servers);
        auto_free char *folder = agent_configuration_path(request->turn->ordinal), *session = NULL, *transcript = NULL;
        auto_free struct runner_variable *kept = NULL;
        auto_json *headers = json_array();
        struct variables variables = {0};
        struct agent agent;
        bool is_forgotten;

        if (!agent_find(request->environment, request->turn->agent, &agent))
                return error_set(error, ERROR_AGENT_UNKNOWN, "this server has no agent %s", request->turn->agent);
        if (!store_turn_session(request->db, task->rid, request->turn->ordinal, agent.name, &session, error) ||
            !rewind_prepare(request->runtime->services, request->db, task, request->turn, &agent, &is_forgotten,
                            &transcript, error) ||
            !fill_servers(request, servers, headers, error))
                return false;
        struct agent_turn turn = {.is_following = request->turn->ordinal > 1 && !is_forgotten,
                                  .session = is_forgotten ? NULL : session,
                                  .model = task->model,
                                  .effort = task->reasoning_effort,
                                  .speed = task->speed,
                                  .folder = folder,
                                  .servers = servers,
                                  .server_count = server_count};
        fill_variables(request, &agent, &turn, &variables);
        turn.variables = kept = variables.items;
        turn.variable_count = variables.count;
        return agent_configuration_write(request->runtime->services, task->id, request->turn->ordinal,
                                         request->environment, &agent, &turn, error) &&
               compose(request, &agent, &turn, transcript, message, error);
}

bool launch_send(const struct services *services, const struct store_task *task, const struct store_turn *turn,
                 const struct launch_message *message, struct error *error)
{
        auto_free char *control = task_path_control(services->data_folder, task->id), *run = turn_run_id(turn->ordinal);
        bool was_there;

        return control_send(control, run, message->text, &was_there, error);
}
