/* Inside docker/ only: streams of JSON objects, one a line. */
#ifndef DOCKER_LINES_H
#define DOCKER_LINES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "server/base/error.h"
#include "server/base/text.h"

/* Longest line; the engine's own progress and event lines are far shorter. */
#define DOCKER_LINE_MAXIMUM (1u << 20)

/* Gets each object; returns false, with the error set, to end the stream. */
typedef bool docker_line(const json_t *object, void *context, struct error *error);

/* Zero-initialised but for the callback and its context. Clear with docker_lines_clear. */
struct docker_lines {
        struct text partial;
        docker_line *line;
        void *context;
};

/* Takes the next bytes. ERROR_ENGINE_FAILED for a line that is too long or no JSON. */
MUST_CHECK bool docker_lines_feed(struct docker_lines *lines, const char *bytes, size_t length, struct error *error);
/* Takes a last line without its line feed. */
MUST_CHECK bool docker_lines_end(struct docker_lines *lines, struct error *error);
void docker_lines_clear(struct docker_lines *lines);
#define auto_docker_lines CLEANUP(docker_lines_clear) struct docker_lines

#endif
