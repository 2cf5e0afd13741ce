/* The engine's events for our containers, as they happen. */
#ifndef DOCKER_EVENTS_H
#define DOCKER_EVENTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "docker/client.h"

enum docker_event_kind {
        DOCKER_EVENT_CONNECTED, /* the engine has begun to report: what happens from now on is not missed */
        DOCKER_EVENT_CREATED,
        DOCKER_EVENT_STARTED,
        DOCKER_EVENT_DIED,          /* the main process ended: exit_code */
        DOCKER_EVENT_OUT_OF_MEMORY, /* at most once a second and container, however often the engine tells it */
        DOCKER_EVENT_DESTROYED,
        DOCKER_EVENT_EXEC_DIED, /* an exec ended: exec_id, exit_code (126 and 127 may be the engine's own invention) */
        DOCKER_EVENT_OTHER      /* anything else: action */
};

/* Everything is borrowed and valid during the callback only. */
struct docker_event {
        enum docker_event_kind kind;
        const char *action; /* the engine's word, up to a colon (exec_create and exec_start carry the argv there) */
        const char *container_id; /* "" for DOCKER_EVENT_CONNECTED */
        const char *exec_id;      /* NULL when there is none */
        int exit_code;            /* -1 when there is none */
        int64_t time;             /* ms since the epoch */
        const json_t *labels;     /* object of strings: the container's labels, and the engine's own attributes */
};

typedef void docker_event_callback(const struct docker_event *event, void *context);

/* Follows the events of containers that carry the label ("name" or "name=value", NULL: all), from `since` (ms since the
 * epoch, rounded down to whole seconds, so events may come twice; 0: from now on). The engine forgets its history when
 * it restarts: look at the containers after DOCKER_EVENT_CONNECTED. Blocks in the caller's thread; true only when
 * `stop_fd` (an eventfd or pipe) has become readable. Otherwise ERROR_ENGINE_UNREACHABLE, or ERROR_ENGINE_STREAM_LOST
 * also when the engine ended the stream in good order. */
MUST_CHECK bool docker_events_follow(struct docker *docker, const char *label, int64_t since, int stop_fd,
                                     docker_event_callback *callback, void *context, struct error *error);

#endif
