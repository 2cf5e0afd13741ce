#include "server/store/unused.h"

#include "server/store/query.h"

#define AT_ONCE 100

static const struct {
        enum statement list, delete;
} kinds[STORE_UNUSED_KIND_COUNT] = {
        [STORE_UNUSED_CLIENT] = {STATEMENT_UNUSED_CLIENTS, STATEMENT_UNUSED_CLIENT_DELETE},
        [STORE_UNUSED_REQUEST] = {STATEMENT_UNUSED_REQUESTS, STATEMENT_UNUSED_REQUEST_DELETE},
        [STORE_UNUSED_LOOP] = {STATEMENT_UNUSED_LOOPS, STATEMENT_UNUSED_LOOP_DELETE},
};

void store_unused_clear(struct store_unused *unused)
{
        free(unused->id);
        free(unused->task_id);
        *unused = (struct store_unused){0};
}

bool store_unused_each(struct store_db *db, enum store_unused_kind kind, int64_t before,
                       void (*told)(const struct store_unused *unused, void *context), void *context,
                       struct error *error)
{
        auto_query query = query_begin(db, kinds[kind].list);
        bool is_row, is_good;

        query_integer(&query, before);
        query_integer(&query, -1);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                struct store_unused unused = {query_column_integer(&query, 0), query_column_text(&query, 1),
                                              query_column_text(&query, 2)};
                told(&unused, context);
                store_unused_clear(&unused);
        }
        return is_good;
}

/* The rids of some. */
static bool list(struct store_db *db, enum store_unused_kind kind, int64_t before, int maximum, int64_t *rids,
                 int *count, struct error *error)
{
        auto_query query = query_begin(db, kinds[kind].list);
        bool is_row, is_good;

        *count = 0;
        query_integer(&query, before);
        query_integer(&query, maximum);
        while ((is_good = query_next(&query, &is_row, error)) && is_row)
                rids[(*count)++] = query_column_integer(&query, 0);
        return is_good;
}

bool store_unused_delete(struct store_db *db, enum store_unused_kind kind, int64_t before, int maximum, int *count,
                         struct error *error)
{
        int64_t rids[AT_ONCE];
        int found;

        *count = 0;
        if (!list(db, kind, before, maximum < AT_ONCE ? maximum : AT_ONCE, rids, &found, error))
                return false;
        for (int i = 0; i < found; i++) {
                auto_query query = query_begin(db, kinds[kind].delete);
                int changed = 0;
                query_integer(&query, before);
                query_integer(&query, rids[i]);
                if (!query_run(&query, &changed, error))
                        return false;
                *count += changed;
        }
        return true;
}
