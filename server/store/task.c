#include "server/store/task.h"

#include "server/store/feed.h"
#include "server/store/task_row.h"

void store_task_clear(struct store_task *task)
{
        char *strings[] = {task->id,
                           task->name,
                           task->status,
                           task->type,
                           task->agent,
                           task->model,
                           task->reasoning_effort,
                           task->speed,
                           task->role,
                           task->project_landing_mode,
                           task->group_id,
                           task->source,
                           task->branches,
                           task->environment_id,
                           task->environment_name,
                           task->creator_id,
                           task->creator_name,
                           task->judge_mode,
                           task->original_group_id};

        for (size_t i = 0; i < COUNT_OF(strings); i++)
                free(strings[i]);
        *task = (struct store_task){0};
}

struct store_task task_row_read(struct query *query)
{
        int c = 0;

#define TEXT query_column_text(query, c++)
#define INTEGER query_column_integer(query, c++)
        struct store_task task = {.rid = INTEGER};
        task.id = TEXT;
        task.name = TEXT;
        task.status = TEXT;
        task.type = TEXT;
        task.agent = TEXT;
        task.model = TEXT;
        task.reasoning_effort = TEXT;
        task.speed = TEXT;
        task.role = TEXT;
        task.project_landing_mode = TEXT;
        task.group_id = TEXT;
        task.has_group_index = !query_column_is_null(query, c);
        task.group_index = INTEGER;
        task.source = TEXT;
        task.is_shared = INTEGER;
        task.branches = TEXT;
        task.created_at = INTEGER;
        task.started_at = INTEGER;
        task.finished_at = INTEGER;
        task.active_at = INTEGER;
        task.has_exit_code = !query_column_is_null(query, c);
        task.exit_code = INTEGER;
        task.follow_up_count = INTEGER;
        task.is_history_complete = INTEGER;
        task.turn = INTEGER;
        task.reply = INTEGER;
        task.approved_by = INTEGER;
        task.is_winner = INTEGER;
        task.is_loser = INTEGER;
        task.input_tokens = INTEGER;
        task.output_tokens = INTEGER;
        task.cache_read_tokens = INTEGER;
        task.cache_write_tokens = INTEGER;
        task.cost_micros = INTEGER;
        task.environment = INTEGER;
        task.environment_id = TEXT;
        task.environment_name = TEXT;
        task.creator = INTEGER;
        task.creator_id = TEXT;
        task.creator_name = TEXT;
        task.is_pinned_by_viewer = INTEGER;
        task.viewer_snoozed_until = INTEGER;
        task.viewer_pin_version = INTEGER;
        task.is_pinned_by_creator = INTEGER;
        task.creator_snoozed_until = INTEGER;
        task.is_judge = INTEGER;
        task.judge_mode = TEXT;
        task.original_group_id = TEXT;
        task.has_sources = INTEGER;
        task.has_follow_ups = INTEGER;
#undef TEXT
#undef INTEGER
        return task;
}

static bool read_one(struct query *query, struct store_task *task, bool *is_found, struct error *error)
{
        if (!query_next(query, is_found, error))
                return false;
        if (*is_found)
                *task = task_row_read(query);
        return true;
}

bool store_task_find(struct store_db *db, const char *id, int64_t viewer, struct store_task *task, bool *is_found,
                     struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_BY_ID);

        query_integer(&query, viewer);
        query_text(&query, id);
        return read_one(&query, task, is_found, error);
}

bool store_task_find_rid(struct store_db *db, int64_t rid, int64_t viewer, struct store_task *task, bool *is_found,
                         struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_BY_RID);

        query_integer(&query, viewer);
        query_integer(&query, rid);
        return read_one(&query, task, is_found, error);
}

static bool add_row(struct store_db *db, const struct store_task_new *task, int64_t *rid, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_ADD);

        query_text(&query, task->id);
        query_text(&query, task->name);
        query_text(&query, !task->name ? "unset" : task->is_name_generated ? "generated" : "chosen");
        query_integer(&query, task->environment);
        query_text(&query, task->status);
        query_text(&query, task->type);
        query_text(&query, task->agent);
        query_optional(&query, task->creator);
        query_text(&query, task->source);
        query_integer(&query, task->is_shared);
        query_text(&query, task->branches);
        query_integer(&query, task->created_at);
        query_optional(&query, task->started_at);
        query_integer(&query, task->created_at);
        query_text(&query, task->model);
        query_text(&query, task->reasoning_effort);
        query_text(&query, task->speed);
        if (!query_run(&query, NULL, error))
                return false;
        *rid = sqlite3_last_insert_rowid(db->connection);
        return true;
}

bool store_task_add(struct store_db *db, const struct store_task_new *task, int64_t *rid, struct error *error)
{
        return add_row(db, task, rid, error) && store_change_add_created(db, task, error);
}

bool store_task_choose(struct store_db *db, int64_t rid, const char *model, const char *effort, const char *speed,
                       struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_CHOOSE);

        query_text(&query, model);
        query_text(&query, effort);
        query_text(&query, speed);
        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

bool store_task_rename(struct store_db *db, int64_t rid, const char *name, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_RENAME);

        query_text(&query, name);
        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

char *store_task_name_source(struct store_db *db, int64_t rid, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_NAME_SOURCE);
        bool is_row;

        query_integer(&query, rid);
        return query_next(&query, &is_row, error) && is_row ? query_column_text(&query, 0) : NULL;
}

bool store_task_share(struct store_db *db, int64_t rid, bool is_shared, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_SHARE);

        query_integer(&query, is_shared);
        query_integer(&query, rid);
        store_changes_access(db);
        return query_run(&query, NULL, error);
}

static bool bury(struct store_db *db, int64_t rid, int64_t deleted_by, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_BURY);

        query_integer(&query, now);
        query_optional(&query, deleted_by);
        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

bool store_task_delete(struct store_db *db, int64_t rid, int64_t deleted_by, int64_t now, bool *is_done,
                       struct error *error)
{
        int changed = 0;

        if (!bury(db, rid, deleted_by, now, error))
                return false;
        auto_query query = query_begin(db, STATEMENT_TASK_DELETE);
        query_integer(&query, rid);
        store_changes_access(db);
        if (!query_run(&query, &changed, error))
                return false;
        *is_done = changed == 1;
        return true;
}

static bool set_column(struct store_db *db, enum statement which, int64_t value, int64_t rid, struct error *error)
{
        auto_query query = query_begin(db, which);

        query_optional(&query, value);
        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

bool store_task_set_turn(struct store_db *db, int64_t rid, int64_t turn, struct error *error)
{
        return set_column(db, STATEMENT_TASK_SET_TURN, turn, rid, error);
}

bool store_task_set_reply(struct store_db *db, int64_t rid, int64_t turn, struct error *error)
{
        return set_column(db, STATEMENT_TASK_SET_REPLY, turn, rid, error);
}

bool store_task_begin(struct store_db *db, int64_t rid, const char *status, int64_t turn, int64_t started_at,
                      int follow_ups, int64_t now, bool *is_done, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_BEGIN);
        int changed = 0;

        query_text(&query, status);
        query_integer(&query, turn);
        query_optional(&query, started_at);
        query_integer(&query, follow_ups);
        query_integer(&query, now);
        query_integer(&query, turn);
        query_integer(&query, rid);
        if (!query_run(&query, &changed, error))
                return false;
        *is_done = changed == 1;
        return true;
}

bool store_task_finish(struct store_db *db, int64_t rid, int64_t turn, const char *status, int64_t now,
                       const int64_t *exit_code, bool *is_done, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_FINISH);
        int changed = 0;

        query_text(&query, status);
        query_integer(&query, now);
        query_maybe(&query, exit_code);
        query_integer(&query, now);
        query_integer(&query, rid);
        query_integer(&query, turn);
        if (!query_run(&query, &changed, error))
                return false;
        *is_done = changed == 1;
        return true;
}

bool store_task_add_usage(struct store_db *db, int64_t rid, int64_t input_tokens, int64_t output_tokens,
                          int64_t cache_read_tokens, int64_t cache_write_tokens, int64_t cost_micros,
                          struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_ADD_USAGE);

        query_integer(&query, input_tokens);
        query_integer(&query, output_tokens);
        query_integer(&query, cache_read_tokens);
        query_integer(&query, cache_write_tokens);
        query_integer(&query, cost_micros);
        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

bool store_task_count_running(struct store_db *db, int64_t *count, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_COUNT_RUNNING);
        bool is_row;

        if (!query_next(&query, &is_row, error))
                return false;
        *count = query_column_integer(&query, 0);
        return true;
}

bool store_task_counts(struct store_db *db, void (*each)(const char *status, int64_t count, void *context),
                       void *context, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_COUNTS);
        bool is_row, is_good;

        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                auto_free char *status = query_column_text(&query, 0);
                each(status, query_column_integer(&query, 1), context);
        }
        return is_good;
}
