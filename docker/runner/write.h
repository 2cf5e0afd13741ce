/* Writing to files. */
#ifndef RUNNER_WRITE_H
#define RUNNER_WRITE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes all the bytes, however many calls it takes; false with errno. */
bool write_whole(int file, const char *bytes, size_t length);
/* Makes what was renamed or made in the folder durable; false with errno. */
bool write_sync_folder(const char *folder);

#endif
