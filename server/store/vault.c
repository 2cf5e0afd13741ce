#include "server/store/vault.h"

#include <stdlib.h>

#include "server/store/query.h"

void store_value_clear(struct store_value *value)
{
        free(value->origin);
        free(value->sealed);
        *value = (struct store_value){0};
}

bool store_value_add(struct store_db *db, const char *origin, const uint8_t *sealed, size_t length, int64_t *rid,
                     struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_VALUE_ADD), last = query_begin(db, STATEMENT_VALUE_LAST);
        bool is_row;

        query_text(&query, origin);
        query_blob(&query, sealed, length);
        store_changes_access(db);
        if (!query_run(&query, NULL, error) || !query_next(&last, &is_row, error))
                return false;
        *rid = query_column_integer(&last, 0);
        return true;
}

bool store_value_find(struct store_db *db, int64_t rid, struct store_value *value, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_VALUE_BY_RID);
        bool is_row;

        query_integer(&query, rid);
        if (!query_next(&query, &is_row, error))
                return false;
        if (!is_row)
                return error_set(error, ERROR_STORE_FAILED, "a sealed value is missing from the store");
        value->rid = rid;
        value->origin = query_column_text(&query, 0);
        value->sealed = query_column_blob(&query, 1, &value->sealed_length);
        return true;
}

bool store_value_exists(struct store_db *db, bool *exists, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_VALUE_ANY);
        bool is_row;

        if (!query_next(&query, &is_row, error))
                return false;
        *exists = query_column_integer(&query, 0);
        return true;
}

bool store_value_list(struct store_db *db,
                      bool (*each)(const struct store_value *value, const struct store_value_holder *holder,
                                   void *context, struct error *error),
                      void *context, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_VALUES_ALL);
        bool is_row, is_good;

        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                auto_store_value value = {.rid = query_column_integer(&query, 0),
                                          .origin = query_column_text(&query, 1)};
                const struct store_value_holder holder = {.environment = query_column_integer(&query, 3),
                                                          .user = query_column_integer(&query, 4),
                                                          .is_account = !query_column_is_null(&query, 5),
                                                          .account_user = query_column_integer(&query, 5)};
                value.sealed = query_column_blob(&query, 2, &value.sealed_length);
                if (!each(&value, &holder, context, error))
                        return false;
        }
        return is_good;
}

bool store_value_prune(struct store_db *db, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_VALUES_PRUNE);

        store_changes_access(db);
        return query_run(&query, NULL, error);
}

static bool run(struct store_db *db, enum statement which, int *changed, struct error *error)
{
        auto_query query = query_begin(db, which);

        return query_run(&query, changed, error);
}

bool store_value_forget(struct store_db *db, int64_t *count, struct error *error)
{
        static const enum statement holders[] = {STATEMENT_SECRETS_FORGET,        STATEMENT_ACCOUNTS_FORGET,
                                                 STATEMENT_TASK_VALUES_FORGET,    STATEMENT_AUTHENTICATORS_FORGET,
                                                 STATEMENT_RECOVERY_CODES_FORGET, STATEMENT_SEALED_SETTINGS_FORGET};
        int changed;

        store_changes_access(db);
        for (size_t i = 0; i < COUNT_OF(holders); i++)
                if (!run(db, holders[i], NULL, error))
                        return false;
        if (!run(db, STATEMENT_VALUES_FORGET, &changed, error))
                return false;
        *count = changed;
        return true;
}

bool store_turn_account_put(struct store_db *db, int64_t turn, int64_t value, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TURN_ACCOUNT_PUT);

        query_integer(&query, turn);
        query_integer(&query, value);
        return query_run(&query, NULL, error);
}

bool store_task_value_add(struct store_db *db, int64_t task, int64_t value, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_VALUE_ADD);

        query_integer(&query, task);
        query_integer(&query, value);
        return query_run(&query, NULL, error);
}

bool store_task_value_copy(struct store_db *db, int64_t task, int64_t from, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_VALUES_COPY);

        query_integer(&query, task);
        query_integer(&query, from);
        return query_run(&query, NULL, error);
}

bool store_task_value_list(struct store_db *db, int64_t task, int64_t **values, size_t *count, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_VALUES_OF);

        query_integer(&query, task);
        return query_integers(&query, values, count, error);
}
