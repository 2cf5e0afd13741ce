/* What passes between the server and a worker, both ways. */
#ifndef GIT_REQUEST_H
#define GIT_REQUEST_H

#include <jansson.h>
#include <stdbool.h>

#include "server/base/error.h"

/* One piece of work, done inside a worker: fills `result` (an object) or sets the error. */
typedef bool request_work(const json_t *request, json_t *result, struct error *error);

request_work mirror_work, workspace_work, bundle_work, change_import_work, change_patch_work;

/* A failure as a JSON object that is the caller's, and back. */
json_t *request_failure_write(const struct error *failure);
void request_failure_read(const json_t *document, struct error *error);

/* Puts the repository (and the branch, unless it is NULL) before the message and into the details; returns false. */
bool request_failure_name(struct error *error, const char *url, const char *branch);

#endif
