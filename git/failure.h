/* What git's complaints mean. */
#ifndef GIT_FAILURE_H
#define GIT_FAILURE_H

#include <stdbool.h>

#include "server/base/error.h"

/* Sets the error that git's standard error output and wait status (not 0) amount to; returns false. git's own words
 * come cleaned of control characters, at most a few lines, and only where no sentence of ours says it. They count as
 * well when a signal ended git: newer ones name the cause and then abort over their own cleaning up. */
bool failure_explain(const char *words, int status, struct error *error);

#endif
