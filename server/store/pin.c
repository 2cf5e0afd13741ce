#include "server/store/pin.h"

#include "server/store/query.h"

static bool read_version(struct store_db *db, int64_t user, int64_t task, int64_t *version, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_PIN_VERSION);
        bool is_row;

        query_integer(&query, user);
        query_integer(&query, task);
        if (!query_next(&query, &is_row, error))
                return false;
        *version = is_row ? query_column_integer(&query, 0) : 0;
        return true;
}

bool store_pin_put(struct store_db *db, int64_t user, int64_t task, bool is_pinned, int64_t snoozed_until,
                   int64_t *version, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_PIN_PUT);

        query_integer(&query, user);
        query_integer(&query, task);
        query_integer(&query, is_pinned);
        query_optional(&query, snoozed_until);
        return query_run(&query, NULL, error) && read_version(db, user, task, version, error);
}

bool store_user_auto_pin(struct store_db *db, int64_t user, bool *is_auto_pinning, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_USER_AUTO_PIN);
        bool is_row;

        query_integer(&query, user);
        if (!query_next(&query, &is_row, error))
                return false;
        *is_auto_pinning = is_row && query_column_integer(&query, 0);
        return true;
}

bool store_user_set_auto_pin(struct store_db *db, int64_t user, bool is_auto_pinning, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_USER_SET_AUTO_PIN);

        query_integer(&query, is_auto_pinning);
        query_integer(&query, user);
        return query_run(&query, NULL, error);
}
