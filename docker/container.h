/* Containers: made in one hardened shape, started, stopped, looked at, removed.
 *
 * `id` is an id or a name everywhere. ERROR_CONTAINER_NOT_FOUND when the engine does not have it. */
#ifndef DOCKER_CONTAINER_H
#define DOCKER_CONTAINER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "docker/client.h"

/* A file or folder of the host that a container sees. Its source must exist. */
struct docker_mount {
        const char *source;
        const char *target;
        bool is_read_only;
};

/* What a container is made from; everything is borrowed. A number of 0 and a NULL take the default that is told. */
struct docker_container_spec {
        const char *name;           /* NULL: the engine invents one */
        const char *image;          /* reference or id */
        const char *const *command; /* NULL-ended; NULL: the image's own */
        const char *working_dir;    /* NULL: the image's own */
        const char *hostname;       /* NULL: the engine invents one */
        const char *user;           /* NULL: "0:0" */
        const char *network;        /* "none" (NULL), "bridge", "host" or a network's name */
        const struct docker_pair *environment;
        size_t environment_count;
        const struct docker_pair *labels;
        size_t label_count;
        const struct docker_mount *mounts;
        size_t mount_count;
        const char *const *extra_hosts; /* NULL-ended "name:address" */

        int64_t memory;       /* bytes, swap included; 0: no limit */
        int64_t nano_cpus;    /* thousand-millionths of a processor; 0: no limit */
        int64_t pids;         /* processes and threads; 0: 512 */
        int64_t shared_bytes; /* size of /dev/shm; 0: 64 MiB */
        int64_t file_bytes;   /* longest file a process may write; 0: no limit */
        int64_t open_files;   /* per process; 0: 4096 */
        int64_t tmp_bytes;    /* size of /tmp; 0: 256 MiB */
        const char *home;     /* folder that is a writable tmpfs of its own; NULL: none */
        int64_t home_bytes;   /* its size; 0: 256 MiB */
        uid_t home_uid;       /* its owner */
        gid_t home_gid;

        int stop_timeout_s;   /* seconds between TERM and KILL when the engine stops it by itself; 0: 10 */
        bool is_without_init; /* true: the command is process 1 itself */
        bool keeps_log;       /* true: the engine keeps at most 8 MiB of output for docker_container_logs */
};

/* Makes a container and gives its id. The shape that no spec can soften: every capability dropped but SETUID, SETGID,
 * KILL and SETPCAP, no new privileges, read-only root with an executable tmpfs on /tmp, a private IPC namespace, no
 * core files, no restarts, no log unless asked for, no swap, and an early victim when memory runs out.
 * ERROR_IMAGE_NOT_FOUND, ERROR_MOUNT_SOURCE_MISSING, ERROR_CONTAINER_NAME_TAKEN (details: {"id"} of the container that
 * has the name). */
MUST_CHECK bool docker_container_create(struct docker *docker, const struct docker_container_spec *spec,
                                        char id[DOCKER_ID_SIZE], struct error *error);

/* Starts a container; one that runs already is success. ERROR_CONTAINER_START_FAILED, ERROR_MOUNT_SOURCE_MISSING. */
MUST_CHECK bool docker_container_start(struct docker *docker, const char *id, struct error *error);

/* Sends TERM to the main process, KILL after `grace_s` seconds, and returns when it has ended; one that does not run is
 * success. Processes started by exec get KILL at once. */
MUST_CHECK bool docker_container_stop(struct docker *docker, const char *id, int grace_s, struct error *error);

/* Sends a signal ("TERM", "KILL"...) to the main process. ERROR_CONTAINER_NOT_RUNNING. */
MUST_CHECK bool docker_container_kill(struct docker *docker, const char *id, const char *signal, struct error *error);

/* Removes a container and its anonymous volumes; an absent one is success, and one that somebody else is removing is
 * waited for. ERROR_CONFLICT when it runs and `is_forced` is false. */
MUST_CHECK bool docker_container_remove(struct docker *docker, const char *id, bool is_forced, struct error *error);

/* What an engine knows of a container. */
struct docker_container_state {
        char id[DOCKER_ID_SIZE];
        char name[256];      /* without the leading slash */
        char image[80];      /* id of its image, "sha256:..." */
        char status[16];     /* "created", "running", "paused", "restarting", "removing", "exited" or "dead" */
        bool is_running;     /* also while paused */
        bool is_oom_killed;  /* memory ran out for any process of it; exec'd ones may be missed (cgroup version 1) */
        int exit_code;       /* of the main process; 0 says nothing while is_running or status is "created" */
        int pid;             /* of the main process on the host, 0 when it does not run */
        int64_t started_at;  /* ms since the epoch, 0: never */
        int64_t finished_at; /* ms since the epoch, 0: never */
        char error[300];     /* why the engine could not start it, "" when it could */
        json_t *labels;      /* object of strings, owned; never NULL after success */
};

void docker_container_state_clear(struct docker_container_state *state);
#define auto_docker_container_state CLEANUP(docker_container_state_clear) struct docker_container_state

/* Looks at one container. `state` is released with docker_container_state_clear. */
MUST_CHECK bool docker_container_inspect(struct docker *docker, const char *id, struct docker_container_state *state,
                                         struct error *error);

/* A container of a list. */
struct docker_container_entry {
        char id[DOCKER_ID_SIZE];
        char name[256];
        char status[16];
        bool is_running;
        int64_t created_at; /* ms since the epoch */
        json_t *labels;     /* object of strings, owned by the list */
};

struct docker_container_list {
        struct docker_container_entry *entries;
        size_t count;
};

void docker_container_list_clear(struct docker_container_list *list);
#define auto_docker_container_list CLEANUP(docker_container_list_clear) struct docker_container_list

/* All containers, stopped ones included, that carry the label: "name" or "name=value"; NULL: all there are. */
MUST_CHECK bool docker_container_find(struct docker *docker, const char *label, struct docker_container_list *list,
                                      struct error *error);

/* Waits until the main process has ended and gives its exit code (137 after a KILL). `stop_fd`, when not negative, ends
 * the wait as soon as it is readable, with ERROR_CANCELLED. */
MUST_CHECK bool docker_container_wait(struct docker *docker, const char *id, int stop_fd, int *exit_code,
                                      struct error *error);

#endif
