/* People in the store. */
#ifndef STORE_USER_H
#define STORE_USER_H

#include "server/base/id.h"
#include "server/store/store.h"

/* Owns its strings. */
struct store_user {
        int64_t rid;
        char *id, *name;
        char *password_hash; /* NULL for a person who cannot log in with one */
        bool is_disabled;
        int64_t created_at;
};
void store_user_clear(struct store_user *user);
#define auto_store_user CLEANUP(store_user_clear) struct store_user

/* Adds a person and writes the new id. ERROR_CONFLICT when the name is taken (upper and lower case are alike). */
MUST_CHECK bool store_user_add(struct store_db *db, const char *name, const char *password_hash, int64_t now,
                               char id[ID_SIZE], int64_t *rid, struct error *error);
/* Whether there is anybody at all. */
MUST_CHECK bool store_user_exists(struct store_db *db, bool *exists, struct error *error);
/* ERROR_USER_NOT_FOUND when nobody has the name. */
MUST_CHECK bool store_user_find(struct store_db *db, const char *name, struct store_user *user, struct error *error);
/* ERROR_USER_NOT_FOUND when there is none. */
MUST_CHECK bool store_user_find_rid(struct store_db *db, int64_t rid, struct store_user *user, struct error *error);
/* ERROR_CONFLICT when another has the name. Acts at once. */
MUST_CHECK bool store_user_set_name(struct store_db *db, int64_t rid, const char *name, struct error *error);
/* Calls `each` for everybody, by name; the row is borrowed. */
MUST_CHECK bool store_user_list(struct store_db *db, void (*each)(const struct store_user *user, void *context),
                                void *context, struct error *error);
MUST_CHECK bool store_user_set_password(struct store_db *db, int64_t rid, const char *password_hash,
                                        struct error *error);
/* Acts at once: changes access. */
MUST_CHECK bool store_user_set_disabled(struct store_db *db, int64_t rid, bool is_disabled, struct error *error);
/* Locks the person out for ever and deletes what let them in and what was their own; the row stays as the author of
 * what they did, and its name tells that they are removed. Nobody is found by the name then. Acts at once. */
MUST_CHECK bool store_user_remove(struct store_db *db, int64_t rid, int64_t now, struct error *error);

#endif
