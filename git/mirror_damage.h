/* A mirror that lost something, to a power cut say: whether one has, and that one is to be made anew. */
#ifndef GIT_MIRROR_DAMAGE_H
#define GIT_MIRROR_DAMAGE_H

#include "git/command.h"

/* Notes that the mirror is to be made anew at its next update. */
void mirror_condemn(const char *mirror);
bool mirror_is_condemned(const char *mirror);

/* Whether git cannot even list the mirror's references. Quick. `git` is the program. */
bool mirror_is_unreadable(const char *mirror, const struct command *command);
/* Whether anything is missing or broken. Reads the whole mirror, which takes as long as that is large: for when an
 * operation failed that had no other reason to. A mirror in which something is, or whose reading is cut short by the
 * end of the worker, is condemned. */
bool mirror_is_damaged(const char *mirror, const struct command *command);
/* Under the lock of the mirror that a copy was taken of, in vain: the error becomes ERROR_GIT_MIRROR_DAMAGED when that
 * is why. */
void mirror_blame(const char *mirror, const char *lock, const struct command *command, struct error *error);

#endif
