/* Internal to the readers of saved changes: the files of one repository, those without content too. */
#ifndef SERVICES_CHANGES_FILES_H
#define SERVICES_CHANGES_FILES_H

#include "server/services/redact.h"
#include "server/store/saved_change.h"

/* The changed files, an array that the caller owns: entries as of git/change.h, then those that were left out, {path,
 * status, size, omitted: not_saved}. ERROR_UNAVAILABLE. */
json_t *changes_files(const struct services *services, const char *task_id, const struct store_saved_change *change,
                      struct error *error);
/* One of them as it is told. Without a repository when `repository` is NULL. */
json_t *changes_file_view(const struct redactor *redactor, const char *repository, const json_t *entry);
/* A path as it is told: *is_redacted is set when something was replaced, and left alone otherwise. */
json_t *changes_text_view(const struct redactor *redactor, const char *text, bool *is_redacted);
/* null for what is not known. */
json_t *changes_count_view(int64_t count);
/* available, empty or unavailable. */
const char *changes_status(const struct store_saved_change *change);
/* Whether there may be changes that are not listed. */
bool changes_is_incomplete(const struct store_saved_change *change);

#endif
