#include "server/store/queue.h"

#include "server/store/query.h"

void store_lanes_clear(struct store_lanes *lanes)
{
        for (size_t i = 0; i < lanes->count; i++)
                free(lanes->items[i].agent);
        free(lanes->items);
        *lanes = (struct store_lanes){0};
}

static struct store_lane *add(struct store_lanes *lanes, struct query *query)
{
        lanes->items = memory_resize(lanes->items, (lanes->count + 1) * sizeof *lanes->items);
        struct store_lane *lane = &lanes->items[lanes->count++];
        *lane = (struct store_lane){.user = query_column_integer(query, 0),
                                    .owner = query_column_integer(query, 1),
                                    .environment = query_column_integer(query, 2),
                                    .agent = query_column_text(query, 3)};
        return lane;
}

static bool read_after(struct store_db *db, const struct store_lane *last, struct store_lanes *lanes, bool *is_row,
                       struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_LANE_AFTER);

        query_integer(&query, last->user);
        query_integer(&query, last->owner);
        query_integer(&query, last->environment);
        query_text(&query, last->agent);
        if (!query_next(&query, is_row, error))
                return false;
        if (*is_row)
                add(lanes, &query)->since = query_column_integer(&query, 4);
        return true;
}

bool store_lane_list_waiting(struct store_db *db, struct store_lanes *lanes, struct error *error)
{
        struct store_lane last = {.user = -1, .agent = (char *)""};
        bool is_row = true;

        while (is_row) {
                if (!read_after(db, &last, lanes, &is_row, error))
                        return false;
                if (is_row)
                        last = lanes->items[lanes->count - 1];
        }
        return true;
}

bool store_lane_list_running(struct store_db *db, struct store_lanes *lanes, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_LANES_RUNNING);
        bool is_row, is_good;

        while ((is_good = query_next(&query, &is_row, error)) && is_row)
                add(lanes, &query)->count = query_column_integer(&query, 4);
        return is_good;
}

bool store_lane_head(struct store_db *db, const struct store_lane *lane, int64_t cost_maximum, int64_t *rid,
                     int64_t *since, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_LANE_HEAD);
        bool is_row;

        query_integer(&query, lane->user);
        query_integer(&query, lane->owner);
        query_integer(&query, lane->environment);
        query_text(&query, lane->agent);
        query_integer(&query, cost_maximum);
        if (!query_next(&query, &is_row, error))
                return false;
        *rid = is_row ? query_column_integer(&query, 0) : 0;
        *since = is_row ? query_column_integer(&query, 1) : 0;
        return true;
}

bool store_account_limit_find(struct store_db *db, const char *account, struct store_account_limit *limit,
                              bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ACCOUNT_LIMIT_FIND);

        query_text(&query, account);
        if (!query_next(&query, is_found, error))
                return false;
        if (*is_found)
                *limit = (struct store_account_limit){.resets_at = query_column_integer(&query, 0),
                                                      .is_told = query_column_integer(&query, 1),
                                                      .attempts = query_column_integer(&query, 2)};
        return true;
}

bool store_account_limit_put(struct store_db *db, const char *account, const struct store_account_limit *limit,
                             struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ACCOUNT_LIMIT_PUT);

        query_text(&query, account);
        query_integer(&query, limit->resets_at);
        query_integer(&query, limit->is_told);
        query_integer(&query, limit->attempts);
        return query_run(&query, NULL, error);
}

bool store_account_limit_delete(struct store_db *db, const char *account, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ACCOUNT_LIMIT_DELETE);

        query_text(&query, account);
        return query_run(&query, NULL, error);
}

static bool read_number(struct query *query, int64_t *number, struct error *error)
{
        bool is_row;

        if (!query_next(query, &is_row, error))
                return false;
        *number = is_row ? query_column_integer(query, 0) : 0;
        return true;
}

bool store_account_limit_next(struct store_db *db, int64_t after, int64_t *resets_at, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ACCOUNT_LIMIT_NEXT);

        query_integer(&query, after);
        return read_number(&query, resets_at, error);
}

bool store_spending_since(struct store_db *db, const char *scope, const char *id, int64_t day, int64_t *cost_micros,
                          struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_SPENDING_SINCE);

        query_text(&query, scope);
        query_text(&query, id);
        query_integer(&query, day);
        return read_number(&query, cost_micros, error);
}
