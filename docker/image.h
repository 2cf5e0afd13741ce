/* Images: looked up, imported from a tar, removed. Building is in docker/build.h. */
#ifndef DOCKER_IMAGE_H
#define DOCKER_IMAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "docker/client.h"

/* "sha256:" and 64 hexadecimal digits, NUL included. */
#define DOCKER_IMAGE_ID_SIZE 72

struct docker_image {
        char id[DOCKER_IMAGE_ID_SIZE];
        int64_t size;       /* bytes */
        int64_t created_at; /* ms since the epoch */
        char user[128];     /* that its containers run as; "": root */
        json_t *labels;     /* object of strings, owned; never NULL after success */
};

void docker_image_clear(struct docker_image *image);
#define auto_docker_image CLEANUP(docker_image_clear) struct docker_image

/* Looks at one image by reference or id; `image` may be NULL. ERROR_IMAGE_NOT_FOUND. */
MUST_CHECK bool docker_image_inspect(struct docker *docker, const char *reference, struct docker_image *image,
                                     struct error *error);

/* Makes an image of one layer from a tar of a root file system (plain or compressed) read from `tar_fd` to its end, as
 * repository:tag. `changes` is NULL or NULL-ended Dockerfile lines ("ENV A=b", "USER 1000:1000"). `id` may be NULL.
 * `stop_fd`, when not negative, ends it as soon as it is readable, with ERROR_CANCELLED. ERROR_IMAGE_BUILD_FAILED when
 * the engine could not use the tar. */
MUST_CHECK bool docker_image_import(struct docker *docker, const char *repository, const char *tag, int tar_fd,
                                    const char *const *changes, int stop_fd, char id[DOCKER_IMAGE_ID_SIZE],
                                    struct error *error);

/* Removes a reference, and the image when it was the last; an absent one is success. ERROR_CONFLICT when a container
 * uses it; `is_forced` removes it although a stopped container does. */
MUST_CHECK bool docker_image_remove(struct docker *docker, const char *reference, bool is_forced, struct error *error);

#endif
