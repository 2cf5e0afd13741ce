/* Settings whose values are secrets (rows of the format "password"): a stored one is sealed under the key file, and
 * none is ever shown. In the settings' snapshot a stored one reads SETTING_SEALED; setting_secret gives the value. */
#ifndef SERVICES_SETTING_SECRET_H
#define SERVICES_SETTING_SECRET_H

#include "server/base/field.h"
#include "server/services/services.h"

/* What stands for a stored secret, and for one from the environment, config.json or a flag. */
#define SETTING_SEALED "(sealed)"
#define SETTING_HIDDEN "(hidden)"

bool setting_is_secret(const struct field *row);
/* Seals the value (NULL: removes it) in a piece of work; seal_prepare goes before. */
MUST_CHECK bool setting_secret_put(struct call *call, const struct field *row, const char *value, struct error *error);
/* The value in force, given what the snapshot has: a copy, which seal_free takes. NULL with ERROR_UNAVAILABLE when it
 * cannot be unsealed. Reads. */
char *setting_secret(const struct services *services, struct store_db *db, const char *name, const char *in_snapshot,
                     struct error *error);

#endif
