/* Saved changes: what a task made of its repositories, as it was at the end of its last turn (not counting turns that
 * were rewound away). Reads need no container and no workspace. */
#ifndef SERVICES_CHANGES_H
#define SERVICES_CHANGES_H

#include "server/services/services.h"

/* Writes a patch REPOSITORY.diff into the open folder for each repository whose work differs from what the task began
 * with; at most `maximum_bytes` together. Files whose changes do not fit or are not known are named in a last line of
 * the patch that begins with "# ". Unredacted. Blocks. ERROR_TASK_NOT_FOUND, ERROR_UNAVAILABLE. */
MUST_CHECK bool changes_write_patches(const struct services *services, const char *task_id, int folder_fd,
                                      size_t maximum_bytes, struct error *error);
/* A text that is the same as long as nothing of the saved changes differs, on the heap; NULL on error:
 * ERROR_TASK_NOT_FOUND. Reads the store only. */
char *changes_fingerprint(const struct services *services, const char *task_id, struct error *error);

#endif
