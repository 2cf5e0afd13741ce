/* Internal to the agents: their rows, and what several of them use. */
#ifndef SERVICES_AGENTS_AGENTS_H
#define SERVICES_AGENTS_AGENTS_H

#include "server/services/agent.h"

extern const struct agent agent_claude, agent_codex, agent_gemini, agent_grok, agent_kimi, agent_bob, agent_shell;

/* Begins a command line that copies what is beneath home/ of the turn's configuration into the agent's home, as the
 * agent's own user, and then is the program. */
void agent_begin(struct agent_command *command, const struct agent_turn *turn, const char *program);
/* Whether a model was chosen: `auto` leaves it to the program. */
bool agent_has_model(const struct agent_turn *turn);
/* {"mcpServers": {NAME: {...}}} with the members that the program wants; `url` is the name of the address's member and
 * `type` the value of "type", NULL for none. */
json_t *agent_servers(const struct agent_turn *turn, const char *url, const char *type);
/* What an agent of an environment's own finds: mcp.json. */
void agent_own_configure(const struct agent_turn *turn, struct agent_files *files);
/* The settings of Gemini CLI and what came of it, as a file. */
void agent_gemini_settings(const struct agent_turn *turn, struct agent_files *files, const char *path);

#endif
