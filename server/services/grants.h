/* What a person may do, resolved from bindings. */
#ifndef SERVICES_GRANTS_H
#define SERVICES_GRANTS_H

#include "server/services/access.h"

/* Reads the bindings of the user and of the user's teams. The caller frees the result; NULL on error. */
struct grants *grants_resolve(struct store_db *db, int64_t user, struct error *error);
/* A heap copy. */
struct grants *grants_copy(const struct grants *grants);

#endif
