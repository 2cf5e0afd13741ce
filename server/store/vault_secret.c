#include <stdlib.h>

#include "server/store/query.h"
#include "server/store/vault.h"

void store_secret_clear(struct store_secret *secret)
{
        char *strings[] = {secret->environment_name, secret->user_name, secret->name, secret->given_as, secret->path};

        for (size_t i = 0; i < COUNT_OF(strings); i++)
                free(strings[i]);
        *secret = (struct store_secret){0};
}

void store_secrets_clear(struct store_secrets *secrets)
{
        for (size_t i = 0; i < secrets->count; i++)
                store_secret_clear(&secrets->items[i]);
        free(secrets->items);
        *secrets = (struct store_secrets){0};
}

static struct store_secret read_row(struct query *query)
{
        return (struct store_secret){.rid = query_column_integer(query, 0),
                                     .environment = query_column_integer(query, 1),
                                     .user = query_column_integer(query, 2),
                                     .environment_name = query_column_text(query, 3),
                                     .user_name = query_column_text(query, 4),
                                     .name = query_column_text(query, 5),
                                     .value = query_column_integer(query, 6),
                                     .given_as = query_column_text(query, 7),
                                     .path = query_column_text(query, 8),
                                     .is_for_tasks = query_column_integer(query, 9),
                                     .created_at = query_column_integer(query, 10),
                                     .updated_at = query_column_integer(query, 11)};
}

bool store_secret_find(struct store_db *db, int64_t environment, int64_t user, const char *name,
                       struct store_secret *secret, bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, environment ? STATEMENT_SECRET_OF_ENVIRONMENT : STATEMENT_SECRET_OF_USER);

        query_integer(&query, environment ? environment : user);
        query_text(&query, name);
        if (!query_next(&query, is_found, error))
                return false;
        if (*is_found)
                *secret = read_row(&query);
        return true;
}

bool store_secret_list(struct store_db *db, int64_t environment, int64_t user, struct store_secrets *secrets,
                       struct error *error)
{
        auto_query query = query_begin(db, environment ? STATEMENT_SECRETS_OF_ENVIRONMENT
                                           : user      ? STATEMENT_SECRETS_OF_USER
                                                       : STATEMENT_SECRETS_ALL);
        bool is_row, is_good;

        if (environment || user)
                query_integer(&query, environment ? environment : user);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                secrets->items = memory_resize(secrets->items, (secrets->count + 1) * sizeof *secrets->items);
                secrets->items[secrets->count++] = read_row(&query);
        }
        return is_good;
}

static bool add(struct store_db *db, const struct store_secret *secret, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SECRET_ADD);

        query_optional(&query, secret->environment);
        query_optional(&query, secret->user);
        query_text(&query, secret->name);
        query_integer(&query, secret->value);
        query_text(&query, secret->given_as);
        query_text(&query, secret->path);
        query_integer(&query, secret->is_for_tasks);
        query_integer(&query, now);
        return query_run(&query, NULL, error);
}

bool store_secret_put(struct store_db *db, const struct store_secret *secret, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SECRET_UPDATE);

        store_changes_access(db);
        if (!secret->rid)
                return add(db, secret, now, error);
        query_integer(&query, secret->value);
        query_text(&query, secret->given_as);
        query_text(&query, secret->path);
        query_integer(&query, secret->is_for_tasks);
        query_integer(&query, now);
        query_integer(&query, secret->rid);
        return query_run(&query, NULL, error);
}

bool store_secret_delete(struct store_db *db, int64_t rid, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SECRET_DELETE);

        query_integer(&query, rid);
        store_changes_access(db);
        return query_run(&query, NULL, error);
}
