#include "server/store/feed.h"

#include <stdio.h>

#include "server/store/query.h"

bool store_change_add_created(struct store_db *db, const struct store_task_new *task, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_CHANGE_ADD_CREATED);

        query_integer(&query, task->created_at);
        query_text(&query, task->id);
        query_integer(&query, task->environment);
        query_optional(&query, task->creator);
        query_integer(&query, task->is_shared);
        return query_run(&query, NULL, error);
}

static void copy_column(struct query *query, int column, char *to, size_t size)
{
        const unsigned char *text = sqlite3_column_text(query->statement, column);

        snprintf(to, size, "%s", text ? (const char *)text : "");
}

bool store_change_list(struct store_db *db, int64_t after, struct store_change *changes, size_t capacity, size_t *count,
                       struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_CHANGES_AFTER);
        bool is_row, is_good;

        query_integer(&query, after);
        query_integer(&query, (int64_t)capacity);
        *count = 0;
        while ((is_good = query_next(&query, &is_row, error)) && is_row && *count < capacity) {
                struct store_change *change = &changes[(*count)++];
                *change = (struct store_change){.seq = query_column_integer(&query, 0),
                                                .at = query_column_integer(&query, 1),
                                                .environment = query_column_integer(&query, 4),
                                                .creator = query_column_integer(&query, 5),
                                                .is_shared = query_column_integer(&query, 6),
                                                .audience = query_column_integer(&query, 7)};
                copy_column(&query, 2, change->kind, sizeof change->kind);
                copy_column(&query, 3, change->task_id, sizeof change->task_id);
        }
        return is_good;
}

static bool read_number(struct store_db *db, enum statement which, int64_t *number, struct error *error)
{
        auto_query query = query_begin(db, which);
        bool is_row;

        if (!query_next(&query, &is_row, error))
                return false;
        *number = is_row ? query_column_integer(&query, 0) : 0;
        return true;
}

bool store_change_range(struct store_db *db, int64_t *oldest, int64_t *newest, struct error *error)
{
        return read_number(db, STATEMENT_CHANGE_OLDEST, oldest, error) &&
               read_number(db, STATEMENT_CHANGE_NEWEST, newest, error);
}

bool store_change_prune(struct store_db *db, int64_t kept, int64_t before, int64_t batch, int *deleted,
                        struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_CHANGES_PRUNE);

        query_integer(&query, kept);
        query_integer(&query, before);
        query_integer(&query, batch);
        return query_run(&query, deleted, error);
}
