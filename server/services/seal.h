/* The key file and what is sealed under it.
 *
 * DATA/key holds 32 random bytes, readable by the server alone; it is made when the first value is sealed. A store with
 * sealed values and without its key is an error that names the file: nothing is sealed under another key then. */
#ifndef SERVICES_SEAL_H
#define SERVICES_SEAL_H

#include "server/base/secret.h"
#include "server/services/services.h"

#define SEAL_VALUE_MAXIMUM 32768
#define SEAL_KEY_NAME "key"

/* Before the piece of work that seals: makes the key when there is none and nothing is sealed. ERROR_UNAVAILABLE names
 * the file that is missing or broken. */
MUST_CHECK bool seal_prepare(const struct services *services, struct store_db *db, struct error *error);
/* The key; ERROR_UNAVAILABLE with {reason: "secret_values_unavailable"} when it cannot be read. Wipe it after use. */
MUST_CHECK bool seal_key(const struct services *services, uint8_t key[SECRET_SEAL_KEY_SIZE], struct error *error);

/* Opens every sealed value; *count gets how many there are. Fails as seal_key does. */
MUST_CHECK bool seal_check(const struct services *services, struct store_db *db, int64_t *count, struct error *error);

/* Seals a value of at most SEAL_VALUE_MAXIMUM bytes for `origin` and adds it to the store. In a piece of work. */
MUST_CHECK bool seal_add(const struct services *services, struct store_db *db, const char *origin, const char *value,
                         int64_t *rid, struct error *error);
/* Unseals a row's bytes; NULL with an error as that of seal_key for a changed row or another key. The caller wipes and
 * frees the string (seal_free). */
struct store_value;
char *seal_open(const uint8_t key[SECRET_SEAL_KEY_SIZE], const struct store_value *value, struct error *error);
/* The value with that rid, which must have been sealed for `origin`. */
char *seal_read(const struct services *services, struct store_db *db, int64_t rid, const char *origin,
                struct error *error);
/* Overwrites and frees; NULL is fine. */
void seal_free(char *value);

#endif
