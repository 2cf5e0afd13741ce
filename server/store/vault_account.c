#include <stdlib.h>

#include "server/store/query.h"
#include "server/store/vault.h"

void store_account_clear(struct store_account *account)
{
        char *strings[] = {account->user_name, account->agent, account->variable, account->refused_reason};

        for (size_t i = 0; i < COUNT_OF(strings); i++)
                free(strings[i]);
        *account = (struct store_account){0};
}

static struct store_account read_row(struct query *query)
{
        return (struct store_account){.rid = query_column_integer(query, 0),
                                      .user = query_column_integer(query, 1),
                                      .user_name = query_column_text(query, 2),
                                      .agent = query_column_text(query, 3),
                                      .variable = query_column_text(query, 4),
                                      .value = query_column_integer(query, 5),
                                      .refused_at = query_column_integer(query, 6),
                                      .refused_reason = query_column_text(query, 7),
                                      .created_at = query_column_integer(query, 8),
                                      .updated_at = query_column_integer(query, 9)};
}

bool store_account_find(struct store_db *db, int64_t user, const char *agent, struct store_account *account,
                        bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ACCOUNT_OF);

        query_integer(&query, user);
        query_text(&query, agent);
        if (!query_next(&query, is_found, error))
                return false;
        if (*is_found)
                *account = read_row(&query);
        return true;
}

bool store_account_list(struct store_db *db, int64_t user,
                        void (*each)(const struct store_account *account, void *context), void *context,
                        struct error *error)
{
        auto_query query = query_begin(db, user < 0 ? STATEMENT_ACCOUNTS_ALL : STATEMENT_ACCOUNTS_OF);
        bool is_row, is_good;

        if (user >= 0)
                query_integer(&query, user);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                auto_store_account account = read_row(&query);
                each(&account, context);
        }
        return is_good;
}

static bool add(struct store_db *db, const struct store_account *account, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ACCOUNT_ADD);

        query_integer(&query, account->user);
        query_text(&query, account->agent);
        query_text(&query, account->variable);
        query_integer(&query, account->value);
        query_integer(&query, now);
        return query_run(&query, NULL, error);
}

bool store_account_put(struct store_db *db, const struct store_account *account, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ACCOUNT_UPDATE);

        store_changes_access(db);
        if (!account->rid)
                return add(db, account, now, error);
        query_text(&query, account->variable);
        query_integer(&query, account->value);
        query_integer(&query, now);
        query_integer(&query, account->rid);
        return query_run(&query, NULL, error);
}

bool store_account_delete(struct store_db *db, int64_t rid, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ACCOUNT_DELETE);

        query_integer(&query, rid);
        store_changes_access(db);
        return query_run(&query, NULL, error);
}

bool store_account_refuse(struct store_db *db, int64_t turn, const char *reason, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ACCOUNT_REFUSE);

        query_integer(&query, now);
        query_text(&query, reason);
        query_integer(&query, turn);
        return query_run(&query, NULL, error);
}
