/* Every managed value of this server: git credentials, provider accounts, secrets of environments and people, and what
 * tasks were given before it was replaced or removed.
 *
 * The values are unsealed once for every change of the store's access and of the credentials file, and shared by all
 * answers until the next; they never leave the process. */
#ifndef SERVICES_MANAGED_VALUES_H
#define SERVICES_MANAGED_VALUES_H

#include "server/services/services.h"
#include "server/services/value_set.h"

struct managed_values;

/* A reference to the present values, read through `db` when they have changed; release it. NULL with ERROR_UNAVAILABLE
 * and {reason: "secret_values_unavailable"} when they cannot be told: nothing may leave the server then. */
const struct managed_values *managed_values_take(const struct services *services, struct store_db *db,
                                                 struct error *error);
void managed_values_release(const struct managed_values *values);
const struct value_set *managed_values_set(const struct managed_values *values);

#endif
