/* Building an image with the engine's own builder (POST /build, version 1), no registry session. */
#ifndef DOCKER_BUILD_H
#define DOCKER_BUILD_H

#include "docker/image.h"

/* Longest line that is handed on; what is longer is cut at a character. */
#define DOCKER_BUILD_LINE_MAXIMUM 16384

/* What is built; borrowed. */
struct docker_build_spec {
        const char *tag;        /* reference that the image gets */
        int context_fd;         /* a tar of the build context, read to its end */
        const char *dockerfile; /* path inside the context; NULL: "Dockerfile" */
        const char *network;    /* "none" (NULL), "bridge", "host" */
        const struct docker_pair *arguments;
        size_t argument_count;
        const struct docker_pair *labels;
        size_t label_count;
        int64_t memory; /* bytes for each step; 0: no limit */
        bool is_fresh;  /* true: no cached step is used */
};

/* Gets each line of the build's output (valid UTF-8, without its line feed, not NUL-terminated); returns false to
 * cancel the build. */
typedef bool docker_build_line(const char *line, size_t length, void *context);

/* Builds the image. Success only when the engine named the image and no step failed. Cancelling (the callback, or
 * `stop_fd` readable) closes the connection, on which the engine ends the step that runs: ERROR_CANCELLED.
 * ERROR_IMAGE_BUILD_FAILED with the engine's reason when a step fails or the Dockerfile is wrong. */
MUST_CHECK bool docker_image_build(struct docker *docker, const struct docker_build_spec *spec, docker_build_line *line,
                                   void *context, int stop_fd, char id[DOCKER_IMAGE_ID_SIZE], struct error *error);

#endif
