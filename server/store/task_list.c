#include "server/store/task_list.h"

#include <string.h>

#include "server/base/secret.h"
#include "server/store/columns.h"
#include "server/store/task_row.h"

#define CACHE_SIZE 64
#define SQL_MAXIMUM 65536
#define MERGED_MAXIMUM 32

/* Fixed parameter numbers, so that clauses can be left out freely; lists of environments follow from LISTS_FROM on. */
enum parameter { VIEWER = 1, ENVIRONMENT = 3, STATUS, GROUP_ID, NOW, BEFORE, LIMIT, OFFSET, LISTS_FROM };

struct list_cache {
        struct {
                char *sql;
                sqlite3_stmt *statement;
        } entries[CACHE_SIZE];
        size_t count;
};

void task_list_cache_free(struct list_cache *cache)
{
        for (size_t i = 0; cache && i < cache->count; i++) {
                sqlite3_finalize(cache->entries[i].statement);
                free(cache->entries[i].sql);
        }
        free(cache);
}

void store_tasks_clear(struct store_tasks *tasks)
{
        for (size_t i = 0; i < tasks->count; i++)
                store_task_clear(&tasks->items[i]);
        free(tasks->items);
        *tasks = (struct store_tasks){0};
}

static bool is_environment(const struct store_task_filter *f)
{
        return f->environment != 0;
}
static bool is_status(const struct store_task_filter *f)
{
        return f->status != NULL;
}
static bool is_group(const struct store_task_filter *f)
{
        return f->group_id != NULL;
}
static bool is_mine(const struct store_task_filter *f)
{
        return f->is_mine;
}
static bool is_my_teams(const struct store_task_filter *f)
{
        return f->is_my_teams && !f->is_mine;
}
static bool is_pinned(const struct store_task_filter *f)
{
        return f->is_pinned_set && f->is_pinned;
}
static bool is_unpinned(const struct store_task_filter *f)
{
        return f->is_pinned_set && !f->is_pinned;
}
static bool is_awake(const struct store_task_filter *f)
{
        return !f->is_snoozed_included;
}

/* The optional clauses. A unary plus keeps an index from being chosen for a clause that narrows little. */
static const struct {
        bool (*applies)(const struct store_task_filter *filter);
        const char *sql;
} clauses[] = {
        {is_environment, "t.environment = ?3"},
        {is_status, "t.status = ?4"},
        {is_group, "t.group_id = ?5"},
        {is_mine, "t.created_by = ?1"},
        {is_my_teams, "t.created_by IN (SELECT ?1 UNION SELECT o.user FROM team_members m JOIN team_members o "
                      "ON o.team = m.team WHERE m.user = ?1)"},
        {is_pinned, "t.rid IN (SELECT task FROM pins WHERE user = ?1 AND is_pinned)"},
        {is_unpinned, "t.rid NOT IN (SELECT task FROM pins WHERE user = ?1 AND is_pinned)"},
        {is_awake, "t.rid NOT IN (SELECT task FROM pins WHERE user = ?1 AND snoozed_until > ?6)"},
};

/* Lists are padded to powers of two, so that few statements serve all lengths. */
static size_t padded(size_t count)
{
        size_t size = 1;

        while (size < count)
                size *= 2;
        return size;
}

static void append_list(struct text *sql, const char *column, int first, size_t count)
{
        text_printf(sql, "%s IN (", column);
        for (size_t i = 0; i < padded(count); i++)
                text_printf(sql, "%s?%zu", i ? ", " : "", (size_t)first + i);
        text_append_string(sql, ")");
}

static int view_any_from(const struct store_task_filter *f)
{
        return LISTS_FROM + (f->is_view_everywhere || f->environment ? 0 : (int)padded(f->view_count));
}

/* Whether the viewer's environments are read one after the other, each newest first and no further than the page
 * reaches, and merged: a list of them makes SQLite sort every task in them. */
static bool is_merged(const struct store_task_filter *f)
{
        return !f->is_view_everywhere && !f->environment && f->view_count > 1 && f->view_count <= MERGED_MAXIMUM &&
               !f->is_mine && !f->group_id && !is_pinned(f);
}

/* Beyond what can be merged the newest tasks are read in their order; the plus keeps the index from being chosen. */
static void append_environments(struct text *sql, const struct store_task_filter *f, bool is_total)
{
        if (f->is_view_everywhere || f->environment)
                return;
        text_append_string(sql, " AND ");
        append_list(sql, !is_total && f->view_count > MERGED_MAXIMUM ? "+t.environment" : "t.environment", LISTS_FROM,
                    f->view_count);
}

static void append_conditions(struct text *sql, const struct store_task_filter *f, bool is_total)
{
        for (size_t i = 0; i < COUNT_OF(clauses); i++)
                if (clauses[i].applies(f))
                        text_printf(sql, " AND %s", clauses[i].sql);
        if (!f->is_view_any_everywhere) {
                text_append_string(sql, " AND (t.is_shared OR +t.created_by = ?1");
                if (f->view_any_count) {
                        text_append_string(sql, " OR ");
                        append_list(sql, "+t.environment", view_any_from(f), f->view_any_count);
                }
                text_append_string(sql, ")");
        }
        if (!is_total && f->before)
                text_append_string(sql, " AND t.rid < ?7");
}

static void append_merged(struct text *sql, const struct store_task_filter *f)
{
        text_append_string(sql, "t.rid IN (");
        for (size_t i = 0; i < padded(f->view_count); i++) {
                text_printf(sql, "%sSELECT * FROM (SELECT t.rid FROM tasks t WHERE t.environment = ?%zu",
                            i ? " UNION ALL " : "", LISTS_FROM + i);
                append_conditions(sql, f, false);
                text_append_string(sql, " ORDER BY t.rid DESC LIMIT ?8 + ?9)");
        }
        text_append_string(sql, ")");
}

char *task_list_sql(const struct store_task_filter *filter, bool is_total)
{
        struct text sql = TEXT_WITH_MAXIMUM(SQL_MAXIMUM);

        text_append_string(&sql, is_total ? "SELECT count(*) FROM (SELECT 1 FROM tasks t WHERE "
                                          : "SELECT " TASK_COLUMNS " FROM tasks t" TASK_JOINS " WHERE ");
        if (!is_total && is_merged(filter)) {
                append_merged(&sql, filter);
        } else {
                text_append_string(&sql, "1");
                append_environments(&sql, filter, is_total);
                append_conditions(&sql, filter, is_total);
        }
        text_append_string(&sql, is_total ? " LIMIT ?8)" : " ORDER BY t.rid DESC LIMIT ?8");
        if (!is_total && filter->offset)
                text_append_string(&sql, " OFFSET ?9");
        return text_take(&sql);
}

static sqlite3_stmt *cached(struct store_db *db, const struct store_task_filter *filter, bool is_total)
{
        auto_free char *sql = task_list_sql(filter, is_total);

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
        cache->entries[at].sql = take(sql);
        return statement;
}

static void bind_list(sqlite3_stmt *statement, int first, const int64_t *values, size_t count)
{
        for (size_t i = 0; i < padded(count); i++)
                sqlite3_bind_int64(statement, first + (int)i, count ? values[i < count ? i : count - 1] : 0);
}

static void bind(sqlite3_stmt *statement, const struct store_task_filter *f, int64_t limit)
{
        sqlite3_bind_int64(statement, VIEWER, f->viewer);
        sqlite3_bind_int64(statement, ENVIRONMENT, f->environment);
        sqlite3_bind_text(statement, STATUS, f->status, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, GROUP_ID, f->group_id, -1, SQLITE_STATIC);
        sqlite3_bind_int64(statement, NOW, f->now);
        sqlite3_bind_int64(statement, BEFORE, f->before);
        sqlite3_bind_int64(statement, LIMIT, limit);
        sqlite3_bind_int64(statement, OFFSET, f->offset);
        if (!f->is_view_everywhere && !f->environment)
                bind_list(statement, LISTS_FROM, f->view_environments, f->view_count);
        if (!f->is_view_any_everywhere && f->view_any_count)
                bind_list(statement, view_any_from(f), f->view_any_environments, f->view_any_count);
}

static bool begin(struct store_db *db, const struct store_task_filter *filter, bool is_total, int64_t limit,
                  struct query *query, struct error *error)
{
        query->connection = db->connection;
        query->statement = cached(db, filter, is_total);
        if (!query->statement)
                return query_failure(db->connection, error);
        bind(query->statement, filter, limit);
        return true;
}

bool store_task_list(struct store_db *db, const struct store_task_filter *filter, struct store_tasks *tasks,
                     struct error *error)
{
        auto_query query = {0};
        auto_store_tasks list = {.items = memory_new((size_t)filter->limit * sizeof *list.items)};
        bool is_row, is_good;

        if (!begin(db, filter, false, filter->limit, &query, error))
                return false;
        while ((is_good = query_next(&query, &is_row, error)) && is_row && list.count < (size_t)filter->limit)
                list.items[list.count++] = task_row_read(&query);
        if (!is_good)
                return false;
        *tasks = list;
        list = (struct store_tasks){0};
        return true;
}

bool store_task_list_total(struct store_db *db, const struct store_task_filter *filter, int64_t *total,
                           struct error *error)
{
        auto_query query = {0};
        bool is_row;

        if (!begin(db, filter, true, TASK_LIST_TOTAL_MAXIMUM + 1, &query, error) || !query_next(&query, &is_row, error))
                return false;
        *total = query_column_integer(&query, 0);
        return true;
}
