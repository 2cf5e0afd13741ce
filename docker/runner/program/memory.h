/* The kernel's count of processes that it killed for memory in this container. */
#ifndef RUNNER_PROGRAM_MEMORY_H
#define RUNNER_PROGRAM_MEMORY_H

#include <stdint.h>

/* The counter "oom_kill" beneath the cgroup mount (usually /sys/fs/cgroup): memory.events of cgroup v2, else
 * memory/memory.oom_control of v1. 0 when there is neither. */
int64_t memory_oom_kills(const char *cgroup);
/* How much more it is than `before`, never less than 0. */
int64_t memory_oom_kills_since(const char *cgroup, int64_t before);

#endif
