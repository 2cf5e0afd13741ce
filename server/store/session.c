#include "server/store/session.h"

#include "server/store/query.h"

void store_session_clear(struct store_session *session)
{
        free(session->id);
        free(session->user_id);
        free(session->user_name);
        *session = (struct store_session){0};
}

static bool read_one(struct query *query, struct store_session *session, bool *is_found, struct error *error)
{
        if (!query_next(query, is_found, error))
                return false;
        if (*is_found)
                *session = (struct store_session){.rid = query_column_integer(query, 0),
                                                  .id = query_column_text(query, 1),
                                                  .expires_at = query_column_integer(query, 2),
                                                  .last_used_at = query_column_integer(query, 3),
                                                  .user = query_column_integer(query, 4),
                                                  .user_id = query_column_text(query, 5),
                                                  .user_name = query_column_text(query, 6),
                                                  .is_user_disabled = query_column_integer(query, 7),
                                                  .signed_in_at = query_column_integer(query, 8),
                                                  .is_sso = query_column_integer(query, 9)};
        return true;
}

static bool forget_expired(struct store_db *db, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SESSIONS_END_EXPIRED);

        query_integer(&query, now);
        return query_run(&query, NULL, error);
}

bool store_session_add(struct store_db *db, const struct store_session_new *session, char id[ID_SIZE],
                       struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SESSION_ADD);

        id_new("session", id);
        query_text(&query, id);
        query_blob(&query, session->hash, SECRET_HASH_SIZE);
        query_integer(&query, session->user);
        query_integer(&query, session->now);
        query_integer(&query, session->expires_at);
        query_integer(&query, session->signed_in_at);
        query_integer(&query, session->is_sso);
        return query_run(&query, NULL, error) && forget_expired(db, session->now, error);
}

bool store_session_find(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE], struct store_session *session,
                        bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SESSION_BY_HASH);

        query_blob(&query, hash, SECRET_HASH_SIZE);
        return read_one(&query, session, is_found, error);
}

bool store_session_find_id(struct store_db *db, const char *id, struct store_session *session, bool *is_found,
                           struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SESSION_BY_ID);

        query_text(&query, id);
        return read_one(&query, session, is_found, error);
}

bool store_session_touch(struct store_db *db, int64_t rid, int64_t now, int64_t interval, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SESSION_TOUCH);

        query_integer(&query, now);
        query_integer(&query, rid);
        query_integer(&query, interval);
        return query_run(&query, NULL, error);
}

bool store_session_end(struct store_db *db, const char *id, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SESSION_END);

        query_text(&query, id);
        store_changes_access(db);
        return query_run(&query, NULL, error);
}

bool store_session_end_all(struct store_db *db, int64_t user, const char *except, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SESSIONS_END_OF_USER);

        query_integer(&query, user);
        query_text(&query, except);
        store_changes_access(db);
        return query_run(&query, NULL, error);
}
