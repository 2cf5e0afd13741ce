/* Branch names. */
#ifndef GIT_BRANCH_H
#define GIT_BRANCH_H

#include <stdbool.h>

#include "server/base/error.h"

/* Bytes a branch name may have: with ".lock" behind it, it is still a file name. */
#define BRANCH_NAME_MAXIMUM 244

/* Whether git would make a branch of this name (git-check-ref-format(1), --branch, without its @{-N} shorthand); it
 * must be UTF-8 besides, without control characters and of at most BRANCH_NAME_MAXIMUM bytes. ERROR_BRANCH_INVALID. */
MUST_CHECK bool branch_name_check(const char *name, struct error *error);

#endif
