#include "server/store/query.h"

#include <string.h>

const struct statement_text statement_texts[STATEMENT_COUNT] = {
#define STATEMENT(name, sql) {#name, sql, 0},
#define SCANNING_STATEMENT(name, sql) {#name, sql, 1},
#include "server/store/statements/all.def"
#undef STATEMENT
#undef SCANNING_STATEMENT
};

bool query_failure(sqlite3 *connection, struct error *error)
{
        int code = sqlite3_errcode(connection);

        if (code == SQLITE_FULL)
                return error_set(error, ERROR_STORE_FULL, NULL);
        return error_set(error, ERROR_STORE_FAILED, "the store failed: %s", sqlite3_errmsg(connection));
}

static bool prepare(struct store_db *db, enum statement which)
{
        return db->statements[which] ||
               sqlite3_prepare_v3(db->connection, statement_texts[which].sql, -1, SQLITE_PREPARE_PERSISTENT,
                                  &db->statements[which], NULL) == SQLITE_OK;
}

void query_finalize_all(struct store_db *db)
{
        for (int i = 0; i < STATEMENT_COUNT; i++)
                sqlite3_finalize(db->statements[i]);
}

struct query query_begin(struct store_db *db, enum statement which)
{
        prepare(db, which);
        return (struct query){.statement = db->statements[which], .connection = db->connection};
}

void query_end(struct query *query)
{
        if (!query->statement)
                return;
        sqlite3_reset(query->statement);
        sqlite3_clear_bindings(query->statement);
}

void query_text(struct query *query, const char *value)
{
        sqlite3_bind_text(query->statement, ++query->bound, value, -1, SQLITE_STATIC);
}

void query_integer(struct query *query, int64_t value)
{
        sqlite3_bind_int64(query->statement, ++query->bound, value);
}

void query_optional(struct query *query, int64_t value)
{
        if (value)
                query_integer(query, value);
        else
                sqlite3_bind_null(query->statement, ++query->bound);
}

void query_maybe(struct query *query, const int64_t *value)
{
        if (value)
                query_integer(query, *value);
        else
                sqlite3_bind_null(query->statement, ++query->bound);
}

void query_blob(struct query *query, const void *bytes, size_t length)
{
        sqlite3_bind_blob(query->statement, ++query->bound, bytes, (int)length, SQLITE_STATIC);
}

bool query_next(struct query *query, bool *is_row, struct error *error)
{
        int code = query->statement ? sqlite3_step(query->statement) : SQLITE_ERROR;

        if (code != SQLITE_ROW && code != SQLITE_DONE)
                return query_failure(query->connection, error);
        *is_row = code == SQLITE_ROW;
        return true;
}

bool query_run(struct query *query, int *changed, struct error *error)
{
        bool is_row;

        do {
                if (!query_next(query, &is_row, error))
                        return false;
        } while (is_row);
        if (changed)
                *changed = sqlite3_changes(query->connection);
        return true;
}

bool query_integers(struct query *query, int64_t **list, size_t *count, struct error *error)
{
        auto_free int64_t *read = NULL;
        size_t length = 0;
        bool is_row, is_good;

        while ((is_good = query_next(query, &is_row, error)) && is_row) {
                read = memory_resize(read, (length + 1) * sizeof *read);
                read[length++] = query_column_integer(query, 0);
        }
        if (!is_good)
                return false;
        *list = take(read);
        *count = length;
        return true;
}

char *query_column_text(struct query *query, int column)
{
        const char *bytes = (const char *)sqlite3_column_text(query->statement, column);

        if (!bytes)
                return NULL;
        size_t length = (size_t)sqlite3_column_bytes(query->statement, column);
        char *copy = memory_new(length + 1);
        memcpy(copy, bytes, length);
        return copy;
}

uint8_t *query_column_blob(struct query *query, int column, size_t *length)
{
        const void *bytes = sqlite3_column_blob(query->statement, column);

        *length = bytes ? (size_t)sqlite3_column_bytes(query->statement, column) : 0;
        return bytes ? memcpy(memory_new(*length), bytes, *length) : NULL;
}

int64_t query_column_integer(struct query *query, int column)
{
        return sqlite3_column_int64(query->statement, column);
}

bool query_column_is_null(struct query *query, int column)
{
        return sqlite3_column_type(query->statement, column) == SQLITE_NULL;
}
