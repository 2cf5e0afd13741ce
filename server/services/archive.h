/* The tar program, as a child process. */
#ifndef SERVICES_ARCHIVE_H
#define SERVICES_ARCHIVE_H

#include "server/base/error.h"

/* Runs tar with the NULL-ended arguments (the first is "tar") and waits. `is_change_allowed` accepts that files changed
 * while they were read. ERROR_UNAVAILABLE when tar is not installed, ERROR_INTERNAL with its last words when it fails.
 */
MUST_CHECK bool archive_run(char *const *arguments, bool is_change_allowed, struct error *error);

#endif
