/* Files and folders. Functions named *_beneath treat the relative path as hostile: it is resolved under the open root
 * folder without following any symbolic link (openat2 with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS), and only regular
 * files are opened, never blocking on a FIFO. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "server/base/error.h"
#include "server/base/text.h"

/* "folder/name" on the heap. */
char *path_join(const char *folder, const char *name);
/* Whether the relative path is plain: not empty or absolute, no empty, "." or ".." segment, no NUL. */
bool path_is_plain(const char *relative);
/* Makes a folder and its missing parents with the mode. ERROR_STORE_FULL, ERROR_INTERNAL. */
MUST_CHECK bool path_make_folder(const char *path, mode_t mode, struct error *error);
/* Reads a whole regular file of at most `maximum` bytes into `out`; *is_missing tells an absent file from an error and
 * may be NULL. ERROR_TOO_LARGE when it is larger. */
MUST_CHECK bool path_read(const char *path, size_t maximum, struct text *out, bool *is_missing, struct error *error);
/* The same of a file that is open; `name` stands for it in messages. */
MUST_CHECK bool path_read_open(int file, const char *name, size_t maximum, struct text *out, struct error *error);
/* Writes a file so that it is there whole or not at all, also after a crash: temporary file, fsync, rename, fsync of
 * the folder. ERROR_STORE_FULL when the disk is full. */
MUST_CHECK bool path_write(const char *path, const void *bytes, size_t length, mode_t mode, struct error *error);
/* Makes the name of a file or folder durable, not what is in it; false with errno. */
MUST_CHECK bool path_sync_folder_of(const char *path);
/* Removes a file or a whole tree; never follows a link, never leaves the tree. An absent path is success. */
MUST_CHECK bool path_remove_tree(const char *path, struct error *error);
/* Gives a tree to uid and gid, links themselves included; never follows a link. */
MUST_CHECK bool path_own_tree(const char *path, uid_t uid, gid_t gid, struct error *error);
/* Opens a regular file beneath `root` for reading; -1 with ERROR_FILE_NOT_FOUND for anything else. */
int path_open_beneath(int root, const char *relative, struct error *error);
/* Bytes of free space on the file system of `path`, -1 when it cannot be told. */
int64_t path_free_space(const char *path);

#endif
