#include "server/store/review_loop.h"

#include "server/store/query.h"

void store_review_loop_clear(struct store_review_loop *loop)
{
        char *strings[] = {loop->id,           loop->source,       loop->task_id,      loop->group_id,
                           loop->instructions, loop->min_priority, loop->phase,        loop->feedback,
                           loop->fingerprint,  loop->stop_reason,  loop->stop_message, loop->stopped_by_name};

        for (size_t i = 0; i < COUNT_OF(strings); i++)
                free(strings[i]);
        *loop = (struct store_review_loop){0};
}

bool store_review_loop_add(struct store_db *db, const struct store_review_loop *loop, int64_t *rid, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_REVIEW_LOOP_ADD);
        int changed;

        query_text(&query, loop->id);
        query_integer(&query, loop->owner);
        query_text(&query, loop->source);
        query_integer(&query, loop->environment);
        query_integer(&query, loop->task);
        query_text(&query, loop->task_id);
        query_text(&query, loop->group_id);
        query_text(&query, loop->instructions);
        query_integer(&query, loop->max_rounds);
        query_text(&query, loop->min_priority);
        query_integer(&query, loop->pulls_latest);
        query_text(&query, loop->phase);
        query_integer(&query, loop->round);
        query_integer(&query, loop->attempt);
        query_integer(&query, loop->created_at);
        query_integer(&query, loop->created_at);
        if (!query_run(&query, &changed, error))
                return false;
        *rid = sqlite3_last_insert_rowid(db->connection);
        return changed || error_set(error, ERROR_CONFLICT, "A review loop of the task %s is not over.", loop->task_id);
}

bool store_review_loop_add_judge(struct store_db *db, int64_t loop, int64_t position,
                                 const struct store_reviewer *judge, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_REVIEW_LOOP_ADD_JUDGE);

        query_integer(&query, loop);
        query_integer(&query, judge->round);
        query_integer(&query, judge->attempt);
        query_integer(&query, position);
        query_text(&query, judge->agent);
        query_text(&query, judge->model);
        query_text(&query, judge->reasoning_effort);
        query_text(&query, judge->speed);
        query_text(&query, judge->judge_id);
        return query_run(&query, NULL, error);
}

static struct store_review_loop read_row(struct query *query)
{
        int c = 0;

#define TEXT query_column_text(query, c++)
#define INTEGER query_column_integer(query, c++)
        struct store_review_loop loop = {.rid = INTEGER};
        loop.id = TEXT;
        loop.version = INTEGER;
        loop.owner = INTEGER;
        loop.source = TEXT;
        loop.environment = INTEGER;
        loop.task = INTEGER;
        loop.task_id = TEXT;
        loop.group_id = TEXT;
        loop.instructions = TEXT;
        loop.max_rounds = INTEGER;
        loop.min_priority = TEXT;
        loop.pulls_latest = INTEGER;
        loop.phase = TEXT;
        loop.round = INTEGER;
        loop.attempt = INTEGER;
        loop.feedback = TEXT;
        loop.fingerprint = TEXT;
        loop.turn = INTEGER;
        loop.stop_reason = TEXT;
        loop.stop_message = TEXT;
        loop.stopped_by = INTEGER;
        loop.stopped_by_name = TEXT;
        loop.created_at = INTEGER;
        loop.changed_at = INTEGER;
        loop.stopped_at = INTEGER;
#undef TEXT
#undef INTEGER
        return loop;
}

static bool read_one(struct query *query, struct store_review_loop *loop, bool *is_found, struct error *error)
{
        if (!query_next(query, is_found, error))
                return false;
        if (*is_found)
                *loop = read_row(query);
        return true;
}

bool store_review_loop_find(struct store_db *db, const char *id, struct store_review_loop *loop, bool *is_found,
                            struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_REVIEW_LOOP_BY_ID);

        query_text(&query, id);
        return read_one(&query, loop, is_found, error);
}

bool store_review_loop_of_task(struct store_db *db, int64_t task, struct store_review_loop *loop, bool *is_found,
                               struct error *error)
{
        auto_query active = query_begin(db, STATEMENT_REVIEW_LOOP_ACTIVE),
                   latest = query_begin(db, STATEMENT_REVIEW_LOOP_OF_TASK);

        query_integer(&active, task);
        query_integer(&latest, task);
        if (!read_one(&active, loop, is_found, error))
                return false;
        return *is_found || read_one(&latest, loop, is_found, error);
}

bool store_review_loop_of_judge(struct store_db *db, const char *judge_id, int64_t *task, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_REVIEW_LOOP_OF_JUDGE);
        bool is_row;

        query_text(&query, judge_id);
        if (!query_next(&query, &is_row, error))
                return false;
        *task = is_row ? query_column_integer(&query, 0) : 0;
        return true;
}

bool store_review_loop_open(struct store_db *db, int64_t **tasks, size_t *count, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_REVIEW_LOOP_OPEN);

        return query_integers(&query, tasks, count, error);
}

static struct store_reviewer read_judge(struct query *query)
{
        return (struct store_reviewer){.agent = query_column_text(query, 0),
                                       .model = query_column_text(query, 1),
                                       .reasoning_effort = query_column_text(query, 2),
                                       .speed = query_column_text(query, 3),
                                       .judge_id = query_column_text(query, 4),
                                       .round = query_column_integer(query, 5),
                                       .attempt = query_column_integer(query, 6),
                                       .verdict = query_column_text(query, 7),
                                       .high = query_column_integer(query, 8),
                                       .medium = query_column_integer(query, 9),
                                       .low = query_column_integer(query, 10)};
}

bool store_review_loop_judges(struct store_db *db, int64_t loop, struct store_reviewers *judges, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_REVIEW_LOOP_JUDGES);
        bool is_row, is_good;

        query_integer(&query, loop);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                judges->items = memory_resize(judges->items, (judges->count + 1) * sizeof *judges->items);
                judges->items[judges->count++] = read_judge(&query);
        }
        return is_good;
}

bool store_review_loop_set_verdict(struct store_db *db, int64_t loop, const struct store_reviewer *judge,
                                   struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_REVIEW_LOOP_SET_VERDICT);

        query_text(&query, judge->verdict);
        query_integer(&query, judge->high);
        query_integer(&query, judge->medium);
        query_integer(&query, judge->low);
        query_text(&query, judge->judge_id);
        query_integer(&query, loop);
        return query_run(&query, NULL, error);
}

bool store_review_loop_step(struct store_db *db, const struct store_review_loop *loop, bool *is_done,
                            struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_REVIEW_LOOP_STEP);
        int changed;

        query_text(&query, loop->phase);
        query_integer(&query, loop->round);
        query_integer(&query, loop->attempt);
        query_integer(&query, loop->max_rounds);
        query_text(&query, loop->feedback);
        query_text(&query, loop->fingerprint);
        query_optional(&query, loop->turn);
        query_text(&query, loop->stop_reason);
        query_text(&query, loop->stop_message);
        query_optional(&query, loop->stopped_by);
        query_optional(&query, loop->stopped_at);
        query_integer(&query, loop->changed_at);
        query_integer(&query, loop->rid);
        query_integer(&query, loop->version);
        if (!query_run(&query, &changed, error))
                return false;
        *is_done = changed > 0;
        return true;
}

bool store_review_concerns(struct store_db *db, int64_t task, const char *task_id, bool *result, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_REVIEW_CONCERNS);
        bool is_row;

        query_integer(&query, task);
        query_text(&query, task_id);
        if (!query_next(&query, &is_row, error))
                return false;
        *result = is_row && query_column_integer(&query, 0);
        return true;
}
