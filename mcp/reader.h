/* A store reader for each thread of the worker pool. */
#ifndef MCP_READER_H
#define MCP_READER_H

#include "server/store/store.h"

/* The calling thread's reader, opened at its first use and closed when the thread ends: end the pool before the store.
 * A thread works for one store only. NULL on error. */
struct store_db *reader_of_thread(struct store *store, struct error *error);

#endif
