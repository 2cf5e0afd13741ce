/* Devices that wait for a person (RFC 8628) in the store. Only hashes of device codes are kept. */
#ifndef STORE_DEVICE_H
#define STORE_DEVICE_H

#include "server/base/secret.h"
#include "server/store/store.h"

/* Owns its strings. Times are ms since the epoch. */
struct store_device {
        int64_t rid; /* 0: there is none */
        char *user_code, *name, *address;
        int64_t created_at, expires_at, interval_ms;
        int64_t polled_at; /* 0: not yet */
        int64_t user;      /* who allowed it; 0: nobody yet */
        bool is_denied;
};
void store_device_clear(struct store_device *device);
#define auto_store_device CLEANUP(store_device_clear) struct store_device

/* Adds one; `device` is borrowed, its rid and what is not known yet do not count. */
MUST_CHECK bool store_device_add(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE],
                                 const struct store_device *device, struct error *error);
/* Deletes those that have expired, and tells how many are left. */
MUST_CHECK bool store_device_expire(struct store_db *db, int64_t now, int64_t *left, struct error *error);
/* An expired one may be found too. */
MUST_CHECK bool store_device_find(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE],
                                  struct store_device *device, struct error *error);
MUST_CHECK bool store_device_find_code(struct store_db *db, const char *user_code, struct store_device *device,
                                       struct error *error);
MUST_CHECK bool store_device_polled(struct store_db *db, int64_t rid, int64_t now, int64_t interval_ms,
                                    struct error *error);
MUST_CHECK bool store_device_allow(struct store_db *db, int64_t rid, int64_t user, struct error *error);
MUST_CHECK bool store_device_deny(struct store_db *db, int64_t rid, struct error *error);
MUST_CHECK bool store_device_delete(struct store_db *db, int64_t rid, struct error *error);

#endif
