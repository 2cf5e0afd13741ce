#include "server/store/user.h"

#include "server/store/query.h"

void store_user_clear(struct store_user *user)
{
        free(user->id);
        free(user->name);
        free(user->password_hash);
        *user = (struct store_user){0};
}

static struct store_user read_row(struct query *query)
{
        return (struct store_user){.rid = query_column_integer(query, 0),
                                   .id = query_column_text(query, 1),
                                   .name = query_column_text(query, 2),
                                   .password_hash = query_column_text(query, 3),
                                   .is_disabled = query_column_integer(query, 4),
                                   .created_at = query_column_integer(query, 5)};
}

static bool find(struct store_db *db, const char *name, struct store_user *user, bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_USER_BY_NAME);

        query_text(&query, name);
        if (!query_next(&query, is_found, error))
                return false;
        if (*is_found)
                *user = read_row(&query);
        return true;
}

bool store_user_find(struct store_db *db, const char *name, struct store_user *user, struct error *error)
{
        bool is_found;

        if (!find(db, name, user, &is_found, error))
                return false;
        return is_found || error_set(error, ERROR_USER_NOT_FOUND, "there is no user %.100s", name);
}

bool store_user_exists(struct store_db *db, bool *exists, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_USER_ANY);
        bool is_row;

        if (!query_next(&query, &is_row, error))
                return false;
        *exists = query_column_integer(&query, 0);
        return true;
}

bool store_user_find_rid(struct store_db *db, int64_t rid, struct store_user *user, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_USER_BY_RID);
        bool is_found;

        query_integer(&query, rid);
        if (!query_next(&query, &is_found, error))
                return false;
        if (!is_found)
                return error_set(error, ERROR_USER_NOT_FOUND, NULL);
        *user = read_row(&query);
        return true;
}

bool store_user_set_name(struct store_db *db, int64_t rid, const char *name, struct error *error)
{
        auto_store_user same = {0};
        bool is_taken;

        if (!find(db, name, &same, &is_taken, error))
                return false;
        if (is_taken && same.rid != rid)
                return error_set(error, ERROR_CONFLICT, "there is a user %s already", same.name);
        auto_query query = query_begin(db, STATEMENT_USER_SET_NAME);
        query_text(&query, name);
        query_integer(&query, rid);
        store_changes_access(db);
        return query_run(&query, NULL, error);
}

bool store_user_add(struct store_db *db, const char *name, const char *password_hash, int64_t now, char id[ID_SIZE],
                    int64_t *rid, struct error *error)
{
        auto_store_user same = {0};
        bool is_taken;

        if (!find(db, name, &same, &is_taken, error))
                return false;
        if (is_taken)
                return error_set(error, ERROR_CONFLICT, "there is a user %s already", same.name);
        id_new("user", id);
        auto_query query = query_begin(db, STATEMENT_USER_ADD);
        query_text(&query, id);
        query_text(&query, name);
        query_text(&query, password_hash);
        query_integer(&query, now);
        if (!query_run(&query, NULL, error))
                return false;
        *rid = sqlite3_last_insert_rowid(db->connection);
        return true;
}

bool store_user_list(struct store_db *db, void (*each)(const struct store_user *user, void *context), void *context,
                     struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_USERS_ALL);
        bool is_row, is_good;

        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                auto_store_user user = read_row(&query);
                each(&user, context);
        }
        return is_good;
}

bool store_user_set_password(struct store_db *db, int64_t rid, const char *password_hash, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_USER_SET_PASSWORD);

        query_text(&query, password_hash);
        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

bool store_user_set_disabled(struct store_db *db, int64_t rid, bool is_disabled, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_USER_SET_DISABLED);

        query_integer(&query, is_disabled);
        query_integer(&query, rid);
        store_changes_access(db);
        return query_run(&query, NULL, error);
}

bool store_user_remove(struct store_db *db, int64_t rid, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_USER_REMOVE);

        query_integer(&query, now);
        query_integer(&query, rid);
        store_changes_access(db);
        return query_run(&query, NULL, error);
}
