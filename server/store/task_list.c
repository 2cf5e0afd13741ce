#include "server/store/task_list.h"

#include <string.h>

#include "server/base/secret.h"
#include "server/store/columns.h"
#include "server/store/task_row.h"

#define CACHE_SIZE 64
#define SQL_MAXIMUM 65536

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

static bool is_pinned(const struct store_task_filter *f)
{
        return f->is_pinned_set && f->is_pinned;
}
static bool is_group(const struct store_task_filter *f)
{
        return f->group_id != NULL;
}
static bool is_mine(const struct store_task_filter *f)
{
        return f->is_mine;
}
static bool is_environment(const struct store_task_filter *f)
{
        return f->environment != 0;
}
static bool is_my_teams(const struct store_task_filter *f)
{
        return f->is_my_teams && !f->is_mine;
}
static bool is_status(const struct store_task_filter *f)
{
        return f->status && !(f->is_mine && f->environment);
}
static bool is_status_of_few(const struct store_task_filter *f)
{
        return f->status && f->is_mine && f->environment;
}
static bool is_unpinned(const struct store_task_filter *f)
{
        return f->is_pinned_set && !f->is_pinned;
}
static bool is_awake(const struct store_task_filter *f)
{
        return !f->is_snoozed_included;
}

#define TEAM_MATES                                                                                                     \
        "(SELECT ?1 UNION SELECT o.user FROM team_members m JOIN team_members o ON o.team = m.team WHERE m.user = ?1)"

/* The optional clauses on a task x, the narrowest first. Of those that narrow the first chooses the index, together
 * with the one that goes beside it; the others get a unary plus. */
static const struct clause {
        bool (*applies)(const struct store_task_filter *filter);
        const char *column, *test;
        bool is_narrowing;
        bool (*beside)(const struct store_task_filter *filter);
} clauses[] = {
        {is_pinned, "x.rid", "IN (SELECT task FROM pins WHERE user = ?1 AND is_pinned)", true, NULL},
        {is_group, "x.group_id", "= ?5", true, NULL},
        {is_mine, "x.created_by", "= ?1", true, NULL},
        {is_environment, "x.environment", "= ?3", true, is_mine},
        {is_my_teams, "x.created_by", "IN " TEAM_MATES, true, NULL},
        {is_status, "x.status", "= ?4", false, NULL},
        {is_status_of_few, "+x.status", "= ?4", false, NULL},
        {is_unpinned, "x.rid", "NOT IN (SELECT task FROM pins WHERE user = ?1 AND is_pinned)", false, NULL},
        {is_awake, "x.rid", "NOT IN (SELECT task FROM pins WHERE user = ?1 AND snoozed_until > ?6)", false, NULL},
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

/* Whether the viewer's own environments narrow: they reach neither all of them nor has one been asked for. */
static bool is_by_environments(const struct store_task_filter *f)
{
        return !f->is_view_everywhere && !f->environment;
}

static int view_any_from(const struct store_task_filter *f)
{
        return LISTS_FROM + (is_by_environments(f) ? (int)padded(f->view_count) : 0);
}

static void append_visibility(struct text *sql, const struct store_task_filter *f, bool is_narrowed)
{
        if (is_by_environments(f)) {
                text_append_string(sql, " AND ");
                append_list(sql, is_narrowed ? "+x.environment" : "x.environment", LISTS_FROM, f->view_count);
        }
        if (f->is_view_any_everywhere)
                return;
        text_append_string(sql, " AND (x.is_shared OR x.created_by = ?1");
        if (f->view_any_count) {
                text_append_string(sql, " OR ");
                append_list(sql, "+x.environment", view_any_from(f), f->view_any_count);
        }
        text_append_string(sql, ")");
}

/* FROM and WHERE of the tasks x that match; `group` is a condition that chooses the index, NULL for none. */
static void append_matching(struct text *sql, const struct store_task_filter *f, const char *group)
{
        const struct clause *first = NULL;

        text_printf(sql, " FROM tasks x WHERE %s", group ? group : "1");
        for (const struct clause *clause = clauses; clause < clauses + COUNT_OF(clauses); clause++) {
                if (!clause->applies(f))
                        continue;
                bool is_chosen = !group && (!first || first->applies == clause->beside);
                text_printf(sql, " AND %s%s %s", clause->is_narrowing && !is_chosen ? "+" : "", clause->column,
                            clause->test);
                if (clause->is_narrowing && !first)
                        first = clause;
        }
        append_visibility(sql, f, group || first);
}

static char *total_sql(const struct store_task_filter *filter)
{
        struct text sql = TEXT_WITH_MAXIMUM(SQL_MAXIMUM);

        text_append_string(&sql, "SELECT count(*) FROM (SELECT 1");
        append_matching(&sql, filter, NULL);
        text_append_string(&sql, " LIMIT ?8)");
        return text_take(&sql);
}

/* The newest matches up to the end of the page, in descending order: of all, or of one group (NULL for all). */
static void append_newest(struct text *sql, const struct store_task_filter *filter, const char *group)
{
        text_append_string(sql, "SELECT x.rid");
        append_matching(sql, filter, group);
        text_printf(sql, "%s ORDER BY x.rid DESC LIMIT ?8 + ?9", filter->before ? " AND x.rid < ?7" : "");
}

/* What several people made, or several environments hold, lies in as many places of an index: the newest of each are
 * taken, and of them the newest, so that what there is in all does not count. */
static void append_page(struct text *sql, const struct store_task_filter *filter)
{
        bool is_narrow = is_pinned(filter) || is_group(filter) || is_mine(filter) || is_environment(filter);
        bool is_by_mates = !is_narrow && is_my_teams(filter);

        if (is_by_mates) {
                text_append_string(sql, "SELECT c.rid FROM users g CROSS JOIN tasks c WHERE g.rid IN " TEAM_MATES);
        } else if (!is_narrow && is_by_environments(filter)) {
                text_append_string(sql, "SELECT c.rid FROM environments g CROSS JOIN tasks c WHERE ");
                append_list(sql, "g.rid", LISTS_FROM, filter->view_count);
        } else {
                append_newest(sql, filter, NULL);
                return;
        }
        text_append_string(sql, " AND c.rid IN (");
        append_newest(sql, filter, is_by_mates ? "x.created_by = g.rid" : "x.environment = g.rid");
        text_append_string(sql, ") ORDER BY c.rid DESC LIMIT ?8 + ?9");
}

static char *page_sql(const struct store_task_filter *filter)
{
        struct text sql = TEXT_WITH_MAXIMUM(SQL_MAXIMUM);

        text_append_string(&sql,
                           "SELECT " TASK_COLUMNS " FROM tasks t" TASK_JOINS " WHERE t.rid IN (SELECT rid FROM (");
        append_page(&sql, filter);
        text_append_string(&sql, ") ORDER BY rid DESC LIMIT ?8 OFFSET ?9) ORDER BY t.rid DESC");
        return text_take(&sql);
}

char *task_list_sql(const struct store_task_filter *filter, bool is_total)
{
        return is_total ? total_sql(filter) : page_sql(filter);
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
        if (is_by_environments(f))
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
