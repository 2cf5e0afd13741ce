/* Files that people sent ahead, in the store. What has expired is not found, though it may not be removed yet. */
#ifndef STORE_UPLOADED_H
#define STORE_UPLOADED_H

#include "server/base/id.h"
#include "server/store/store.h"

/* Owns its strings. Times are ms since the epoch. */
struct store_uploaded {
        char *id, *filename;
        int64_t size; /* bytes */
        int64_t created_at, expires_at;
};
void store_uploaded_clear(struct store_uploaded *uploaded);
#define auto_store_uploaded CLEANUP(store_uploaded_clear) struct store_uploaded

MUST_CHECK bool store_uploaded_add(struct store_db *db, int64_t user, const struct store_uploaded *uploaded,
                                   struct error *error);
/* One of the user's. */
MUST_CHECK bool store_uploaded_find(struct store_db *db, const char *id, int64_t user, int64_t now,
                                    struct store_uploaded *uploaded, bool *is_found, struct error *error);
/* Calls `each` with every one of the user's, by id. */
MUST_CHECK bool store_uploaded_list(struct store_db *db, int64_t user, int64_t now,
                                    void (*each)(const struct store_uploaded *uploaded, void *context), void *context,
                                    struct error *error);
/* How many the user has, and their bytes together. */
MUST_CHECK bool store_uploaded_sum(struct store_db *db, int64_t user, int64_t now, int64_t *count, int64_t *bytes,
                                   struct error *error);
/* Removes one of the user's; *is_taken says whether it was there. */
MUST_CHECK bool store_uploaded_take(struct store_db *db, const char *id, int64_t user, int64_t now, bool *is_taken,
                                    struct error *error);
/* One that has expired, of anybody. */
MUST_CHECK bool store_uploaded_find_expired(struct store_db *db, int64_t now, char id[ID_SIZE], bool *is_found,
                                            struct error *error);
/* Removes it, unless somebody was quicker. */
MUST_CHECK bool store_uploaded_expire(struct store_db *db, const char *id, int64_t now, struct error *error);
/* Whether there is a row of that id, expired or not. */
MUST_CHECK bool store_uploaded_is_there(struct store_db *db, const char *id, bool *is_there, struct error *error);

#endif
