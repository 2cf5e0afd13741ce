/* Copies of folders that agents wrote into. */
#ifndef SERVICES_TREE_COPY_H
#define SERVICES_TREE_COPY_H

#include <stdbool.h>

#include "server/base/error.h"

/* Levels of folders that are copied. */
#define TREE_DEPTH_MAXIMUM 200

/* Copies the tree at `from` to `to`, which must not exist: folders, regular files and symbolic links with their owners,
 * modes and times; no link is followed, sockets, pipes and devices are left out. Where the file system can, files share
 * their blocks until one is written (FICLONE); two names of one file become two files. An absent tree is success and
 * makes nothing. What was copied stays when it fails: ERROR_STORE_FULL, ERROR_INTERNAL. */
MUST_CHECK bool tree_copy(const char *from, const char *to, struct error *error);

#endif
