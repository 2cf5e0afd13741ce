#include "server/store/authenticator.h"

#include "server/store/query.h"

bool store_authenticator_find(struct store_db *db, int64_t user, struct store_authenticator *authenticator,
                              struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_AUTHENTICATOR_OF);
        bool is_row;

        query_integer(&query, user);
        if (!query_next(&query, &is_row, error))
                return false;
        *authenticator = (struct store_authenticator){0};
        if (is_row)
                *authenticator = (struct store_authenticator){.value = query_column_integer(&query, 0),
                                                              .confirmed_at = query_column_integer(&query, 1),
                                                              .last_step = query_column_integer(&query, 2)};
        return true;
}

bool store_authenticator_put(struct store_db *db, int64_t user, int64_t value, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_AUTHENTICATOR_PUT);

        query_integer(&query, user);
        query_integer(&query, value);
        query_integer(&query, now);
        return query_run(&query, NULL, error);
}

bool store_authenticator_confirm(struct store_db *db, int64_t user, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_AUTHENTICATOR_CONFIRM);

        query_integer(&query, now);
        query_integer(&query, user);
        return query_run(&query, NULL, error);
}

bool store_authenticator_take(struct store_db *db, int64_t user, int64_t step, bool *is_taken, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_AUTHENTICATOR_TAKE_STEP);
        int changed = 0;

        query_integer(&query, step);
        query_integer(&query, user);
        if (!query_run(&query, &changed, error))
                return false;
        *is_taken = changed > 0;
        return true;
}

bool store_authenticator_delete(struct store_db *db, int64_t user, bool *is_deleted, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_AUTHENTICATOR_DELETE);
        int changed = 0;

        query_integer(&query, user);
        if (!query_run(&query, &changed, error) || !store_recovery_code_clear(db, user, error))
                return false;
        *is_deleted = changed > 0;
        return true;
}

bool store_recovery_code_add(struct store_db *db, int64_t user, const uint8_t hash[SECRET_HASH_SIZE],
                             struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_RECOVERY_CODE_ADD);

        query_integer(&query, user);
        query_blob(&query, hash, SECRET_HASH_SIZE);
        return query_run(&query, NULL, error);
}

bool store_recovery_code_take(struct store_db *db, int64_t user, const uint8_t hash[SECRET_HASH_SIZE], bool *is_taken,
                              struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_RECOVERY_CODE_TAKE);
        int changed = 0;

        query_integer(&query, user);
        query_blob(&query, hash, SECRET_HASH_SIZE);
        if (!query_run(&query, &changed, error))
                return false;
        *is_taken = changed > 0;
        return true;
}

bool store_recovery_code_clear(struct store_db *db, int64_t user, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_RECOVERY_CODES_DELETE);

        query_integer(&query, user);
        return query_run(&query, NULL, error);
}

bool store_recovery_code_count(struct store_db *db, int64_t user, int64_t *count, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_RECOVERY_CODES_COUNT);
        bool is_row;

        query_integer(&query, user);
        if (!query_next(&query, &is_row, error))
                return false;
        *count = query_column_integer(&query, 0);
        return true;
}
