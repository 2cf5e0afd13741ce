/* The first process of a run: without any privilege, in a session of its own. */
#ifndef RUNNER_PROGRAM_LEADER_H
#define RUNNER_PROGRAM_LEADER_H

#include <sys/types.h>

#include "docker/runner/message.h"

/* Starts the leader with the given descriptors as its standard input, output and errors; `prompt` becomes descriptor 3
 * when it is not -1. `signals` is the mask it gets. Returns its process id once its program runs; -1 with a message
 * that names what could not be done. */
pid_t leader_start(const struct runner_start *start, int input, int output, int errors, int prompt,
                   struct error *error);

#endif
