/* The configuration of one turn: what the environment says for the agent, written where its container sees it and the
 * agent cannot change it, readable by the agent's uid alone. */
#ifndef SERVICES_AGENT_CONFIGURATION_H
#define SERVICES_AGENT_CONFIGURATION_H

#include "server/services/agent.h"

/* TASK/agent, and where the container sees it: read-only. */
#define CONTAINER_AGENT "/longshore/agent"
char *agent_configuration_folder(const struct services *services, const char *task_id);
/* The folder of a turn within it, as the container sees it. Heap. */
char *agent_configuration_path(int64_t ordinal);

/* Makes the folder (needed when the container is made). */
MUST_CHECK bool agent_configuration_prepare(const struct services *services, const char *task_id, struct error *error);
/* Writes the turn's files: the agent's own configuration, the environment's AGENTS.md and memory as its instructions,
 * and the skills. What earlier turns left is removed. ERROR_INVALID_INPUT, ERROR_STORE_FULL, ERROR_INTERNAL. */
MUST_CHECK bool agent_configuration_write(const struct services *services, const char *task_id, int64_t ordinal,
                                          const struct environment *environment, const struct agent *agent,
                                          const struct agent_turn *turn, struct error *error);
/* Removes it after the turn: it may hold secrets. */
void agent_configuration_remove(const struct services *services, const char *task_id, int64_t ordinal);

#endif
