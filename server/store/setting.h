/* Stored settings: names and values as text, opaque here. */
#ifndef STORE_SETTING_H
#define STORE_SETTING_H

#include "server/store/store.h"

/* Calls `each` for every stored setting, by name. */
MUST_CHECK bool store_setting_list(struct store_db *db,
                                   void (*each)(const char *name, const char *value, void *context), void *context,
                                   struct error *error);
/* Both change access: what people may do can depend on settings. */
MUST_CHECK bool store_setting_put(struct store_db *db, const char *name, const char *value, int64_t now,
                                  struct error *error);
MUST_CHECK bool store_setting_delete(struct store_db *db, const char *name, struct error *error);
/* The sealed value (rid) of a setting that is kept so; 0 for none. */
MUST_CHECK bool store_setting_seal(struct store_db *db, const char *name, int64_t value, struct error *error);
MUST_CHECK bool store_setting_sealed(struct store_db *db, const char *name, int64_t *value, struct error *error);

#endif
