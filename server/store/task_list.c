#include "server/store/task_list.h"

#include <string.h>

#include "server/store/columns.h"
#include "server/store/list_query.h"
#include "server/store/task_row.h"

#define SQL_MAXIMUM 65536

/* Fixed parameter numbers, so that clauses can be left out freely; lists of environments follow from LISTS_FROM on. */
enum parameter { VIEWER = 1, ENVIRONMENT = 3, STATUS, GROUP_ID, NOW, BEFORE, LIMIT, OFFSET, LISTS_FROM };

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
        return f->status != NULL;
}
static bool is_alone(const struct store_task_filter *f)
{
        return f->is_alone;
}
static bool is_unpinned(const struct store_task_filter *f)
{
        return f->is_pinned_set && !f->is_pinned;
}
static bool is_awake(const struct store_task_filter *f)
{
        return !f->is_snoozed_included;
}

/* The optional clauses on a task x, the narrowest first. Of those that narrow the first chooses the index, or those
 * that are joint do; the others get a unary plus. A status goes with any of them. */
static const struct clause {
        bool (*applies)(const struct store_task_filter *filter);
        const char *column, *test;
        bool is_narrowing, is_joint;
} clauses[] = {
        {is_pinned, "x.rid", "IN (SELECT task FROM pins INDEXED BY pins_pinned WHERE user = ?1 AND is_pinned)", true,
         false},
        {is_group, "x.group_id", "= ?5", true, false},
        {is_mine, "x.created_by", "= ?1", true, true},
        {is_environment, "x.environment", "= ?3", true, true},
        {is_my_teams, "x.created_by", "IN " TEAM_MATES, true, true},
        {is_status, "x.status", "= ?4", false, false},
        {is_alone, "x.group_id", "IS NULL", false, false},
};

/* What is left out: few tasks, those of the viewer's own pins (what is snoozed is pinned). NULL for nothing. */
static const char *left_out(const struct store_task_filter *f)
{
        return is_unpinned(f) ? "(SELECT task FROM pins INDEXED BY pins_pinned WHERE user = ?1 AND is_pinned)"
               : is_awake(f)  ? "(SELECT task FROM pins WHERE user = ?1 AND snoozed_until > ?6)"
                              : NULL;
}

/* Whether the viewer's own environments narrow: they reach neither all of them nor has one been asked for. */
static bool is_by_environments(const struct store_task_filter *f)
{
        return !f->is_view_everywhere && !f->environment;
}

static int view_any_from(const struct store_task_filter *f)
{
        return LISTS_FROM + (is_by_environments(f) ? (int)list_padded(f->view_count) : 0);
}

static void append_visibility(struct text *sql, const struct store_task_filter *f, bool is_narrowed)
{
        if (is_by_environments(f)) {
                text_append_string(sql, " AND ");
                list_append(sql, is_narrowed ? "+x.environment" : "x.environment", LISTS_FROM, f->view_count);
        }
        if (f->is_view_any_everywhere || f->is_mine)
                return;
        text_append_string(sql, " AND (x.is_shared OR x.created_by = ?1");
        if (f->view_any_count) {
                text_append_string(sql, " OR ");
                list_append(sql, "+x.environment", view_any_from(f), f->view_any_count);
        }
        text_append_string(sql, ")");
}

/* Whether people and environments choose the index together. For a page that is of use only when all the columns before
 * its order are given. */
static bool is_joint(const struct store_task_filter *f, bool is_total)
{
        return (f->is_mine || f->is_my_teams) && !is_pinned(f) && !is_group(f) &&
               (is_total || (f->is_mine && f->environment && f->status));
}

/* FROM and WHERE of the tasks x that match; `source` is a condition that chooses the index, NULL for none. */
static void append_matching(struct text *sql, const struct store_task_filter *f, const char *source, bool is_total)
{
        bool is_narrowed = source != NULL, joint = !source && is_joint(f, is_total);

        text_printf(sql, " FROM tasks x WHERE %s", source ? source : "1");
        for (size_t i = 0; i < COUNT_OF(clauses); i++) {
                if (!clauses[i].applies(f))
                        continue;
                bool is_plain = !clauses[i].is_narrowing || !is_narrowed || (joint && clauses[i].is_joint);
                text_printf(sql, " AND %s%s %s", is_plain ? "" : "+", clauses[i].column, clauses[i].test);
                is_narrowed = is_narrowed || clauses[i].is_narrowing;
        }
        append_visibility(sql, f, is_narrowed && !joint);
}

/* All that match less those that are left out: to look each task up among these would cost more than all the rest. So
 * many more than asked for are counted that the difference is right as far as it goes. */
static char *total_sql(const struct store_task_filter *filter)
{
        struct text sql = TEXT_WITH_MAXIMUM(SQL_MAXIMUM);
        const char *out = left_out(filter);

        text_append_string(&sql, "SELECT (SELECT count(*) FROM (SELECT 1");
        append_matching(&sql, filter, NULL, true);
        if (!out) {
                text_append_string(&sql, " LIMIT ?8))");
                return text_take(&sql);
        }
        auto_free char *source = text_format("x.rid IN %s", out);
        text_printf(&sql, " LIMIT ?8 + (SELECT count(*) FROM %s))) - (SELECT count(*)", out);
        append_matching(&sql, filter, source, false);
        text_append_string(&sql, ")");
        return text_take(&sql);
}

/* The newest matches up to the end of the page, in descending order: of all, or of one group (NULL for all). */
static void append_newest(struct text *sql, const struct store_task_filter *filter, const char *group)
{
        const char *out = left_out(filter);

        text_append_string(sql, "SELECT x.rid");
        append_matching(sql, filter, group, false);
        if (out)
                text_printf(sql, " AND x.rid NOT IN %s", out);
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
                list_append(sql, "g.rid", LISTS_FROM, filter->view_count);
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
                list_bind(statement, LISTS_FROM, f->view_environments, f->view_count);
        if (!f->is_view_any_everywhere && f->view_any_count)
                list_bind(statement, view_any_from(f), f->view_any_environments, f->view_any_count);
}

static bool begin(struct store_db *db, const struct store_task_filter *filter, bool is_total, int64_t limit,
                  struct query *query, struct error *error)
{
        auto_free char *sql = task_list_sql(filter, is_total);

        if (!list_query_begin(db, sql, query, error))
                return false;
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
