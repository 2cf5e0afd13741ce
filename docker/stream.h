/* Inside docker/ only: a connection that a request turns into a two-way byte stream (HTTP upgrade to "tcp", RFC 9110
 * section 7.8). The reading and writing side is in docker/exec.h. */
#ifndef DOCKER_STREAM_H
#define DOCKER_STREAM_H

#include <jansson.h>

#include "docker/exec.h"
#include "docker/failure.h"

/* POSTs the body to the path (after the API version) and hands the stream out; NULL on error. */
struct docker_stream *docker_stream_open(struct docker *docker, const char *path, const json_t *body,
                                         enum docker_operation operation, struct error *error);

#endif
