#include "server/store/device.h"

#include "server/store/query.h"

void store_device_clear(struct store_device *device)
{
        free(device->user_code);
        free(device->name);
        free(device->address);
        *device = (struct store_device){0};
}

bool store_device_add(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE], const struct store_device *device,
                      struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_DEVICE_ADD);

        query_blob(&query, hash, SECRET_HASH_SIZE);
        query_text(&query, device->user_code);
        query_text(&query, device->name);
        query_text(&query, device->address);
        query_integer(&query, device->created_at);
        query_integer(&query, device->expires_at);
        query_integer(&query, device->interval_ms);
        return query_run(&query, NULL, error);
}

bool store_device_expire(struct store_db *db, int64_t now, int64_t *left, struct error *error)
{
        auto_query expire = query_begin(db, STATEMENT_DEVICES_EXPIRE), count = query_begin(db, STATEMENT_DEVICES_COUNT);
        bool is_row;

        query_integer(&expire, now);
        if (!query_run(&expire, NULL, error) || !query_next(&count, &is_row, error))
                return false;
        *left = query_column_integer(&count, 0);
        return true;
}

static bool read_one(struct query *query, struct store_device *device, struct error *error)
{
        bool is_row;

        if (!query_next(query, &is_row, error))
                return false;
        if (is_row)
                *device = (struct store_device){.rid = query_column_integer(query, 0),
                                                .user_code = query_column_text(query, 1),
                                                .name = query_column_text(query, 2),
                                                .address = query_column_text(query, 3),
                                                .created_at = query_column_integer(query, 4),
                                                .expires_at = query_column_integer(query, 5),
                                                .interval_ms = query_column_integer(query, 6),
                                                .polled_at = query_column_integer(query, 7),
                                                .user = query_column_integer(query, 8),
                                                .is_denied = query_column_integer(query, 9)};
        return true;
}

bool store_device_find(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE], struct store_device *device,
                       struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_DEVICE_BY_HASH);

        query_blob(&query, hash, SECRET_HASH_SIZE);
        return read_one(&query, device, error);
}

bool store_device_find_code(struct store_db *db, const char *user_code, struct store_device *device,
                            struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_DEVICE_BY_CODE);

        query_text(&query, user_code);
        return read_one(&query, device, error);
}

bool store_device_polled(struct store_db *db, int64_t rid, int64_t now, int64_t interval_ms, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_DEVICE_POLLED);

        query_integer(&query, now);
        query_integer(&query, interval_ms);
        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

bool store_device_allow(struct store_db *db, int64_t rid, int64_t user, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_DEVICE_ALLOW);

        query_integer(&query, user);
        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

static bool run(struct store_db *db, enum statement which, int64_t rid, struct error *error)
{
        auto_query query = query_begin(db, which);

        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

bool store_device_deny(struct store_db *db, int64_t rid, struct error *error)
{
        return run(db, STATEMENT_DEVICE_DENY, rid, error);
}

bool store_device_delete(struct store_db *db, int64_t rid, struct error *error)
{
        return run(db, STATEMENT_DEVICE_DELETE, rid, error);
}
