/* Writes tar archives (POSIX.1-1988 ustar) that say nothing of who or when: the same content is the same bytes. */
#ifndef SERVICES_TAR_H
#define SERVICES_TAR_H

#include <sys/types.h>

#include "server/base/error.h"

/* An archive being written to a file of the caller's, which may hold `maximum` bytes and `entry_maximum` entries. */
struct tar {
        int file;
        int64_t length, maximum;
        size_t entries, entry_maximum;
};

/* Each adds one entry with a path of at most 255 bytes; the permission bits of `mode` count. ERROR_TOO_LARGE for a
 * path, target or archive that is too long, ERROR_STORE_FULL. */
MUST_CHECK bool tar_add_folder(struct tar *tar, const char *path, mode_t mode, struct error *error);
MUST_CHECK bool tar_add_link(struct tar *tar, const char *path, const char *target, struct error *error);
MUST_CHECK bool tar_add_bytes(struct tar *tar, const char *path, mode_t mode, const void *bytes, size_t length,
                              struct error *error);
/* The file open at `source`, from its beginning, of which `size` bytes are taken; ERROR_CONFLICT when it has fewer. */
MUST_CHECK bool tar_add_file(struct tar *tar, const char *path, mode_t mode, int source, int64_t size,
                             struct error *error);
/* Ends the archive. */
MUST_CHECK bool tar_end(struct tar *tar, struct error *error);

#endif
