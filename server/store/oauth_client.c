#include "server/store/oauth.h"

#include <string.h>

#include "server/store/query.h"

void store_oauth_client_clear(struct store_oauth_client *client)
{
        free(client->id);
        free(client->name);
        free(client->redirect_uris);
        free(client->auth_method);
        *client = (struct store_oauth_client){0};
}

static bool forget_unused(struct store_db *db, int64_t before, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_OAUTH_CLIENTS_FORGET_UNUSED);

        query_integer(&query, before);
        return query_run(&query, NULL, error);
}

static bool count_unused(struct store_db *db, int64_t *count, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_OAUTH_CLIENTS_COUNT_UNUSED);
        bool is_row;

        if (!query_next(&query, &is_row, error))
                return false;
        *count = query_column_integer(&query, 0);
        return true;
}

static bool make_room(struct store_db *db, int64_t maximum, struct error *error)
{
        int64_t count;

        if (!count_unused(db, &count, error))
                return false;
        for (; count >= maximum; count--) {
                auto_query query = query_begin(db, STATEMENT_OAUTH_CLIENTS_CROWD_OUT);
                if (!query_run(&query, NULL, error))
                        return false;
        }
        return true;
}

bool store_oauth_client_add(struct store_db *db, const struct store_oauth_client_new *client, int64_t forget_before,
                            int64_t unused_maximum, char id[ID_SIZE], struct error *error)
{
        if (!forget_unused(db, forget_before, error) || !make_room(db, unused_maximum, error))
                return false;
        auto_query query = query_begin(db, STATEMENT_OAUTH_CLIENT_ADD);
        id_new("client", id);
        query_text(&query, id);
        query_text(&query, client->name);
        query_text(&query, client->redirect_uris);
        query_text(&query, client->auth_method);
        if (client->secret_hash)
                query_blob(&query, client->secret_hash, SECRET_HASH_SIZE);
        else
                query_text(&query, NULL);
        query_text(&query, client->source);
        query_integer(&query, client->created_at);
        return query_run(&query, NULL, error);
}

static void read_secret(struct query *query, int column, struct store_oauth_client *client)
{
        size_t length;
        auto_free uint8_t *hash = query_column_blob(query, column, &length);

        client->has_secret = hash && length == SECRET_HASH_SIZE;
        if (client->has_secret)
                memcpy(client->secret_hash, hash, SECRET_HASH_SIZE);
}

bool store_oauth_client_find(struct store_db *db, const char *id, struct store_oauth_client *client, bool *is_found,
                             struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_OAUTH_CLIENT_BY_ID);

        query_text(&query, id);
        if (!query_next(&query, is_found, error))
                return false;
        if (!*is_found)
                return true;
        *client = (struct store_oauth_client){.rid = query_column_integer(&query, 0),
                                              .id = query_column_text(&query, 1),
                                              .name = query_column_text(&query, 2),
                                              .redirect_uris = query_column_text(&query, 3),
                                              .auth_method = query_column_text(&query, 4),
                                              .created_at = query_column_integer(&query, 6),
                                              .used_at = query_column_integer(&query, 7)};
        read_secret(&query, 5, client);
        return true;
}

bool store_oauth_client_use(struct store_db *db, const char *id, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_OAUTH_CLIENT_USE);

        query_integer(&query, now);
        query_text(&query, id);
        return query_run(&query, NULL, error);
}
