#include "server/store/fork.h"

#include "server/store/saved_change.h"
#include "server/store/query.h"

static bool fill(struct store_db *db, int64_t task, const struct store_fork *fork, struct error *error)
{
        const struct store_task *source = fork->source;
        auto_query query = query_begin(db, STATEMENT_FORK_FILL);

        query_integer(&query, source->rid);
        query_optional(&query, source->finished_at);
        query_maybe(&query, source->has_exit_code ? &source->exit_code : NULL);
        query_integer(&query, source->follow_up_count);
        query_integer(&query, fork->now);
        query_integer(&query, task);
        return query_run(&query, NULL, error);
}

static bool copy_turns(struct store_db *db, int64_t task, const struct store_fork *fork, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FORK_TURNS);

        query_integer(&query, task);
        query_text(&query, fork->source->id);
        query_integer(&query, fork->source->rid);
        query_integer(&query, fork->ordinal);
        return query_run(&query, NULL, error);
}

static bool copy_beside(struct store_db *db, enum statement which, int64_t task, const struct store_fork *fork,
                        struct error *error)
{
        auto_query query = query_begin(db, which);

        query_integer(&query, task);
        query_integer(&query, fork->source->rid);
        query_integer(&query, fork->ordinal);
        return query_run(&query, NULL, error);
}

static bool point(struct store_db *db, int64_t task, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FORK_POINT);

        query_integer(&query, task);
        return query_run(&query, NULL, error);
}

static bool record(struct store_db *db, int64_t task, const struct store_fork *fork, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FORK_ADD);

        query_integer(&query, task);
        query_text(&query, fork->source->id);
        query_integer(&query, fork->ordinal);
        query_optional(&query, fork->forked_by);
        query_integer(&query, fork->now);
        return query_run(&query, NULL, error);
}

bool store_fork_fill(struct store_db *db, int64_t task, const struct store_fork *fork, struct error *error)
{
        return fill(db, task, fork, error) && copy_turns(db, task, fork, error) &&
               copy_beside(db, STATEMENT_FORK_PARTS, task, fork, error) &&
               copy_beside(db, STATEMENT_FORK_REPLIES, task, fork, error) &&
               store_saved_change_fork(db, task, fork->source->rid, fork->ordinal, error) && point(db, task, error) &&
               record(db, task, fork, error);
}

bool store_fork_source(struct store_db *db, int64_t task, char **source_id, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FORK_FIND);
        bool is_row;

        query_integer(&query, task);
        if (!query_next(&query, &is_row, error))
                return false;
        *source_id = is_row ? query_column_text(&query, 0) : NULL;
        return true;
}
