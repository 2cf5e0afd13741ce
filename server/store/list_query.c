#include "server/store/list_query.h"

#include <string.h>

#include "server/base/secret.h"

#define CACHE_SIZE 64

struct list_cache {
        struct {
                char *sql;
                sqlite3_stmt *statement;
        } entries[CACHE_SIZE];
        size_t count;
};

void list_cache_free(struct list_cache *cache)
{
        for (size_t i = 0; cache && i < cache->count; i++) {
                sqlite3_finalize(cache->entries[i].statement);
                free(cache->entries[i].sql);
        }
        free(cache);
}

static sqlite3_stmt *cached(struct store_db *db, const char *sql)
{
        if (!db->lists)
                db->lists = memory_new(sizeof *db->lists);
        struct list_cache *cache = db->lists;
        for (size_t i = 0; i < cache->count; i++)
                if (!strcmp(cache->entries[i].sql, sql))
                        return cache->entries[i].statement;
        sqlite3_stmt *statement;
        if (sqlite3_prepare_v3(db->connection, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK)
                return NULL;
        size_t at = cache->count < CACHE_SIZE ? cache->count++ : secret_random_below(CACHE_SIZE);
        sqlite3_finalize(cache->entries[at].statement);
        free(cache->entries[at].sql);
        cache->entries[at].statement = statement;
        cache->entries[at].sql = text_copy(sql);
        return statement;
}

bool list_query_begin(struct store_db *db, const char *sql, struct query *query, struct error *error)
{
        query->connection = db->connection;
        query->statement = cached(db, sql);
        return query->statement || query_failure(db->connection, error);
}

size_t list_padded(size_t count)
{
        size_t size = 1;

        while (size < count)
                size *= 2;
        return size;
}

void list_append(struct text *sql, const char *column, int first, size_t count)
{
        text_printf(sql, "%s IN (", column);
        for (size_t i = 0; i < list_padded(count); i++)
                text_printf(sql, "%s?%zu", i ? ", " : "", (size_t)first + i);
        text_append_string(sql, ")");
}

void list_bind(sqlite3_stmt *statement, int first, const int64_t *values, size_t count)
{
        for (size_t i = 0; i < list_padded(count); i++)
                sqlite3_bind_int64(statement, first + (int)i, count ? values[i < count ? i : count - 1] : 0);
}
