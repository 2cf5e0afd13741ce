/* The calling thread's own reader connection, opened at first use and closed when the thread ends. */
#ifndef SERVICES_READER_H
#define SERVICES_READER_H

#include "server/services/services.h"

/* NULL on error. Not for the writer thread. */
struct store_db *services_reader(const struct services *services, struct error *error);
/* Closes the calling thread's reader now, for a thread that outlives the store. */
void services_reader_close(void);

#endif
