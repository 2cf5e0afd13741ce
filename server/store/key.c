#include "server/store/key.h"

#include "server/store/query.h"

void store_key_clear(struct store_key *key)
{
        char *strings[] = {key->id, key->name, key->hint, key->user_id, key->user_name, key->toolsets};

        for (size_t i = 0; i < COUNT_OF(strings); i++)
                free(strings[i]);
        *key = (struct store_key){0};
}

static struct store_key read_row(struct query *query)
{
        return (struct store_key){.rid = query_column_integer(query, 0),
                                  .id = query_column_text(query, 1),
                                  .name = query_column_text(query, 2),
                                  .hint = query_column_text(query, 3),
                                  .created_at = query_column_integer(query, 4),
                                  .expires_at = query_column_integer(query, 5),
                                  .last_used_at = query_column_integer(query, 6),
                                  .revoked_at = query_column_integer(query, 7),
                                  .user = query_column_integer(query, 8),
                                  .user_id = query_column_text(query, 9),
                                  .user_name = query_column_text(query, 10),
                                  .is_user_disabled = query_column_integer(query, 11),
                                  .toolsets = query_column_text(query, 12)};
}

bool store_key_add(struct store_db *db, const struct store_key_new *key, char id[ID_SIZE], struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_KEY_ADD);

        id_new("key", id);
        query_text(&query, id);
        query_blob(&query, key->hash, SECRET_HASH_SIZE);
        query_integer(&query, key->user);
        query_text(&query, key->name);
        query_text(&query, key->hint);
        query_integer(&query, key->created_at);
        query_optional(&query, key->expires_at);
        query_text(&query, key->toolsets);
        return query_run(&query, NULL, error);
}

static bool read_one(struct query *query, struct store_key *key, bool *is_found, struct error *error)
{
        if (!query_next(query, is_found, error))
                return false;
        if (*is_found)
                *key = read_row(query);
        return true;
}

bool store_key_find(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE], struct store_key *key, bool *is_found,
                    struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_KEY_BY_HASH);

        query_blob(&query, hash, SECRET_HASH_SIZE);
        return read_one(&query, key, is_found, error);
}

bool store_key_find_id(struct store_db *db, const char *id, struct store_key *key, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_KEY_BY_ID);
        bool is_found;

        query_text(&query, id);
        if (!read_one(&query, key, &is_found, error))
                return false;
        return is_found || error_set(error, ERROR_KEY_NOT_FOUND, "there is no API key %.100s", id);
}

bool store_key_list(struct store_db *db, int64_t user, void (*each)(const struct store_key *key, void *context),
                    void *context, struct error *error)
{
        auto_query query = query_begin(db, user ? STATEMENT_KEYS_OF_USER : STATEMENT_KEYS_ALL);
        bool is_row, is_good;

        if (user)
                query_integer(&query, user);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                auto_store_key key = read_row(&query);
                each(&key, context);
        }
        return is_good;
}

bool store_key_revoke(struct store_db *db, int64_t rid, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_KEY_REVOKE);

        query_integer(&query, now);
        query_integer(&query, rid);
        store_changes_access(db);
        return query_run(&query, NULL, error);
}

bool store_key_touch(struct store_db *db, int64_t rid, int64_t now, int64_t interval, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_KEY_TOUCH);

        query_integer(&query, now);
        query_integer(&query, rid);
        query_integer(&query, interval);
        return query_run(&query, NULL, error);
}
