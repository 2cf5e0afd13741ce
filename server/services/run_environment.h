/* Internal to runs: what a test or an application server finds in its environment, and where it starts. */
#ifndef SERVICES_RUN_ENVIRONMENT_H
#define SERVICES_RUN_ENVIRONMENT_H

#include "server/services/task_run.h"
#include "server/services/vault.h"

/* A growing list in which a name stands once. Names and values are borrowed, but for what `secrets` owns. */
struct run_environment {
        struct runner_variable *items;
        size_t count;
        struct turn_secrets secrets;
};
void run_environment_clear(struct run_environment *environment);
#define auto_run_environment CLEANUP(run_environment_clear) struct run_environment

/* Ours first, then the environment's, the secrets, and what the order gives besides; puts the run's file secrets where
 * it sees them. */
MUST_CHECK bool run_environment_fill(struct call *call, const struct task_run_order *order, const char *run,
                                     struct run_environment *out, struct error *error);

/* The folder in the container that everything of the environment starts in: the one repository's, else the one that
 * holds them all. The caller frees it. */
char *task_workdir(const struct environment *environment);

#endif
