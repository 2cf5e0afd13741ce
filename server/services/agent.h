/* The agents: one row each, with what it takes to run a turn of it and to read what it prints. The rows of the known
 * agents are in server/services/agents/; an environment may define its own. */
#ifndef SERVICES_AGENT_H
#define SERVICES_AGENT_H

#include "docker/runner/message.h"
#include "server/services/environment.h"
#include "server/services/stream.h"

/* Where a task's container sees the folder of its agent's program. */
#define AGENT_PROGRAM_FOLDER "/opt/longshore/agents"
#define AGENT_HOME "/home/agent"

/* Words of a command line, NULL-ended. Owns them. */
struct agent_command {
        const char *words[RUNNER_COMMAND_MAXIMUM + 1];
        size_t count;
};
PRINTF_LIKE(2, 3) void agent_word(struct agent_command *command, const char *format, ...);
void agent_command_clear(struct agent_command *command);
#define auto_agent_command CLEANUP(agent_command_clear) struct agent_command

/* An MCP server that the agent may use; `headers` is an object of strings, secrets filled in. Borrowed. */
struct agent_server {
        const char *name, *url;
        const json_t *headers;
};

/* What a turn is made of. All borrowed; what is not chosen is NULL. */
struct agent_turn {
        bool is_following;
        const char *session; /* the conversation to go on with; may be NULL in a following turn */
        const char *model, *effort, *speed;
        const char *folder;                      /* of the turn's configuration, as the container sees it */
        const struct runner_variable *variables; /* what the process gets */
        size_t variable_count;
        const struct agent_server *servers;
        size_t server_count;
};
/* The value of a variable, NULL when it is not set or empty. */
const char *agent_variable(const struct agent_turn *turn, const char *name);

/* Files of a turn's configuration: paths beneath its folder. What is beneath home/ is put into the agent's home. Owns.
 */
struct agent_file {
        char *path, *content;
};
struct agent_files {
        struct agent_file *items;
        size_t count;
};
/* Takes `content` over. */
void agent_file_add(struct agent_files *files, const char *path, char *content);
void agent_files_clear(struct agent_files *files);
#define auto_agent_files CLEANUP(agent_files_clear) struct agent_files

/* How a program is fetched: npm packages at the version, with their files moved to where the row's program expects
 * them. */
struct agent_package {
        const char *name;   /* what npm installs; %s is the version, %m the machine: x64, arm64 */
        const char *folder; /* within node_modules */
        const char *target; /* where it goes in the program's folder */
};

struct agent {
        const char *name, *description;
        /* Beneath the program's folder; NULL: the agent needs none, or has it in its image. */
        const char *program;
        const char *version;                  /* that is installed by default */
        const struct agent_package *packages; /* ended by a row without a name; NULL: none are known */
        enum runner_prompt_on prompt_on;
        bool is_script; /* the prompt is a program: what we add to it must be comments (#) */
        const struct stream_format *format;
        /* What it prints ends with saying that the turn is over: without that an exit code 0 does not mean so. */
        bool tells_end;
        const struct runner_variable *variables; /* ended by a row without a name; may be NULL */
        /* Names of the variables of which a provider account gives one, NULL-ended; NULL for an agent that needs none.
         */
        const char *const *accounts;
        /* Folder beneath the home with its record of conversations, in files that only grow (conversation_files.h);
         * NULL: it keeps none of this kind. */
        const char *conversations;
        const char *instructions, *skills; /* where they go, beneath home/; NULL: it reads none */
        /* Writes the command line. NULL: `own` is it. */
        void (*command)(const struct agent_turn *turn, struct agent_command *command);
        const char *const *own;
        size_t own_count;
        /* Adds its own configuration files; may be NULL. */
        void (*configure)(const struct agent_turn *turn, struct agent_files *files);
        const char *verified; /* how the row is tested, for the documentation */
};

/* The known agents, by name in the order of the documentation. */
extern const struct agent *const agents[];
extern const size_t agent_count;

/* Fills the row of a known agent or of one of the environment's own (NULL: known ones only); borrows from the
 * environment. False when there is none. */
MUST_CHECK bool agent_find(const struct environment *environment, const char *name, struct agent *agent);
/* The row of a known agent, NULL when there is none. */
const struct agent *agent_find_known(const char *name);
/* Whether the agent can be used: ERROR_AGENT_UNKNOWN with what to do when there is none, or its program is missing. */
MUST_CHECK bool agent_check(const struct services *services, const struct environment *environment, const char *name,
                            struct error *error);
/* The names of those that can be used: an array of strings. */
json_t *agent_names(const struct services *services, const struct environment *environment);

#endif
