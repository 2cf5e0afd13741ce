/* The messages between the server and the runner inside a container: small JSON documents with a version.
 *
 * A run is whatever the runner supervises: an agent's turn, a test, an application server. The server writes start and
 * stop messages, the runner writes exit records. Parsing is strict: unknown members, missing members, wrong types and
 * values out of range are refused with ERROR_INVALID_INPUT and a message that names the member; a message that is too
 * long with ERROR_TOO_LARGE. All strings are UTF-8; all times are in milliseconds. */
#ifndef RUNNER_MESSAGE_H
#define RUNNER_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/error.h"

#define RUNNER_VERSION 1
#define RUNNER_RUN_SIZE 65
#define RUNNER_KIND_SIZE 33
#define RUNNER_MESSAGE_SIZE 512
#define RUNNER_START_MAXIMUM (256 * 1024)
#define RUNNER_STOP_MAXIMUM 4096
#define RUNNER_EXIT_MAXIMUM 4096
#define RUNNER_COMMAND_MAXIMUM 256
#define RUNNER_ENVIRONMENT_MAXIMUM 512
#define RUNNER_GRACE_MAXIMUM (10 * 60 * 1000)

struct runner_variable {
        const char *name;
        const char *value;
};

/* The descriptor on which the leader finds its prompt; standard input is empty when it is descriptor 3. */
enum runner_prompt_on { RUNNER_PROMPT_ON_STDIN, RUNNER_PROMPT_ON_FD3 };

/* What is to be run. Who fills it for printing keeps its strings and leaves `memory` NULL; a parsed one owns them
 * through `memory`: declare it with auto_runner_start. */
struct runner_start {
        char run[RUNNER_RUN_SIZE];   /* a-z, 0-9 and hyphens */
        char kind[RUNNER_KIND_SIZE]; /* "turn", "test"...: a word for people */
        const char *const *command;  /* ended by NULL; the first is a path or is looked up in PATH; at most 256 */
        const struct runner_variable *environment; /* added to the container's own, which it overrides */
        size_t environment_count;
        const char *prompt; /* name of a file in the control folder's prompts; NULL: none */
        enum runner_prompt_on prompt_on;
        const char *workdir;     /* absolute, as the container sees it */
        int64_t uid, gid;        /* never 0 */
        const char *output;      /* standard output, errors and both together: paths beneath the records folder; */
        const char *errors;      /* what is there already is appended to */
        const char *log;         /* NULL: no common log */
        int64_t time_limit;      /* ms until the run is ended, 0: none */
        int64_t grace;           /* ms between TERM and KILL when it has run out of time */
        int64_t file_size_limit; /* bytes of the largest file that the run may write, 0: none */
        void *memory;
};

enum runner_stop_reason { RUNNER_STOP, RUNNER_INTERRUPT };

/* That a run is to end: TERM to its whole tree, KILL after the grace. */
struct runner_stop {
        char run[RUNNER_RUN_SIZE];
        enum runner_stop_reason reason;
        int64_t grace; /* ms */
};

enum runner_reason {
        RUNNER_EXITED,            /* by itself, with `code` */
        RUNNER_SIGNALED,          /* by a signal that the runner did not send */
        RUNNER_STOPPED,           /* by a stop message */
        RUNNER_INTERRUPTED,       /* by a stop message with the reason interrupt */
        RUNNER_TIME_LIMIT,        /* it ran out of time */
        RUNNER_OUT_OF_MEMORY,     /* the kernel killed a process of the container, and the leader did not exit with 0 */
        RUNNER_DISK_FULL,         /* its output could not be recorded */
        RUNNER_LAUNCH_FAILURE,    /* it never ran */
        RUNNER_LOST,              /* the runner or the run's keeper ended before it; the outcome is not known */
        RUNNER_CONTAINER_STOPPED, /* the container was stopped */
        RUNNER_REASON_COUNT
};

/* How a run ended. Fixed buffers; nothing to release. */
struct runner_exit {
        char run[RUNNER_RUN_SIZE];
        enum runner_reason reason;
        int64_t code;                      /* the leader's exit code, -1: null, it did not exit */
        int64_t signal;                    /* the signal that ended the leader, 0: null */
        char message[RUNNER_MESSAGE_SIZE]; /* a sentence for people, may be empty */
        int64_t oom_kills; /* processes of the container that the kernel killed for memory during the run */
        int64_t started_at, finished_at;   /* ms since the epoch */
        int64_t output_bytes, error_bytes; /* bytes recorded by this run */
};

/* Whether the text can be the id of a run: 1 to 64 of a-z, 0-9 and hyphen. */
bool runner_run_is_valid(const char *run);
/* The word of a reason as it stands in an exit record, for example "time_limit". */
const char *runner_reason_name(enum runner_reason reason);

/* The message as JSON text on the heap. Values are printed as they are: whoever fills them answers for their limits. */
char *runner_start_print(const struct runner_start *start);
char *runner_stop_print(const struct runner_stop *stop);
/* Always fits into RUNNER_EXIT_MAXIMUM bytes, because the message is cut when it has to be. */
char *runner_exit_print(const struct runner_exit *exit);

/* Reads a message. `out` is written on success only. Blanks after an exit record are accepted. */
MUST_CHECK bool runner_start_parse(const char *bytes, size_t length, struct runner_start *out, struct error *error);
MUST_CHECK bool runner_stop_parse(const char *bytes, size_t length, struct runner_stop *out, struct error *error);
MUST_CHECK bool runner_exit_parse(const char *bytes, size_t length, struct runner_exit *out, struct error *error);

/* Releases what a parsed start message owns. */
void runner_start_clear(struct runner_start *start);
#define auto_runner_start CLEANUP(runner_start_clear) struct runner_start

#endif
