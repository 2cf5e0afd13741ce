/* What the store knows of itself. */
#ifndef STORE_META_H
#define STORE_META_H

#include "server/store/store.h"

/* The id of this store, made at first use: it labels the containers that belong to it. The caller frees it; NULL on
 * error. */
char *store_server_id(struct store *store, struct error *error);

/* What a restored store was made from. */
struct store_origin {
        char *server_id;   /* the id that it had, NULL for a store that was never restored, or never ran */
        bool is_unsettled; /* turns that were open in the backup are still to be ended */
};
void store_origin_clear(struct store_origin *origin);
#define auto_store_origin CLEANUP(store_origin_clear) struct store_origin

/* Makes a copy a store of its own: it gets another id, knows no container of the original's, and its queues of
 * follow-ups deliver nothing until somebody resumes them, for the original delivers them too. The open turns are left
 * to the first start. *old_id (NULL when it had none) is the caller's. */
MUST_CHECK bool store_become_copy(struct store *store, char **old_id, struct error *error);
MUST_CHECK bool store_origin_read(struct store_db *db, struct store_origin *origin, struct error *error);
/* Within a piece of work: the turns that were open in the backup have ended. */
MUST_CHECK bool store_origin_settle(struct store_db *db, struct error *error);

#endif
