#include "server/services/agent.h"

#include <stdarg.h>
#include <string.h>

#include "server/base/document.h"
#include "server/services/agent_program.h"
#include "server/services/agents/agents.h"
#include "server/services/task.h"

const struct agent *const agents[] = {&agent_claude, &agent_codex, &agent_gemini, &agent_grok,
                                      &agent_kimi,   &agent_bob,   &agent_shell};
const size_t agent_count = COUNT_OF(agents);
_Static_assert(COUNT_OF(agents) + ENVIRONMENT_AGENTS_MAXIMUM == TASK_AGENTS_MAXIMUM, "each agent can be named once");

void agent_word(struct agent_command *command, const char *format, ...)
{
        struct text word = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        va_list arguments;

        va_start(arguments, format);
        text_vprintf(&word, format, arguments);
        va_end(arguments);
        if (command->count == RUNNER_COMMAND_MAXIMUM)
                abort();
        command->words[command->count++] = text_take(&word);
}

void agent_command_clear(struct agent_command *command)
{
        for (size_t i = 0; i < command->count; i++)
                free((char *)command->words[i]);
        *command = (struct agent_command){0};
}

void agent_file_add(struct agent_files *files, const char *path, char *content)
{
        files->items = memory_resize(files->items, (files->count + 1) * sizeof *files->items);
        files->items[files->count++] = (struct agent_file){text_copy(path), content};
}

void agent_files_clear(struct agent_files *files)
{
        for (size_t i = 0; i < files->count; i++) {
                free(files->items[i].path);
                free(files->items[i].content);
        }
        free(files->items);
        *files = (struct agent_files){0};
}

const char *agent_variable(const struct agent_turn *turn, const char *name)
{
        for (size_t i = turn->variable_count; i-- > 0;)
                if (!strcmp(turn->variables[i].name, name))
                        return *turn->variables[i].value ? turn->variables[i].value : NULL;
        return NULL;
}

const struct agent *agent_find_known(const char *name)
{
        for (size_t i = 0; i < agent_count; i++)
                if (!strcmp(agents[i]->name, name))
                        return agents[i];
        return NULL;
}

bool agent_find(const struct environment *environment, const char *name, struct agent *agent)
{
        const struct agent *known = agent_find_known(name);
        const struct environment_agent *own = environment ? environment->file.agents.items : NULL;

        if (known) {
                *agent = *known;
                return true;
        }
        for (size_t i = 0; own && i < environment->file.agents.count; i++) {
                if (strcmp(own[i].name, name))
                        continue;
                *agent = (struct agent){.name = own[i].name,
                                        .description = own[i].description,
                                        .prompt_on = strcmp(own[i].promptOn, "fd3") ? RUNNER_PROMPT_ON_STDIN
                                                                                    : RUNNER_PROMPT_ON_FD3,
                                        .format = stream_format_find(own[i].format),
                                        .own = (const char *const *)own[i].command.items,
                                        .own_count = own[i].command.count,
                                        .configure = agent_own_configure};
                return true;
        }
        return false;
}

bool agent_check(const struct services *services, const struct environment *environment, const char *name,
                 struct error *error)
{
        auto_free char *folder = NULL;
        struct agent agent;

        if (!agent_find(environment, name, &agent)) {
                auto_json *names = agent_names(services, environment);
                auto_text list = TEXT_WITH_MAXIMUM(400);
                const json_t *one;
                size_t i;
                json_array_foreach(names, i, one) text_printf(&list, "%s%s", i ? ", " : "", json_string_value(one));
                return error_set(error, ERROR_AGENT_UNKNOWN, "agent: there is no agent %.100s here; there are: %s",
                                 name, text_string(&list));
        }
        if (!agent.program || (folder = agent_program_folder(services, name)))
                return true;
        return error_set(error, ERROR_AGENT_UNKNOWN,
                         agent.packages ? "agent: the program of %s is not installed on this server; an administrator "
                                          "installs it with `longshored agent install %s`"
                                        : "agent: the program of %s is not installed on this server; an administrator "
                                          "puts it there with `longshored agent install %s --from FOLDER`",
                         name, name);
}

json_t *agent_names(const struct services *services, const struct environment *environment)
{
        json_t *names = json_array();

        for (size_t i = 0; i < agent_count; i++) {
                auto_free char *folder = agents[i]->program ? agent_program_folder(services, agents[i]->name) : NULL;
                if (!agents[i]->program || folder)
                        json_array_append_new(names, json_string(agents[i]->name));
        }
        const struct environment_agent *own = environment ? environment->file.agents.items : NULL;
        for (size_t i = 0; own && i < environment->file.agents.count; i++)
                json_array_append_new(names, json_string(own[i].name));
        return names;
}
