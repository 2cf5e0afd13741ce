/* Inside docker/ only: paths of requests, and members of answers. */
#ifndef DOCKER_PATH_H
#define DOCKER_PATH_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "docker/client.h"
#include "server/base/text.h"

#define DOCKER_PATH_MAXIMUM 65536
#define auto_docker_path CLEANUP(text_clear) struct text
#define DOCKER_PATH TEXT_WITH_MAXIMUM(DOCKER_PATH_MAXIMUM)

/* Starts the path "/KIND/ID/REST" ("containers", "exec"). ERROR_INVALID_INPUT when the id is none: an empty or dotted
 * one would name another resource. */
MUST_CHECK bool docker_path_object(struct text *path, const char *kind, const char *id, const char *rest,
                                   struct error *error);
/* Starts the path "/images/REFERENCE" and the rest. */
MUST_CHECK bool docker_path_image(struct text *path, const char *reference, const char *rest, struct error *error);
/* Appends "?name=value" or "&name=value", percent-encoded; NULL is left out. */
void docker_path_query(struct text *path, const char *name, const char *value);
/* The same for a document, printed. */
void docker_path_query_json(struct text *path, const char *name, const json_t *value);
/* The filters of a label, and of a type of object when it is not NULL. */
void docker_path_filters(struct text *path, const char *label, const char *type);

/* Copies a string member into a fixed buffer, cut at a character; "" when it is absent. */
void docker_copy(const json_t *object, const char *name, char *out, size_t size);
/* A time member in RFC 3339 as ms since the epoch, 0 when it is absent or the engine's "never". */
int64_t docker_time(const json_t *object, const char *name);
/* A new reference to an object member, or a new empty object. */
json_t *docker_object(const json_t *object, const char *name);
/* An object of strings from pairs. */
json_t *docker_pairs_object(const struct docker_pair *pairs, size_t count);
/* An array of "name=value" strings from pairs. */
json_t *docker_pairs_array(const struct docker_pair *pairs, size_t count);
/* An array of strings from a NULL-ended list; JSON null for NULL. */
json_t *docker_strings(const char *const *strings);

#endif
