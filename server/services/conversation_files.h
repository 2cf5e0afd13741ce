/* An agent's own record of its conversations: files below its home that only grow (one JSON text a line). Their sizes
 * at the end of a turn are what it takes to go on from that turn later. */
#ifndef SERVICES_CONVERSATION_FILES_H
#define SERVICES_CONVERSATION_FILES_H

#include "server/services/services.h"

struct agent;

/* The files and their sizes now, as a JSON document on the heap; NULL when the agent keeps no such record, or more than
 * can be told. */
char *conversation_files_measure(const struct services *services, const char *task_id, const struct agent *agent);
/* Cuts the files back to the sizes in the document and removes those that are not in it. The agent must not run.
 * ERROR_INTERNAL. */
MUST_CHECK bool conversation_files_restore(const struct services *services, const char *task_id,
                                           const struct agent *agent, const char *measured, struct error *error);

#endif
