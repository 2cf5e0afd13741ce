/* The output that the engine kept of a container made with keeps_log. */
#ifndef DOCKER_LOGS_H
#define DOCKER_LOGS_H

#include "docker/client.h"
#include "docker/demux.h"

/* Hands out what the main process (without a terminal) has written, oldest first; `tail` is the number of last lines,
 * 0: all. With `is_following` it goes on until the process has ended or `stop_fd` (when not negative) is readable
 * (ERROR_CANCELLED, also when the callback stops). True only when the stream came to its end in good order:
 * ERROR_ENGINE_STREAM_LOST when it broke off. Following may miss a last line that has no line feed (seen with
 * Engine 20.10); reading again after the end gives it. Bytes that are not UTF-8 have been replaced by the engine.
 * ERROR_ENGINE_FAILED when the container keeps no log. */
MUST_CHECK bool docker_container_logs(struct docker *docker, const char *id, bool is_following, unsigned tail,
                                      int stop_fd, docker_output *output, void *context, struct error *error);

#endif
