/* Who a subject of an OpenID provider is here. */
#ifndef STORE_IDENTITY_H
#define STORE_IDENTITY_H

#include "server/store/store.h"

struct store_identity {
        char *issuer, *subject;
        int64_t created_at;
};

/* The rid of the user, 0 for nobody. */
MUST_CHECK bool store_identity_find(struct store_db *db, const char *issuer, const char *subject, int64_t *user,
                                    struct error *error);
MUST_CHECK bool store_identity_add(struct store_db *db, const char *issuer, const char *subject, int64_t user,
                                   int64_t now, struct error *error);
MUST_CHECK bool store_identity_remove(struct store_db *db, const char *issuer, const char *subject, int64_t user,
                                      bool *is_removed, struct error *error);
/* Calls `each` for every identity of the user; the row is borrowed. */
MUST_CHECK bool store_identity_list(struct store_db *db, int64_t user,
                                    void (*each)(const struct store_identity *identity, void *context), void *context,
                                    struct error *error);

#endif
