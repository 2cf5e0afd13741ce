/* The audit table: append-only, which the schema's triggers enforce. */
#ifndef STORE_AUDIT_H
#define STORE_AUDIT_H

#include "server/store/store.h"

/* Borrowed strings; NULL where there is none. */
struct store_audit {
        int64_t rid; /* only in lists */
        int64_t at, user;
        const char *user_name, *credential, *credential_id, *task_id;
        const char *action, *target;
        const char *details; /* a JSON object, opaque here */
};
MUST_CHECK bool store_audit_add(struct store_db *db, const struct store_audit *entry, struct error *error);
/* Calls `each` for the newest `limit` entries with a rid below `before`, newest first; the entry is borrowed and its
 * `user` is not read. */
MUST_CHECK bool store_audit_list(struct store_db *db, int64_t before, int64_t limit,
                                 void (*each)(const struct store_audit *entry, void *context), void *context,
                                 struct error *error);

#endif
