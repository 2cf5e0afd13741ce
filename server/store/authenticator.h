/* Authenticator apps and recovery codes in the store. */
#ifndef STORE_AUTHENTICATOR_H
#define STORE_AUTHENTICATOR_H

#include "server/base/secret.h"
#include "server/store/store.h"

struct store_authenticator {
        int64_t value; /* rid of the sealed secret; 0: there is none */
        int64_t confirmed_at;
        int64_t last_step;
};
/* All zero when the user has none. */
MUST_CHECK bool store_authenticator_find(struct store_db *db, int64_t user, struct store_authenticator *authenticator,
                                         struct error *error);
/* Puts one that is not confirmed in place of any other. */
MUST_CHECK bool store_authenticator_put(struct store_db *db, int64_t user, int64_t value, int64_t now,
                                        struct error *error);
MUST_CHECK bool store_authenticator_confirm(struct store_db *db, int64_t user, int64_t now, struct error *error);
/* Notes that the step's code was used: *is_taken is false when it, or a later one, was before. */
MUST_CHECK bool store_authenticator_take(struct store_db *db, int64_t user, int64_t step, bool *is_taken,
                                         struct error *error);
/* With its recovery codes; *is_deleted tells whether there was one. */
MUST_CHECK bool store_authenticator_delete(struct store_db *db, int64_t user, bool *is_deleted, struct error *error);

MUST_CHECK bool store_recovery_code_add(struct store_db *db, int64_t user, const uint8_t hash[SECRET_HASH_SIZE],
                                        struct error *error);
/* Uses the code up: *is_taken tells whether it was there. */
MUST_CHECK bool store_recovery_code_take(struct store_db *db, int64_t user, const uint8_t hash[SECRET_HASH_SIZE],
                                         bool *is_taken, struct error *error);
MUST_CHECK bool store_recovery_code_clear(struct store_db *db, int64_t user, struct error *error);
MUST_CHECK bool store_recovery_code_count(struct store_db *db, int64_t user, int64_t *count, struct error *error);

#endif
