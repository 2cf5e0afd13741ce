/* The keeper of one run: a process of its own between the runner and the run's leader. It records the output, ends the
 * whole tree when it is told to, when time is up or when the leader has ended, and writes the exit record. */
#ifndef RUNNER_PROGRAM_KEEPER_H
#define RUNNER_PROGRAM_KEEPER_H

#include "docker/runner/message.h"

/* What the runner writes to a keeper's pipe: why and how the run is to end. The end of the pipe itself means that the
 * runner is gone. */
struct keeper_order {
        enum runner_reason reason;
        int64_t grace; /* ms */
};

/* What a keeper works with; borrowed. */
struct keeper_task {
        const struct runner_start *start;
        const char *control, *records, *cgroup;
        int orders; /* the pipe it gets orders from */
};

/* Keeps the run from its start to its exit record. Returns the exit status for this process, 0 when the record is
 * written. To be called in a process forked for it, with all signals blocked that could end it. */
int keeper_run(const struct keeper_task *task);

#endif
