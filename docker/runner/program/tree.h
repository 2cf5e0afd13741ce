/* The processes below this one, whatever session or group they moved to. This process has to be a subreaper, so that
 * whoever loses its parent comes to it. */
#ifndef RUNNER_PROGRAM_TREE_H
#define RUNNER_PROGRAM_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Sends the signal (0: none) to every descendant, but not to the children listed in `spared` and those below them.
 * Returns how many there are. */
int tree_signal(int signal, const pid_t *spared, int spared_count);
/* Kills and reaps every descendant; at most `limit` ms are spent. Whoever forks faster than it can be killed is halted
 * first, with all of `uid` for a moment. *status receives the wait status of `leader` when that is among them, and
 * *is_reaped tells so. False when some are left. SIGCHLD has to be blocked. */
bool tree_end(uid_t uid, pid_t leader, int *status, bool *is_reaped, int64_t limit);

#endif
