/* Further processes in a running container, attached to a two-way stream: the way of terminals.
 *
 * The end of the stream is no proof that the process ended (a restart of the engine looks the same): ask
 * docker_exec_inspect. Closing the stream leaves the process running. The argv of an exec is visible to everybody who
 * may read the engine's events: secrets go by file or environment. */
#ifndef DOCKER_EXEC_H
#define DOCKER_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "docker/client.h"

/* What is run; borrowed. */
struct docker_exec_spec {
        const char *const *command; /* NULL-ended */
        const struct docker_pair *environment;
        size_t environment_count;
        const char *user;        /* "uid:gid"; NULL: the container's own */
        const char *working_dir; /* NULL: the container's own */
        bool has_terminal;       /* true: one stream of a terminal; false: frames for docker/demux.h */
        bool has_input;          /* true: what is written to the stream is the process's standard input */
};

/* Prepares a process. ERROR_CONTAINER_NOT_FOUND, ERROR_CONTAINER_NOT_RUNNING. */
MUST_CHECK bool docker_exec_create(struct docker *docker, const char *container, const struct docker_exec_spec *spec,
                                   char id[DOCKER_ID_SIZE], struct error *error);

/* An open two-way byte stream. One thread may read while another writes. */
struct docker_stream;

/* Starts the process and hands its stream out; close it with docker_stream_close. `has_terminal` as in the spec. A
 * program that cannot be started, and an exec that was started before, are told by the stream's own text; exit code 126
 * or 127 tells the first. NULL on error (ERROR_CONTAINER_NOT_RUNNING, ERROR_NOT_FOUND; ERROR_CONFLICT for one that has
 * ended). */
struct docker_stream *docker_exec_start(struct docker *docker, const char *id, bool has_terminal, struct error *error);

/* What a read brought. */
enum docker_read { DOCKER_READ_BYTES, DOCKER_READ_NONE_YET, DOCKER_READ_END };

/* Reads what is there, at most `size` bytes, waiting up to `timeout_ms` (-1: without limit, 0: not at all). Raw bytes:
 * feed them to a docker_demux when the exec has no terminal. ERROR_ENGINE_STREAM_LOST. */
MUST_CHECK bool docker_stream_read(struct docker_stream *stream, void *bytes, size_t size, int timeout_ms,
                                   enum docker_read *outcome, size_t *length, struct error *error);
/* Writes all the bytes, waiting at most `timeout_ms` for room. ERROR_ENGINE_STREAM_LOST, ERROR_ENGINE_UNREACHABLE when
 * there was no room in time (some bytes may have been written). */
MUST_CHECK bool docker_stream_write(struct docker_stream *stream, const void *bytes, size_t length, int timeout_ms,
                                    struct error *error);
/* Ends the process's standard input; reading goes on. */
void docker_stream_end_input(struct docker_stream *stream);
/* The socket, for poll(); bytes that were read ahead make docker_stream_read return at once even when poll says
 * nothing, so read until DOCKER_READ_NONE_YET before the first poll. Owned by the stream. */
int docker_stream_fd(const struct docker_stream *stream);
/* Closes the connection. NULL is nothing. */
void docker_stream_close(struct docker_stream *stream);

/* Tells the terminal its size in characters. ERROR_NOT_FOUND after the process has ended. */
MUST_CHECK bool docker_exec_resize(struct docker *docker, const char *id, unsigned rows, unsigned columns,
                                   struct error *error);

struct docker_exec_state {
        bool is_running;
        bool has_exit_code; /* false: running, or the engine does not know */
        int exit_code;      /* 126 and 127 may be the engine's own invention */
        int pid;            /* on the host, 0 when there is none */
};

/* Looks at an exec. ERROR_NOT_FOUND when the container is gone or the engine was restarted. */
MUST_CHECK bool docker_exec_inspect(struct docker *docker, const char *id, struct docker_exec_state *state,
                                    struct error *error);

#endif
