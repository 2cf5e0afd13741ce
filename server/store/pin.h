/* Pins and snoozes in the store: each person's own list. */
#ifndef STORE_PIN_H
#define STORE_PIN_H

#include "server/store/store.h"

/* Writes what the user's list says of a task; *version gets that of the pin, which grows with every change of it and
 * never goes down (nothing is written when there is no change). snoozed_until is 0 for awake. */
MUST_CHECK bool store_pin_put(struct store_db *db, int64_t user, int64_t task, bool is_pinned, int64_t snoozed_until,
                              int64_t *version, struct error *error);
/* Whether what the user creates is pinned for the user. */
MUST_CHECK bool store_user_auto_pin(struct store_db *db, int64_t user, bool *is_auto_pinning, struct error *error);
MUST_CHECK bool store_user_set_auto_pin(struct store_db *db, int64_t user, bool is_auto_pinning, struct error *error);

#endif
