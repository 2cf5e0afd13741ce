#include "server/store/identity.h"

#include "server/store/query.h"

bool store_identity_find(struct store_db *db, const char *issuer, const char *subject, int64_t *user,
                         struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_IDENTITY_USER);
        bool is_row;

        query_text(&query, issuer);
        query_text(&query, subject);
        if (!query_next(&query, &is_row, error))
                return false;
        *user = is_row ? query_column_integer(&query, 0) : 0;
        return true;
}

bool store_identity_add(struct store_db *db, const char *issuer, const char *subject, int64_t user, int64_t now,
                        struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_IDENTITY_ADD);

        query_text(&query, issuer);
        query_text(&query, subject);
        query_integer(&query, user);
        query_integer(&query, now);
        return query_run(&query, NULL, error);
}

bool store_identity_remove(struct store_db *db, const char *issuer, const char *subject, int64_t user, bool *is_removed,
                           struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_IDENTITY_REMOVE);
        int changed = 0;

        query_text(&query, issuer);
        query_text(&query, subject);
        query_integer(&query, user);
        if (!query_run(&query, &changed, error))
                return false;
        *is_removed = changed > 0;
        return true;
}

bool store_identity_list(struct store_db *db, int64_t user,
                         void (*each)(const struct store_identity *identity, void *context), void *context,
                         struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_IDENTITIES_OF);
        bool is_row, is_good;

        query_integer(&query, user);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                auto_free char *issuer = query_column_text(&query, 0), *subject = query_column_text(&query, 1);
                const struct store_identity identity = {issuer, subject, query_column_integer(&query, 2)};
                each(&identity, context);
        }
        return is_good;
}
