#include "server/store/comment.h"

#include "server/store/query.h"

void store_comment_clear(struct store_comment *comment)
{
        free(comment->id);
        free(comment->author_id);
        free(comment->author_name);
        free(comment->body);
        *comment = (struct store_comment){0};
}

void store_comments_clear(struct store_comments *comments)
{
        for (size_t i = 0; i < comments->count; i++)
                store_comment_clear(&comments->items[i]);
        free(comments->items);
        *comments = (struct store_comments){0};
}

bool store_comment_add(struct store_db *db, const char *id, int64_t task, int64_t author, const char *body, int64_t now,
                       struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_COMMENT_ADD);

        query_text(&query, id);
        query_integer(&query, task);
        query_integer(&query, author);
        query_text(&query, body);
        query_integer(&query, now);
        return query_run(&query, NULL, error);
}

static bool run(struct query *query, bool *is_done, struct error *error)
{
        int changed;

        if (!query_run(query, &changed, error))
                return false;
        *is_done = changed;
        return true;
}

bool store_comment_edit(struct store_db *db, const char *id, int64_t task, int64_t author, const char *body,
                        int64_t now, bool *is_done, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_COMMENT_EDIT);

        query_text(&query, body);
        query_integer(&query, now);
        query_text(&query, id);
        query_integer(&query, task);
        query_integer(&query, author);
        return run(&query, is_done, error);
}

bool store_comment_remove(struct store_db *db, const char *id, int64_t task, int64_t author, bool *is_done,
                          struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_COMMENT_REMOVE);

        query_text(&query, id);
        query_integer(&query, task);
        query_integer(&query, author);
        return run(&query, is_done, error);
}

bool store_comment_count(struct store_db *db, int64_t task, int64_t *count, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_COMMENT_COUNT);
        bool is_row;

        query_integer(&query, task);
        if (!query_next(&query, &is_row, error))
                return false;
        *count = query_column_integer(&query, 0);
        return true;
}

static void read_row(struct query *query, struct store_comment *comment)
{
        *comment = (struct store_comment){.id = query_column_text(query, 0),
                                          .author = query_column_integer(query, 1),
                                          .author_id = query_column_text(query, 2),
                                          .author_name = query_column_text(query, 3),
                                          .body = query_column_text(query, 4),
                                          .created_at = query_column_integer(query, 5),
                                          .edited_at = query_column_integer(query, 6)};
}

bool store_comment_list(struct store_db *db, int64_t task, int64_t limit, int64_t offset,
                        struct store_comments *comments, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_COMMENT_LIST);
        bool is_row;

        query_integer(&query, task);
        query_integer(&query, limit);
        query_integer(&query, offset);
        for (;;) {
                if (!query_next(&query, &is_row, error))
                        return false;
                if (!is_row)
                        return true;
                comments->items = memory_resize(comments->items, (comments->count + 1) * sizeof *comments->items);
                read_row(&query, &comments->items[comments->count++]);
        }
}

bool store_comment_find(struct store_db *db, const char *id, int64_t task, struct store_comment *comment,
                        bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_COMMENT_FIND);

        query_text(&query, id);
        query_integer(&query, task);
        if (!query_next(&query, is_found, error))
                return false;
        if (*is_found)
                read_row(&query, comment);
        return true;
}
