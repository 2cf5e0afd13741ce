/* A runner without a container: folders of its own under /tmp, and the real program working on them. */
#ifndef TESTS_RUNNER_BOX_H
#define TESTS_RUNNER_BOX_H

#include <stdbool.h>
#include <sys/types.h>
#include <unistd.h>

#include "docker/runner/control.h"
#include "tests/cmocka.h"

/* The user and group that the runs get: nobody else on the machine has it, not even another process of these tests. */
#define BOX_UID ((uid_t)(0x100000 + getpid()))

struct box {
        char base[64];
        char control[96], records[96], workspace[96], cgroup[96];
        pid_t runner;      /* 0: it does not run */
        bool has_mount[2]; /* records, control */
};

/* Setup and teardown for cmocka: the box with a runner that works; nothing of it is left afterwards. */
int box_setup(void **state);
int box_teardown(void **state);

void box_start_runner(struct box *box);
/* Ends the runner with the signal and returns its wait status. */
int box_end_runner(struct box *box, int signal);
/* Puts a tmpfs of the size over the folder (records or control); skips the test where that is not allowed. */
void box_mount(struct box *box, const char *folder, int kilobytes);

/* A start message for `sh -c script` in the workspace; what it points to is static or the caller's. `command` has room
 * for four. */
struct runner_start box_message(const struct box *box, const char *run, const char *script, const char **command);
/* Requests `sh -c script` and asserts that it was new. */
void box_run(const struct box *box, const char *run, const char *script);
void box_stop(const struct box *box, const char *run, enum runner_stop_reason reason, int64_t grace);
/* Waits for the exit record. */
struct runner_exit box_wait(const struct box *box, const char *run);
/* Waits for a file in the workspace. */
void box_wait_for_file(const struct box *box, const char *name);
void box_make_file(const struct box *box, const char *name);
/* The content of a file of the records folder (or of another folder), on the heap. */
char *box_read(const char *folder, const char *name, size_t *length);
/* How many living processes the runs' user has. */
int box_count_processes(void);
/* Kills them. */
void box_kill_processes(void);
/* The first child of the process, 0 when it has none. */
pid_t box_child_of(pid_t parent);

#endif
