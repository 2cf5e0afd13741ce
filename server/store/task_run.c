#include "server/store/task_run.h"

#include "server/store/query.h"

void store_task_run_clear(struct store_task_run *run)
{
        char *strings[] = {run->id, run->task_id, run->kind, run->name, run->state, run->reason, run->message};

        for (size_t i = 0; i < COUNT_OF(strings); i++)
                free(strings[i]);
        *run = (struct store_task_run){0};
}

void store_task_runs_clear(struct store_task_runs *runs)
{
        for (size_t i = 0; i < runs->count; i++)
                store_task_run_clear(&runs->items[i]);
        free(runs->items);
        *runs = (struct store_task_runs){0};
}

static struct store_task_run read_row(struct query *query)
{
        return (struct store_task_run){.rid = query_column_integer(query, 0),
                                       .id = query_column_text(query, 1),
                                       .task = query_column_integer(query, 2),
                                       .task_id = query_column_text(query, 3),
                                       .environment = query_column_integer(query, 4),
                                       .kind = query_column_text(query, 5),
                                       .name = query_column_text(query, 6),
                                       .state = query_column_text(query, 7),
                                       .requested_at = query_column_integer(query, 8),
                                       .started_at = query_column_integer(query, 9),
                                       .ready_at = query_column_integer(query, 10),
                                       .ended_at = query_column_integer(query, 11),
                                       .reason = query_column_text(query, 12),
                                       .has_exit_code = !query_column_is_null(query, 13),
                                       .exit_code = query_column_integer(query, 13),
                                       .message = query_column_text(query, 14),
                                       .port = query_column_integer(query, 15)};
}

static bool read_one(struct query *query, struct store_task_run *run, bool *is_found, struct error *error)
{
        if (!query_next(query, is_found, error))
                return false;
        if (*is_found)
                *run = read_row(query);
        return true;
}

static bool read_all(struct query *query, struct store_task_runs *runs, struct error *error)
{
        bool is_row;

        while (query_next(query, &is_row, error)) {
                if (!is_row)
                        return true;
                runs->items = memory_resize(runs->items, (runs->count + 1) * sizeof *runs->items);
                runs->items[runs->count++] = read_row(query);
        }
        return false;
}

bool store_task_run_add(struct store_db *db, const struct store_task_run *run, int64_t user, int64_t *rid,
                        struct error *error)
{
        auto_store_task_run latest = {0};
        bool is_found;

        if (!store_task_run_latest(db, run->task, run->kind, run->name, &latest, &is_found, error))
                return false;
        if (is_found && latest.ended_at == 0)
                return error_set(error, ERROR_CONFLICT, "It runs already.");
        auto_query query = query_begin(db, STATEMENT_TASK_RUN_ADD);
        query_text(&query, run->id);
        query_integer(&query, run->task);
        query_text(&query, run->kind);
        query_text(&query, run->name);
        query_optional(&query, user);
        query_integer(&query, run->requested_at);
        query_optional(&query, run->port);
        if (!query_run(&query, NULL, error))
                return false;
        *rid = sqlite3_last_insert_rowid(db->connection);
        return true;
}

bool store_task_run_latest(struct store_db *db, int64_t task, const char *kind, const char *name,
                           struct store_task_run *run, bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_RUN_LATEST);

        query_integer(&query, task);
        query_text(&query, kind);
        query_text(&query, name);
        return read_one(&query, run, is_found, error);
}

bool store_task_run_find(struct store_db *db, int64_t rid, struct store_task_run *run, bool *is_found,
                         struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_RUN_FIND);

        query_integer(&query, rid);
        return read_one(&query, run, is_found, error);
}

bool store_task_run_list_unfinished(struct store_db *db, struct store_task_runs *runs, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_RUNS_UNFINISHED);

        return read_all(&query, runs, error);
}

bool store_task_run_count_open(struct store_db *db, int64_t task, int64_t *count, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_RUNS_OPEN);
        bool is_row;

        query_integer(&query, task);
        if (!query_next(&query, &is_row, error))
                return false;
        *count = query_column_integer(&query, 0);
        return true;
}

static bool set_time(struct store_db *db, enum statement which, int64_t rid, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, which);

        query_integer(&query, now);
        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

bool store_task_run_started(struct store_db *db, int64_t rid, int64_t now, struct error *error)
{
        return set_time(db, STATEMENT_TASK_RUN_STARTED, rid, now, error);
}

bool store_task_run_ready(struct store_db *db, int64_t rid, int64_t now, struct error *error)
{
        return set_time(db, STATEMENT_TASK_RUN_READY, rid, now, error);
}

bool store_task_run_end(struct store_db *db, int64_t rid, const struct store_task_run_end *end, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_RUN_END);

        query_integer(&query, end->ended_at);
        query_text(&query, end->reason);
        query_maybe(&query, end->exit_code);
        query_text(&query, end->message);
        query_optional(&query, end->started_at);
        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

bool store_task_run_list_surplus(struct store_db *db, int64_t task, const char *kind, int64_t keep,
                                 struct store_task_runs *runs, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_RUNS_SURPLUS);

        query_integer(&query, task);
        query_text(&query, kind);
        query_integer(&query, keep);
        return read_all(&query, runs, error);
}

bool store_task_run_list_old(struct store_db *db, int64_t before, struct store_task_runs *runs, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_RUNS_OLD);

        query_integer(&query, before);
        return read_all(&query, runs, error);
}

bool store_task_run_delete(struct store_db *db, int64_t rid, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_RUN_DELETE);

        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

bool store_task_touch(struct store_db *db, int64_t task, int64_t now, struct error *error)
{
        return set_time(db, STATEMENT_TASK_TOUCH, task, now, error);
}
