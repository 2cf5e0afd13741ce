/* Internal to the agents' configuration: what the environment's folder holds beside environment.json. */
#ifndef SERVICES_AGENT_EXTRAS_H
#define SERVICES_AGENT_EXTRAS_H

#include "server/services/agent.h"

/* Writes the environment's AGENTS.md and memory files, one behind the other, as the agent's instructions, and its
 * skills (folders with a SKILL.md) to where the agent looks for them beneath home/ of `place`; an agent of the
 * environment's own finds them in `place` as AGENTS.md and skills. Links are not followed. ERROR_TOO_LARGE. */
MUST_CHECK bool agent_extras_write(const char *environment_folder, const char *place, const struct agent *agent,
                                   struct error *error);

#endif
