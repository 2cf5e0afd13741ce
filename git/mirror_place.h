/* Where a mirror lies, and who uses it now. */
#ifndef GIT_MIRROR_PLACE_H
#define GIT_MIRROR_PLACE_H

#include <stdbool.h>

#include "git/library.h"
#include "server/base/error.h"

/* The paths of one mirror; owns them. */
struct mirror_place {
        char *mirror;
        char *lock;
        char *unfinished; /* what the names of folders of mirrors in the making begin with */
};

/* The place of the mirror of a normalised URL. */
void mirror_place_init(struct mirror_place *place, const char *mirrors, const char *url);
void mirror_place_clear(struct mirror_place *place);

/* Waits for the lock of a mirror, shared or alone, and notes on it that the mirror is used. The descriptor is inherited by programs on purpose: git holds the
 * lock for as long as any of its processes lives, even when the worker is gone. -1 with ERROR_GIT_FAILED,
 * ERROR_STORE_FULL. */
int mirror_lock(const char *lock, bool is_shared, struct error *error);

/* Opens a mirror, which must be a bare repository of this user's; NULL with ERROR_GIT_FAILED. */
git_repository *mirror_open(const char *mirror, struct error *error);

/* Whether the repository has the branch. ERROR_GIT_FAILED. */
MUST_CHECK bool mirror_find_branch(git_repository *repository, const char *branch, bool *has, struct error *error);

/* The branch that the mirror's HEAD names, existing or not; the caller's, NULL when HEAD is a bare commit. */
char *mirror_default_branch(git_repository *repository);

#define auto_mirror_place CLEANUP(mirror_place_clear) struct mirror_place

#endif
