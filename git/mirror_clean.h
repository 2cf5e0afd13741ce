/* What killed workers left in a mirror. */
#ifndef GIT_MIRROR_CLEAN_H
#define GIT_MIRROR_CLEAN_H

/* Removes lock files and unfinished packs in the mirror (absolute path, need not exist), and unfinished mirrors, whose
 * paths begin with `stem`. Call it holding the lock of the mirror alone. What cannot be removed stays; git then says
 * what is in its way. */
void mirror_clean(const char *mirror, const char *stem);

/* Removes a tree; what cannot be removed stays for the next attempt. */
void mirror_remove_tree(const char *path);

#endif
