#include "server/store/oauth.h"

#include <string.h>

#include "server/store/oauth_row.h"

void store_oauth_code_clear(struct store_oauth_code *code)
{
        free(code->challenge);
        free(code->redirect_uri);
        store_oauth_grant_clear(&code->grant);
        *code = (struct store_oauth_code){0};
}

void store_oauth_token_clear(struct store_oauth_token *token)
{
        store_oauth_grant_clear(&token->grant);
        *token = (struct store_oauth_token){0};
}

bool store_oauth_code_add(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE], int64_t grant,
                          const char *challenge, const char *redirect_uri, int64_t expires_at, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_OAUTH_CODE_ADD);

        query_blob(&query, hash, SECRET_HASH_SIZE);
        query_integer(&query, grant);
        query_text(&query, challenge);
        query_text(&query, redirect_uri);
        query_integer(&query, expires_at);
        return query_run(&query, NULL, error);
}

bool store_oauth_code_find(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE], struct store_oauth_code *code,
                           bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_OAUTH_CODE_BY_HASH);

        query_blob(&query, hash, SECRET_HASH_SIZE);
        if (!query_next(&query, is_found, error))
                return false;
        if (*is_found)
                *code = (struct store_oauth_code){.challenge = query_column_text(&query, 0),
                                                  .redirect_uri = query_column_text(&query, 1),
                                                  .expires_at = query_column_integer(&query, 2),
                                                  .used_at = query_column_integer(&query, 3),
                                                  .grant = store_oauth_grant_row(&query, 4)};
        return true;
}

bool store_oauth_code_use(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE], int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_OAUTH_CODE_USE);

        query_integer(&query, now);
        query_blob(&query, hash, SECRET_HASH_SIZE);
        return query_run(&query, NULL, error);
}

bool store_oauth_token_add(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE], int64_t grant, bool is_refresh,
                           int64_t expires_at, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_OAUTH_TOKEN_ADD);

        query_blob(&query, hash, SECRET_HASH_SIZE);
        query_integer(&query, grant);
        query_integer(&query, is_refresh);
        query_integer(&query, expires_at);
        return query_run(&query, NULL, error);
}

static void read_salt(struct query *query, int column, struct store_oauth_token *token)
{
        size_t length;
        auto_free uint8_t *salt = query_column_blob(query, column, &length);

        token->has_salt = salt && length == STORE_OAUTH_SALT_SIZE;
        if (token->has_salt)
                memcpy(token->salt, salt, STORE_OAUTH_SALT_SIZE);
}

bool store_oauth_token_find(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE], struct store_oauth_token *token,
                            bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_OAUTH_TOKEN_BY_HASH);

        query_blob(&query, hash, SECRET_HASH_SIZE);
        if (!query_next(&query, is_found, error))
                return false;
        if (!*is_found)
                return true;
        *token = (struct store_oauth_token){.rid = query_column_integer(&query, 0),
                                            .is_refresh = query_column_integer(&query, 1),
                                            .expires_at = query_column_integer(&query, 2),
                                            .replaced_at = query_column_integer(&query, 3),
                                            .grant = store_oauth_grant_row(&query, 5)};
        read_salt(&query, 4, token);
        return true;
}

static bool forget_of_grant(struct store_db *db, int64_t grant, int64_t now, struct error *error)
{
        auto_query salts = query_begin(db, STATEMENT_OAUTH_SALTS_FORGET);
        auto_query expired = query_begin(db, STATEMENT_OAUTH_TOKENS_FORGET_EXPIRED);

        query_integer(&salts, grant);
        query_integer(&expired, grant);
        query_integer(&expired, now);
        return query_run(&salts, NULL, error) && query_run(&expired, NULL, error);
}

bool store_oauth_token_replace(struct store_db *db, const struct store_oauth_token *token,
                               const uint8_t salt[STORE_OAUTH_SALT_SIZE], int64_t now, struct error *error)
{
        if (!forget_of_grant(db, token->grant.rid, now, error))
                return false;
        auto_query query = query_begin(db, STATEMENT_OAUTH_TOKEN_REPLACE);
        query_integer(&query, now);
        query_blob(&query, salt, STORE_OAUTH_SALT_SIZE);
        query_integer(&query, token->rid);
        return query_run(&query, NULL, error);
}

bool store_oauth_token_end(struct store_db *db, int64_t rid, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_OAUTH_TOKEN_END);

        query_integer(&query, rid);
        store_changes_access(db);
        return query_run(&query, NULL, error);
}
