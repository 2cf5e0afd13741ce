/* The lock on a data folder: one process at a time, for its life. */
#ifndef SERVER_LOCK_H
#define SERVER_LOCK_H

#include "server/base/error.h"

/* Makes the folder (mode 0700) when it is missing and takes FOLDER/lock; the descriptor holds the lock until it is
 * closed. -1 with ERROR_CONFLICT, which names the holder's process id, when another process has it. */
int data_lock_take(const char *folder, struct error *error);

#endif
