#include "server/store/setting.h"

#include "server/store/query.h"

bool store_setting_list(struct store_db *db, void (*each)(const char *name, const char *value, void *context),
                        void *context, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SETTINGS_ALL);
        bool is_row, is_good;

        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                auto_free char *name = query_column_text(&query, 0), *value = query_column_text(&query, 1);
                each(name, value, context);
        }
        return is_good;
}

bool store_setting_put(struct store_db *db, const char *name, const char *value, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SETTING_PUT);

        query_text(&query, name);
        query_text(&query, value);
        query_integer(&query, now);
        store_changes_access(db);
        return query_run(&query, NULL, error);
}

bool store_setting_delete(struct store_db *db, const char *name, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SETTING_DELETE);

        query_text(&query, name);
        store_changes_access(db);
        return query_run(&query, NULL, error);
}

bool store_setting_seal(struct store_db *db, const char *name, int64_t value, struct error *error)
{
        auto_query query = query_begin(db, value ? STATEMENT_SEALED_SETTING_PUT : STATEMENT_SEALED_SETTING_DELETE);

        query_text(&query, name);
        if (value)
                query_integer(&query, value);
        return query_run(&query, NULL, error);
}

bool store_setting_sealed(struct store_db *db, const char *name, int64_t *value, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SEALED_SETTING_OF);
        bool is_row;

        query_text(&query, name);
        if (!query_next(&query, &is_row, error))
                return false;
        *value = is_row ? query_column_integer(&query, 0) : 0;
        return true;
}
