/* The control folder: how the server asks the runner inside a container for something, and learns what came of it.
 *
 *   requests/start-RUN.json  written by the server, renamed by the runner to runs/RUN.request.json when it claims it;
 *                            until then the server can withdraw it. Whoever moves the file first has won.
 *   requests/stop-RUN.json   written by the server, removed by the runner.
 *   prompts/NAME             written by the server, handed to the run as an open file.
 *   runs/RUN.exit.json       written by the runner when the run has ended, never changed.
 *
 * Folders are 0700 and root's on both sides, so that a run can forge nothing. Every function may be called by several
 * threads and processes at once. */
#ifndef RUNNER_CONTROL_H
#define RUNNER_CONTROL_H

#include "docker/runner/message.h"

enum control_state {
        CONTROL_ABSENT,    /* never requested, or withdrawn */
        CONTROL_REQUESTED, /* no runner has seen it yet */
        CONTROL_CLAIMED,   /* it runs, or is about to, or its runner is gone */
        CONTROL_ENDED,     /* there is an exit record */
};

/* Makes the folder and what belongs into it. ERROR_STORE_FULL, ERROR_INTERNAL. */
MUST_CHECK bool control_prepare(const char *folder, struct error *error);

/* Requests a run, durably. When the run was requested before, in whatever state it is now, nothing is written and
 * *was_there is true. A prompt that is not NULL is written first, under start->prompt or, when that is NULL, under the
 * id of the run. ERROR_INVALID_INPUT or ERROR_TOO_LARGE for a message that the runner would refuse; ERROR_STORE_FULL,
 * ERROR_INTERNAL. */
MUST_CHECK bool control_start(const char *folder, const struct runner_start *start, const void *prompt, size_t length,
                              bool *was_there, struct error *error);

/* The same in two steps, the first of which may be taken before there is a runner: writes the prompt, durably, and
 * gives the message that requests the run; the caller frees it. */
MUST_CHECK bool control_compose(const char *folder, const struct runner_start *start, const void *prompt, size_t length,
                                char **message, struct error *error);
/* The second one: requests the run as control_start does. */
MUST_CHECK bool control_send(const char *folder, const char *run, const char *message, bool *was_there,
                             struct error *error);

/* Takes a request back. *is_withdrawn is true when the run has not begun and never will (also when it was never
 * requested), false when the runner has claimed it: then it has to be stopped. ERROR_INTERNAL. */
MUST_CHECK bool control_withdraw(const char *folder, const char *run, bool *is_withdrawn, struct error *error);

/* Asks for the end of a run; whoever asks first gives the reason, a later one can only shorten the grace. Without
 * effect on a run that has ended or is not known. ERROR_INVALID_INPUT, ERROR_STORE_FULL, ERROR_INTERNAL. */
MUST_CHECK bool control_stop(const char *folder, const struct runner_stop *stop, struct error *error);

/* Removes the request of a run that is over: what it was given does not stay on the disk. Its exit record stays.
 * ERROR_INTERNAL. */
MUST_CHECK bool control_forget_request(const char *folder, const char *run, struct error *error);

/* How far a run is. `exit` is filled (it has nothing to release) when *state is CONTROL_ENDED. An exit record that
 * cannot be read is an error: ERROR_INVALID_INPUT, ERROR_INTERNAL. */
MUST_CHECK bool control_state(const char *folder, const char *run, enum control_state *state, struct runner_exit *exit,
                              struct error *error);

/* Removes claims, exit records and prompts of the runs whose id begins with `prefix`, but for the run `keep`: for runs
 * whose end is recorded elsewhere. What cannot be removed stays for the next time. */
void control_forget(const char *folder, const char *prefix, const char *keep);

/* Paths within a control folder, on the heap. */
char *control_path_requests(const char *folder);
char *control_path_runs(const char *folder);
char *control_path_prompt(const char *folder, const char *name);
char *control_path_start(const char *folder, const char *run);
char *control_path_stop(const char *folder, const char *run);
char *control_path_claimed(const char *folder, const char *run);
char *control_path_exit(const char *folder, const char *run);

#endif
