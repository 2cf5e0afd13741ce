/* Internal to the registry of environments: names and their stable ids in the store. */
#ifndef SERVICES_ENVIRONMENT_IDENTITY_H
#define SERVICES_ENVIRONMENT_IDENTITY_H

#include "server/services/environment_snapshot.h"

/* Gives every environment of `after` whose name is allowed its identity: the one it has in `before` (NULL before the
 * first reading) or in the store, or a new one. Names that are gone give theirs up, so that one which comes back is
 * another environment. Writes only when names have come or gone. */
MUST_CHECK bool environment_identity_assign(struct store *store, const struct environment_snapshot *before,
                                            struct environment_snapshot *after, struct error *error);

#endif
