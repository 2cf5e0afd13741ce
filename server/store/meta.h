/* What the store knows of itself. */
#ifndef STORE_META_H
#define STORE_META_H

#include "server/store/store.h"

/* The id of this store, made at first use: it labels the containers that belong to it. The caller frees it; NULL on
 * error. */
char *store_server_id(struct store *store, struct error *error);

#endif
