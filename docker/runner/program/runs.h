/* The runs that were claimed and have no exit record yet, and the keepers that they were given. When a keeper ends
 * without a record, or there never was one, the runner owes the record and writes it itself. */
#ifndef RUNNER_PROGRAM_RUNS_H
#define RUNNER_PROGRAM_RUNS_H

#include <sys/types.h>

#include "docker/runner/message.h"
#include "docker/runner/program/runner.h"

#define RUNS_MAXIMUM 64

struct run {
        bool is_used;
        pid_t keeper;  /* 0: it is gone, and we owe the record */
        int orders;    /* the end of its pipe that we write to, -1: none */
        int64_t grace; /* of the start message */
        int64_t oom_before;
        int64_t owed_since;      /* monotonic ms */
        struct runner_exit exit; /* the record that we write if the keeper does not */
};

struct runs {
        const struct runner_folders *folders;
        struct run items[RUNS_MAXIMUM];
};

/* NULL when it is not there. */
struct run *runs_find(struct runs *runs, const char *id);
/* A new one without keeper; NULL when the table is full. */
struct run *runs_add(struct runs *runs, const char *id);
bool runs_are_any(const struct runs *runs);
/* From now on we owe the record of the run, unless it is there. */
void runs_owe(struct run *run, enum runner_reason reason, const char *message);
/* Writes the records that we owe, once what those runs left behind is killed. Returns whether some are left for later.
 */
bool runs_settle(struct runs *runs);
/* Takes note of every child that has ended. */
void runs_reap(struct runs *runs);
/* Tells the keeper of the run to end it; without effect when it has none. */
void runs_order(const struct run *run, enum runner_reason reason, int64_t grace);
/* Closes our ends of all keepers' pipes, in a process that is not the runner. */
void runs_close(struct runs *runs);

#endif
