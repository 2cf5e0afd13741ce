#include "server/store/saved_change.h"

#include "server/store/query.h"

void store_saved_change_clear(struct store_saved_change *change)
{
        free(change->repository);
        free(change->state);
        free(change->reason);
        free(change->base);
        free(change->branch);
        free(change->tree);
        free(change->from);
        free(change->to);
        free(change->left_out);
        *change = (struct store_saved_change){0};
}

void store_saved_changes_clear(struct store_saved_changes *changes)
{
        for (size_t i = 0; i < changes->count; i++)
                store_saved_change_clear(&changes->items[i]);
        free(changes->items);
        *changes = (struct store_saved_changes){0};
}

bool store_saved_change_base_find(struct store_db *db, int64_t task, const char *repository, char **base,
                                  struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SAVED_CHANGE_BASE_FIND);
        bool is_row;

        query_integer(&query, task);
        query_text(&query, repository);
        if (!query_next(&query, &is_row, error))
                return false;
        *base = is_row ? query_column_text(&query, 0) : NULL;
        return true;
}

bool store_saved_change_base_set(struct store_db *db, int64_t task, const char *repository, const char *base,
                                 struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SAVED_CHANGE_BASE_SET);

        query_integer(&query, task);
        query_text(&query, repository);
        query_text(&query, base);
        return query_run(&query, NULL, error);
}

static void bind_count(struct query *query, const int64_t *count)
{
        query_maybe(query, *count < 0 ? NULL : count);
}

bool store_saved_change_add(struct store_db *db, int64_t turn, const struct store_saved_change *change,
                            struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SAVED_CHANGE_ADD);

        query_integer(&query, turn);
        query_text(&query, change->repository);
        query_text(&query, change->state);
        query_text(&query, change->reason);
        query_text(&query, change->base);
        query_text(&query, change->branch);
        query_text(&query, change->tree);
        query_text(&query, change->from);
        query_text(&query, change->to);
        bind_count(&query, &change->files);
        bind_count(&query, &change->additions);
        bind_count(&query, &change->deletions);
        query_integer(&query, change->is_whole);
        query_text(&query, change->left_out);
        return query_run(&query, NULL, error);
}

static bool find_turn(struct store_db *db, int64_t task, struct store_saved_changes *changes, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SAVED_CHANGE_TURN);
        bool is_row;

        query_integer(&query, task);
        if (!query_next(&query, &is_row, error))
                return false;
        if (is_row) {
                changes->turn = query_column_integer(&query, 0);
                changes->ordinal = query_column_integer(&query, 1);
                changes->conversation_index = query_column_integer(&query, 2);
        }
        return true;
}

static int64_t count_at(struct query *query, int column)
{
        return query_column_is_null(query, column) ? -1 : query_column_integer(query, column);
}

static void read_row(struct query *query, struct store_saved_change *change)
{
        *change = (struct store_saved_change){
                .repository = query_column_text(query, 0),
                .state = query_column_text(query, 1),
                .reason = query_column_text(query, 2),
                .base = query_column_text(query, 3),
                .branch = query_column_text(query, 4),
                .tree = query_column_text(query, 5),
                .from = query_column_text(query, 6),
                .to = query_column_text(query, 7),
                .files = count_at(query, 8),
                .additions = count_at(query, 9),
                .deletions = count_at(query, 10),
                .is_whole = query_column_integer(query, 11),
                .left_out = query_column_text(query, 12),
        };
}

bool store_saved_change_list(struct store_db *db, int64_t task, struct store_saved_changes *changes,
                             struct error *error)
{
        bool is_row;

        if (!find_turn(db, task, changes, error))
                return false;
        auto_query query = query_begin(db, STATEMENT_SAVED_CHANGE_LIST);
        query_integer(&query, changes->turn);
        for (;;) {
                if (!query_next(&query, &is_row, error))
                        return false;
                if (!is_row)
                        return true;
                changes->items = memory_resize(changes->items, (changes->count + 1) * sizeof *changes->items);
                read_row(&query, &changes->items[changes->count++]);
        }
}

static bool fork_bases(struct store_db *db, int64_t task, int64_t source, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SAVED_CHANGE_FORK_BASES);

        query_integer(&query, task);
        query_integer(&query, source);
        return query_run(&query, NULL, error);
}

bool store_saved_change_fork(struct store_db *db, int64_t task, int64_t source, int64_t ordinal, struct error *error)
{
        if (!fork_bases(db, task, source, error))
                return false;
        auto_query query = query_begin(db, STATEMENT_SAVED_CHANGE_FORK);
        query_integer(&query, task);
        query_integer(&query, source);
        query_integer(&query, ordinal);
        return query_run(&query, NULL, error);
}
