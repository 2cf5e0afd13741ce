/* Worker processes: this program run again with the argument "git-worker" for one piece of git work, so that a hostile
 * or silent remote costs a process that has a deadline and a memory limit, never the server. */
#ifndef GIT_WORKER_H
#define GIT_WORKER_H

#include <jansson.h>
#include <stdbool.h>

#include "git/repository.h"
#include "server/base/error.h"

/* The first argument that makes a program call repository_worker_main(). */
#define REPOSITORY_WORKER_ARGUMENT "git-worker"

/* What a worker is: reads one JSON request from standard input, does it, writes one JSON answer to standard output.
 * main() returns its result at once when argv[1] is REPOSITORY_WORKER_ARGUMENT. */
int repository_worker_main(int argc, char **argv);

/* Sets the program that is run as a worker (NULL: /proc/self/exe) and the git that workers run (NULL: git, from PATH).
 * Borrowed; call before any work starts. */
void repository_worker_configure(const char *program, const char *git);

/* Runs `operation` with `request` (borrowed; it gains members) in a worker and waits for its answer, an object that is
 * the caller's, NULL on error. At the deadline the worker and all it started are killed. ERROR_GIT_TIMEOUT,
 * ERROR_GIT_FAILED and what the operation reports. Safe from any thread. */
json_t *repository_worker_run(const char *operation, json_t *request, const struct repository_limits *limits,
                              struct error *error);

#endif
