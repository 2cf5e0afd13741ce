/* API keys in the store. Only hashes are kept. */
#ifndef STORE_KEY_H
#define STORE_KEY_H

#include "server/base/id.h"
#include "server/base/secret.h"
#include "server/store/store.h"

/* A key and its person. Owns its strings. Times are ms since the epoch, 0 for none. */
struct store_key {
        int64_t rid;
        char *id, *name, *hint;
        int64_t created_at, expires_at, last_used_at, revoked_at;
        int64_t user;
        char *user_id, *user_name;
        char *toolsets; /* names with commas between them; NULL: not limited */
        bool is_user_disabled;
};
void store_key_clear(struct store_key *key);
#define auto_store_key CLEANUP(store_key_clear) struct store_key

/* Borrowed. */
struct store_key_new {
        const uint8_t *hash; /* SECRET_HASH_SIZE bytes */
        int64_t user;
        const char *name, *hint;
        int64_t created_at, expires_at; /* expires_at: 0 for never */
        const char *toolsets;           /* NULL: not limited */
};
MUST_CHECK bool store_key_add(struct store_db *db, const struct store_key_new *key, char id[ID_SIZE],
                              struct error *error);
/* Revoked and expired keys are found too. */
MUST_CHECK bool store_key_find(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE], struct store_key *key,
                               bool *is_found, struct error *error);
/* ERROR_KEY_NOT_FOUND when there is none. */
MUST_CHECK bool store_key_find_id(struct store_db *db, const char *id, struct store_key *key, struct error *error);
/* Calls `each` for every key of the user (0: of everybody), oldest first; the row is borrowed. */
MUST_CHECK bool store_key_list(struct store_db *db, int64_t user,
                               void (*each)(const struct store_key *key, void *context), void *context,
                               struct error *error);
/* Acts at once. A key that is revoked already keeps its time. */
MUST_CHECK bool store_key_revoke(struct store_db *db, int64_t rid, int64_t now, struct error *error);
/* Notes a use, at most once per `interval` ms of each key. */
MUST_CHECK bool store_key_touch(struct store_db *db, int64_t rid, int64_t now, int64_t interval, struct error *error);

#endif
