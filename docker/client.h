/* The connection to a Docker engine: Docker Engine API over a unix socket.
 *
 * One `struct docker` serves all threads. It speaks the newest API version that both sides know, asked for before the
 * first request and again after the engine was gone. Errors that every function of this folder can return:
 * ERROR_ENGINE_UNREACHABLE (no socket, nobody listens, no answer in time: the outcome of the request is unknown),
 * ERROR_ENGINE_STREAM_LOST (the connection ended before the answer did: the outcome is unknown),
 * ERROR_ENGINE_INCOMPATIBLE, ERROR_ENGINE_REQUEST_INVALID, ERROR_ENGINE_FAILED. What the engine said is in the message,
 * as bounded UTF-8. */
#ifndef DOCKER_CLIENT_H
#define DOCKER_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "server/base/error.h"

/* API versions: the oldest that this driver is written for (Engine 20.10), and the newest that it asks for. */
#define DOCKER_API_OLDEST_MINOR 41
#define DOCKER_API_NEWEST_MINOR 47

/* A container or exec id, 64 hexadecimal digits, NUL included. */
#define DOCKER_ID_SIZE 65
/* The host that is used when none is configured. */
#define DOCKER_HOST_DEFAULT "unix:///var/run/docker.sock"

struct docker;

/* A name and its value: a label, an environment variable, a build argument. Borrowed. */
struct docker_pair {
        const char *name;
        const char *value;
};

/* What an engine says of its API. */
struct docker_version {
        char api[16];        /* what is spoken, such as "1.41" */
        char api_newest[16]; /* the newest that the engine speaks */
        char api_oldest[16]; /* the oldest that the engine speaks */
        char engine[64];     /* the engine's own version, such as "20.10.24" */
};

/* What an engine says of its host, for the doctor command. */
struct docker_engine_info {
        char engine[64];           /* the engine's version */
        char operating_system[96]; /* such as "Debian GNU/Linux 12 (bookworm)" */
        char architecture[32];
        char kernel[64];
        char root[256];           /* the engine's data folder */
        char storage_driver[64];  /* such as "overlay2" */
        char cgroup_version[8];   /* "1" or "2" */
        char default_runtime[64]; /* such as "runc" */
        int64_t memory;           /* bytes */
        int processors;
        int containers_running;
        int images;
        bool has_live_restore;  /* containers survive a restart of the engine */
        bool has_memory_limit;  /* the kernel can limit memory */
        bool has_process_limit; /* the kernel can limit the number of processes */
};

/* A driver for the engine at `host`, "unix:///path/of.sock" (NULL: DOCKER_HOST_DEFAULT); does not connect yet. NULL
 * with ERROR_INVALID_INPUT for any other scheme or a path that a unix socket cannot have. Release with docker_free. */
struct docker *docker_new(const char *host, struct error *error);
/* Ends the idle connections; no other thread may use the driver any more. NULL is nothing. */
void docker_free(struct docker *docker);

/* Longest time a request may take in milliseconds, 60000 at first. Streams (events, logs, builds, waiting) have none;
 * stopping a container has its own time on top. */
void docker_set_timeout(struct docker *docker, int64_t ms);

/* Asks the engine for its versions and agrees on one. `version` may be NULL. ERROR_ENGINE_INCOMPATIBLE when the two
 * sides have no version in common. */
MUST_CHECK bool docker_negotiate(struct docker *docker, struct docker_version *version, struct error *error);

/* Asks the engine about its host (GET /info). */
MUST_CHECK bool docker_info(struct docker *docker, struct docker_engine_info *info, struct error *error);

#endif
