/* Inside docker/ only: what the engine's refusals mean. */
#ifndef DOCKER_FAILURE_H
#define DOCKER_FAILURE_H

#include <stddef.h>

#include "server/base/error.h"

/* What a request is about: the same status means different things. */
enum docker_operation {
        DOCKER_ON_ENGINE,
        DOCKER_ON_CREATE,
        DOCKER_ON_START,
        DOCKER_ON_CONTAINER,
        DOCKER_ON_EXEC,
        DOCKER_ON_IMAGE,
        DOCKER_ON_BUILD
};

/* Longest part of the engine's words that goes into a message, in bytes. */
#define DOCKER_REASON_SIZE 480

/* Reads the engine's reason out of an error body ({"message"}, or plain text) as clean one-line UTF-8. */
void docker_reason(const char *body, size_t length, char reason[DOCKER_REASON_SIZE]);

/* Sets the error for a refusal with the status; returns false. */
bool docker_failure(enum docker_operation operation, long status, const char *body, size_t length, struct error *error);

#endif
