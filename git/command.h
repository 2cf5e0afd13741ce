/* The git program, run by a worker with no configuration, no prompt, no hook and no environment but ours. */
#ifndef GIT_COMMAND_H
#define GIT_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "server/base/error.h"
#include "server/base/text.h"

/* How git is run; all borrowed. */
struct command {
        const char *git;
        const char *folder;     /* where it runs; NULL: where the worker does */
        const char *protocols;  /* the transports it may use, as in GIT_ALLOW_PROTOCOL */
        const char *header;     /* a header for HTTP requests, NULL: none; reaches git by the environment only */
        const char *alternates; /* a folder of objects to look in besides the repository's own; NULL: none */
        const int *input;       /* a descriptor that is its standard input; NULL: there is none */
        int64_t memory_bytes;
        bool is_as_owner; /* whether it runs as uid and gid, seeing the folder as /tmp, if the worker is root */
        uid_t uid;
        gid_t gid;
};

/* Runs git with the arguments (without "git", ended by NULL) and waits for it. `out` gets its output and has its own
 * maximum; NULL drops it. An end by a signal or a status other than 0 is an error, in words taken from
 * git's own where none of ours fit.
 * ERROR_GIT_AUTH_FAILED, ERROR_GIT_NOT_FOUND, ERROR_GIT_REF_NOT_FOUND, ERROR_STORE_FULL, ERROR_GIT_FAILED. */
MUST_CHECK bool command_run(const struct command *command, const char *const arguments[], struct text *out,
                            struct error *error);

#endif
