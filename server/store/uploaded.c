#include "server/store/uploaded.h"

#include <stdio.h>
#include <stdlib.h>

#include "server/store/query.h"

void store_uploaded_clear(struct store_uploaded *uploaded)
{
        free(uploaded->id);
        free(uploaded->filename);
        *uploaded = (struct store_uploaded){0};
}

/* The order of UPLOADED_COLUMNS. */
static struct store_uploaded read_row(struct query *query)
{
        return (struct store_uploaded){.id = query_column_text(query, 0),
                                       .filename = query_column_text(query, 1),
                                       .size = query_column_integer(query, 2),
                                       .created_at = query_column_integer(query, 3),
                                       .expires_at = query_column_integer(query, 4)};
}

bool store_uploaded_add(struct store_db *db, int64_t user, const struct store_uploaded *uploaded, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_UPLOADED_ADD);

        query_text(&query, uploaded->id);
        query_integer(&query, user);
        query_text(&query, uploaded->filename);
        query_integer(&query, uploaded->size);
        query_integer(&query, uploaded->created_at);
        query_integer(&query, uploaded->expires_at);
        return query_run(&query, NULL, error);
}

bool store_uploaded_find(struct store_db *db, const char *id, int64_t user, int64_t now,
                         struct store_uploaded *uploaded, bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_UPLOADED_FIND);

        query_text(&query, id);
        query_integer(&query, user);
        query_integer(&query, now);
        if (!query_next(&query, is_found, error))
                return false;
        if (*is_found)
                *uploaded = read_row(&query);
        return true;
}

bool store_uploaded_list(struct store_db *db, int64_t user, int64_t now,
                         void (*each)(const struct store_uploaded *uploaded, void *context), void *context,
                         struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_UPLOADED_OF_USER);
        bool is_row, is_good;

        query_integer(&query, user);
        query_integer(&query, now);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                auto_store_uploaded uploaded = read_row(&query);
                each(&uploaded, context);
        }
        return is_good;
}

bool store_uploaded_sum(struct store_db *db, int64_t user, int64_t now, int64_t *count, int64_t *bytes,
                        struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_UPLOADED_SUM);
        bool is_row;

        query_integer(&query, user);
        query_integer(&query, now);
        if (!query_next(&query, &is_row, error))
                return false;
        *count = query_column_integer(&query, 0);
        *bytes = query_column_integer(&query, 1);
        return true;
}

bool store_uploaded_take(struct store_db *db, const char *id, int64_t user, int64_t now, bool *is_taken,
                         struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_UPLOADED_TAKE);
        int changed;

        query_text(&query, id);
        query_integer(&query, user);
        query_integer(&query, now);
        if (!query_run(&query, &changed, error))
                return false;
        *is_taken = changed > 0;
        return true;
}

bool store_uploaded_find_expired(struct store_db *db, int64_t now, char id[ID_SIZE], bool *is_found,
                                 struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_UPLOADED_EXPIRED);

        query_integer(&query, now);
        if (!query_next(&query, is_found, error))
                return false;
        if (*is_found) {
                auto_free char *found = query_column_text(&query, 0);
                snprintf(id, ID_SIZE, "%s", found);
        }
        return true;
}

bool store_uploaded_expire(struct store_db *db, const char *id, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_UPLOADED_EXPIRE);

        query_text(&query, id);
        query_integer(&query, now);
        return query_run(&query, NULL, error);
}

bool store_uploaded_is_there(struct store_db *db, const char *id, bool *is_there, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_UPLOADED_IS_THERE);

        query_text(&query, id);
        return query_next(&query, is_there, error);
}
