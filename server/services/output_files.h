/* The files of a task as readers see them: the agent's /task-output with our own records laid over it. Ours win over
 * files of the same name. Nothing an agent wrote is trusted as a path. */
#ifndef SERVICES_OUTPUT_FILES_H
#define SERVICES_OUTPUT_FILES_H

#include "server/services/redact.h"

/* Opens a regular file of the task for reading; sets *size and *modified_at (ms, may be NULL). -1 with
 * ERROR_INVALID_PATH for a path that is absolute or has dot segments, ERROR_FILE_NOT_FOUND for what is no regular file.
 */
int output_file_open(const struct services *services, const char *task_id, const char *path, int64_t *size,
                     int64_t *modified_at, struct error *error);
/* Reads at most `maximum` bytes from `offset`. */
MUST_CHECK bool output_file_read(int file, int64_t offset, size_t maximum, struct text *out, struct error *error);
/* [{path, size, modifiedAt}] sorted by path; dotfiles and links are skipped, at most OUTPUT_FILES_MAXIMUM entries are
 * listed. *omitted counts the files left out; a folder deeper than OUTPUT_DEPTH_MAXIMUM, and all that is behind the
 * first OUTPUT_LOOK_MAXIMUM names, count as one. */
json_t *output_files_list(const struct services *services, const char *task_id, int64_t *omitted);
/* The end of log.txt, redacted and made UTF-8: what its last `maximum` bytes, beginning at a character, show. *total
 * gets its whole size. */
MUST_CHECK bool output_log_tail(const struct services *services, const char *task_id, const struct redactor *redactor,
                                size_t maximum, struct text *out, int64_t *total, struct error *error);

#define OUTPUT_FILES_MAXIMUM 5000
#define OUTPUT_DEPTH_MAXIMUM 32
#define OUTPUT_LOOK_MAXIMUM 200000

#endif
