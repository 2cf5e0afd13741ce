/* Rows that stand for nothing that anybody uses any more: clients that registered themselves and of which nobody has a
 * grant, and review requests and review loops that have ended, of tasks that are gone or ended long ago. What the
 * environment asks to be reviewed comes to be once for a task, so that its row stays as long as the task. */
#ifndef STORE_UNUSED_H
#define STORE_UNUSED_H

#include "server/base/id.h"
#include "server/store/store.h"

enum store_unused_kind { STORE_UNUSED_CLIENT, STORE_UNUSED_REQUEST, STORE_UNUSED_LOOP, STORE_UNUSED_KIND_COUNT };

struct store_unused {
        int64_t rid;
        char *id, *task_id; /* task_id: NULL where it is not of one task */
};
void store_unused_clear(struct store_unused *unused);

/* Tells each of the kind that has been unused since `before` (ms); borrowed. */
MUST_CHECK bool store_unused_each(struct store_db *db, enum store_unused_kind kind, int64_t before,
                                  void (*told)(const struct store_unused *unused, void *context), void *context,
                                  struct error *error);
/* Deletes at most `maximum` of them; *count says how many. */
MUST_CHECK bool store_unused_delete(struct store_db *db, enum store_unused_kind kind, int64_t before, int maximum,
                                    int *count, struct error *error);

#endif
