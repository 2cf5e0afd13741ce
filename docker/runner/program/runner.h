/* The runner: watches the control folder, gives each requested run a keeper, and answers for those keepers. */
#ifndef RUNNER_PROGRAM_RUNNER_H
#define RUNNER_PROGRAM_RUNNER_H

#include <stdbool.h>

/* Folders that the runner works with; borrowed. */
struct runner_folders {
        const char *control, *records, *cgroup;
};

/* Serves until SIGTERM or SIGINT, then ends all runs. Returns the exit status of the program. */
int runner_serve(const struct runner_folders *folders);

#endif
