#include "server/store/oauth.h"
#include "server/store/oauth_row.h"

void store_oauth_grant_clear(struct store_oauth_grant *grant)
{
        free(grant->id);
        free(grant->client);
        free(grant->resource);
        free(grant->scope);
        free(grant->user_id);
        free(grant->user_name);
        *grant = (struct store_oauth_grant){0};
}

struct store_oauth_grant store_oauth_grant_row(struct query *query, int column)
{
        return (struct store_oauth_grant){.rid = query_column_integer(query, column),
                                          .id = query_column_text(query, column + 1),
                                          .client = query_column_text(query, column + 2),
                                          .resource = query_column_text(query, column + 3),
                                          .scope = query_column_text(query, column + 4),
                                          .last_used_at = query_column_integer(query, column + 5),
                                          .expires_at = query_column_integer(query, column + 6),
                                          .user = query_column_integer(query, column + 7),
                                          .user_id = query_column_text(query, column + 8),
                                          .user_name = query_column_text(query, column + 9),
                                          .is_user_disabled = query_column_integer(query, column + 10)};
}

static bool forget_expired(struct store_db *db, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_OAUTH_GRANTS_FORGET_EXPIRED);

        query_integer(&query, now);
        return query_run(&query, NULL, error);
}

bool store_oauth_grant_add(struct store_db *db, const struct store_oauth_grant_new *grant, char id[ID_SIZE],
                           int64_t *rid, struct error *error)
{
        if (!forget_expired(db, grant->created_at, error))
                return false;
        auto_query query = query_begin(db, STATEMENT_OAUTH_GRANT_ADD);
        id_new("grant", id);
        query_text(&query, id);
        query_integer(&query, grant->user);
        query_text(&query, grant->client);
        query_text(&query, grant->client_name);
        query_text(&query, grant->redirect_host);
        query_text(&query, grant->resource);
        query_text(&query, grant->scope);
        query_integer(&query, grant->created_at);
        query_integer(&query, grant->expires_at);
        if (!query_run(&query, NULL, error))
                return false;
        *rid = sqlite3_last_insert_rowid(db->connection);
        return true;
}

bool store_oauth_grant_find(struct store_db *db, const char *id, struct store_oauth_grant *grant, bool *is_found,
                            struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_OAUTH_GRANT_BY_ID);

        query_text(&query, id);
        if (!query_next(&query, is_found, error))
                return false;
        if (*is_found)
                *grant = store_oauth_grant_row(&query, 0);
        return true;
}

bool store_oauth_grant_extend(struct store_db *db, int64_t rid, int64_t expires_at, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_OAUTH_GRANT_EXTEND);

        query_integer(&query, expires_at);
        query_integer(&query, now);
        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

bool store_oauth_grant_touch(struct store_db *db, int64_t rid, int64_t now, int64_t interval, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_OAUTH_GRANT_TOUCH);

        query_integer(&query, now);
        query_integer(&query, rid);
        query_integer(&query, interval);
        return query_run(&query, NULL, error);
}

bool store_oauth_grant_end(struct store_db *db, int64_t rid, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_OAUTH_GRANT_END);

        query_integer(&query, rid);
        store_changes_access(db);
        return query_run(&query, NULL, error);
}

bool store_oauth_grants_end(struct store_db *db, int64_t user, const char *client, int *count, struct error *error)
{
        auto_query query = query_begin(db, client ? STATEMENT_OAUTH_GRANTS_END_OF_CLIENT : STATEMENT_OAUTH_GRANTS_END);

        query_integer(&query, user);
        if (client)
                query_text(&query, client);
        store_changes_access(db);
        return query_run(&query, count, error);
}

static void approved_clear(struct store_oauth_approved *approved)
{
        free(approved->client);
        free(approved->name);
        free(approved->redirect_host);
        free(approved->scope);
}
#define auto_approved CLEANUP(approved_clear) struct store_oauth_approved

bool store_oauth_grant_list(struct store_db *db, int64_t user, int64_t now,
                            void (*each)(const struct store_oauth_approved *approved, void *context), void *context,
                            struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_OAUTH_GRANTS_OF_USER);
        bool is_row, is_good;

        query_integer(&query, user);
        query_integer(&query, now);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                auto_approved approved = {.client = query_column_text(&query, 0),
                                          .name = query_column_text(&query, 1),
                                          .redirect_host = query_column_text(&query, 2),
                                          .scope = query_column_text(&query, 3),
                                          .created_at = query_column_integer(&query, 4),
                                          .last_used_at = query_column_integer(&query, 5),
                                          .expires_at = query_column_integer(&query, 6),
                                          .count = query_column_integer(&query, 7)};
                each(&approved, context);
        }
        return is_good;
}
