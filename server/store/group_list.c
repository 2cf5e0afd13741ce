#include "server/store/group_list.h"

#include "server/store/group_row.h"
#include "server/store/list_query.h"

#define SQL_MAXIMUM 65536

/* Fixed parameter numbers; lists of environments follow from LISTS_FROM on. */
enum parameter { VIEWER = 1, STATUS = 4, NOW = 6, BEFORE, LIMIT, OFFSET, LISTS_FROM };

void store_groups_clear(struct store_groups *groups)
{
        for (size_t i = 0; i < groups->count; i++)
                store_group_clear(&groups->items[i]);
        free(groups->items);
        *groups = (struct store_groups){0};
}

/* One audience's rows, in the environments where the viewer belongs to it. */
struct part {
        const char *audience;
        const char *seen;  /* which tasks t of a group the audience sees */
        bool is_shadowed;  /* rows that the viewer has of one's own hold instead of these */
        bool is_elsewhere; /* everywhere but in the environments of the list */
        int list_from;     /* 0: everywhere */
        size_t list_count;
};

#define SEES_SOME "(t.is_shared OR t.created_by = ?1)"

static int shared_from(const struct store_group_filter *f)
{
        return LISTS_FROM + (f->is_all_everywhere ? 0 : (int)list_padded(f->all_count));
}

/* The parts that the filter's groups lie in, at most three. */
static size_t parts_of(const struct store_group_filter *f, struct part parts[3])
{
        bool has_shared = !f->is_all_everywhere && (f->is_shared_everywhere || f->shared_count);
        bool is_elsewhere = f->is_shared_everywhere && f->all_count;
        struct part shared = {.audience = "?1",
                              .seen = SEES_SOME,
                              .is_elsewhere = is_elsewhere,
                              .list_from = is_elsewhere              ? LISTS_FROM
                                           : f->is_shared_everywhere ? 0
                                                                     : shared_from(f),
                              .list_count = is_elsewhere ? f->all_count : f->shared_count};
        size_t count = 0;

        if (f->is_all_everywhere || f->all_count)
                parts[count++] = (struct part){.audience = "-1",
                                               .seen = "1",
                                               .list_from = f->is_all_everywhere ? 0 : LISTS_FROM,
                                               .list_count = f->all_count};
        if (has_shared)
                parts[count++] = shared;
        /* Whose creator is the viewer has always a row of the viewer's. */
        if (has_shared && !f->is_mine) {
                shared.audience = "0";
                shared.is_shadowed = true;
                parts[count++] = shared;
        }
        return count;
}

static void append_pinned(struct text *sql, const struct part *part, bool is_asleep)
{
        text_printf(sql,
                    "(SELECT g.rid FROM pins p INDEXED BY %s CROSS JOIN tasks t CROSS JOIN task_groups g WHERE "
                    "p.user = ?1 AND p.is_pinned AND %st.rid = p.task AND t.group_id IS NOT NULL AND "
                    "g.id = t.group_id AND %s)",
                    is_asleep ? "pins_asleep" : "pins_pinned", is_asleep ? "p.snoozed_until > ?6 AND " : "",
                    part->seen);
}

/* What narrows rows x of the part besides what leads to them; `is_common`: rows of one's own that stand beside a row of
 * everybody's that matches. */
static void append_rest(struct text *sql, const struct store_group_filter *f, const struct part *part, bool is_total,
                        bool is_common)
{
        if (is_common)
                text_append_string(sql, f->status ? " AND x.shared_status = ?4" : " AND x.shared_status IS NOT NULL");
        else if (f->status)
                text_append_string(sql, " AND x.status = ?4");
        /* A row of one's own that has another status holds instead. */
        if (part->is_shadowed && f->status && !is_total)
                text_append_string(sql, " AND NOT EXISTS (SELECT 1 FROM group_views o WHERE o.grp = x.grp AND "
                                        "o.audience = ?1 AND o.status != ?4)");
        if (f->is_pinned_set && !f->is_pinned) {
                text_append_string(sql, " AND x.grp NOT IN ");
                append_pinned(sql, part, false);
        } else if (!f->is_snoozed_included) {
                text_append_string(sql, " AND x.grp NOT IN ");
                append_pinned(sql, part, true);
        }
        if (!is_total && f->before)
                text_append_string(sql, " AND x.grp < ?7");
}

static void append_environments(struct text *sql, const struct part *part, bool is_leading)
{
        if (!part->list_from)
                return;
        text_append_string(sql, " AND ");
        list_append(sql,
                    part->is_elsewhere ? "NOT x.environment"
                    : is_leading       ? "x.environment"
                                       : "+x.environment",
                    part->list_from, part->list_count);
}

#define NEWEST " ORDER BY x.grp DESC LIMIT ?8 + ?9"

static bool is_by_pins(const struct store_group_filter *f)
{
        return f->is_pinned_set && f->is_pinned;
}

/* The condition on x that leads to the rows, when there is one; whether all of it is in one place of an index. */
static bool append_source(struct text *sql, const struct store_group_filter *f, const struct part *part)
{
        text_printf(sql, "x.audience = %s", part->audience);
        if (is_by_pins(f)) {
                text_append_string(sql, " AND x.grp IN ");
                append_pinned(sql, part, false);
                if (f->is_mine)
                        text_append_string(sql, " AND +x.creator = ?1");
                if (f->is_my_teams && !f->is_mine)
                        text_append_string(sql, " AND +x.creator IN " TEAM_MATES);
        } else if (f->is_mine) {
                text_append_string(sql, " AND x.creator = ?1");
        } else {
                return false;
        }
        append_environments(sql, part, false);
        return true;
}

static void append_count(struct text *sql, const struct store_group_filter *f, const struct part *part, bool is_common,
                         const char *limit)
{
        text_append_string(sql, "(SELECT count(*) FROM (SELECT 1 FROM group_views x WHERE ");
        if (!append_source(sql, f, part)) {
                if (f->is_my_teams)
                        text_append_string(sql, " AND x.creator IN " TEAM_MATES);
                append_environments(sql, part, !f->is_my_teams);
        }
        append_rest(sql, f, part, true, is_common);
        text_printf(sql, "%s))", limit);
}

/* What lies in several places of an index, one for each `g`: the newest of each, and of those the newest. */
static void append_scattered(struct text *sql, const struct store_group_filter *f, const struct part *part)
{
        text_append_string(sql, "SELECT c.grp FROM ");
        if (f->is_my_teams) {
                text_append_string(sql, "users g CROSS JOIN group_views c WHERE g.rid IN " TEAM_MATES);
        } else {
                text_append_string(sql, "environments g CROSS JOIN group_views c WHERE ");
                list_append(sql, "g.rid", part->list_from, part->list_count);
        }
        text_printf(sql,
                    " AND c.audience = %s AND c.grp IN (SELECT x.grp FROM group_views x WHERE x.audience = %s AND ",
                    part->audience, part->audience);
        text_append_string(sql, f->is_my_teams ? "x.creator = g.rid" : "x.environment = g.rid");
        if (f->is_my_teams)
                append_environments(sql, part, false);
        append_rest(sql, f, part, false, false);
        text_append_string(sql, NEWEST ") ORDER BY c.grp DESC LIMIT ?8 + ?9");
}

static void append_page(struct text *sql, const struct store_group_filter *f, const struct part *part)
{
        struct text source = TEXT_WITH_MAXIMUM(SQL_MAXIMUM);
        bool is_one = append_source(&source, f, part);

        if (!is_one && (f->is_my_teams || (part->list_from && !part->is_elsewhere))) {
                append_scattered(sql, f, part);
        } else {
                if (!is_one)
                        append_environments(&source, part, false);
                text_printf(sql, "SELECT x.grp FROM group_views x WHERE %s", text_string(&source));
                append_rest(sql, f, part, false, false);
                text_append_string(sql, NEWEST);
        }
        text_clear(&source);
}

/* The parts' groups, each once. */
static char *page_sql(const struct store_group_filter *filter)
{
        struct text sql = TEXT_WITH_MAXIMUM(SQL_MAXIMUM);
        struct part parts[3];
        size_t count = parts_of(filter, parts);

        text_append_string(&sql, "SELECT " GROUP_COLUMNS GROUP_FROM " WHERE g.rid IN (SELECT grp FROM (");
        for (size_t i = 0; i < count; i++) {
                text_printf(&sql, "%sSELECT grp FROM (", i ? " UNION " : "");
                append_page(&sql, filter, &parts[i]);
                text_append_string(&sql, ")");
        }
        if (!count)
                text_append_string(&sql, "SELECT 0 AS grp");
        text_append_string(&sql, ") ORDER BY grp DESC LIMIT ?8 OFFSET ?9) ORDER BY g.rid DESC");
        return text_take(&sql);
}

/* The rows of all parts, less the viewer's own whose group everybody's rows count already: so many more of these are
 * counted that the difference is right as far as it goes. */
static char *total_sql(const struct store_group_filter *filter)
{
        struct text sql = TEXT_WITH_MAXIMUM(SQL_MAXIMUM);
        struct part parts[3];
        size_t count = parts_of(filter, parts);

        text_append_string(&sql, "SELECT 0");
        for (size_t i = 0; i < count; i++) {
                auto_text limit = TEXT_WITH_MAXIMUM(SQL_MAXIMUM);
                text_append_string(&limit, " LIMIT ?8");
                if (parts[i].is_shadowed) {
                        text_append_string(&limit, " + ");
                        append_count(&limit, filter, &parts[i - 1], true, " LIMIT ?8");
                        text_append_string(&sql, " - ");
                        append_count(&sql, filter, &parts[i - 1], true, " LIMIT ?8");
                }
                text_append_string(&sql, " + ");
                append_count(&sql, filter, &parts[i], false, text_string(&limit));
        }
        return text_take(&sql);
}

char *group_list_sql(const struct store_group_filter *filter, bool is_total)
{
        return is_total ? total_sql(filter) : page_sql(filter);
}

static bool begin(struct store_db *db, const struct store_group_filter *f, bool is_total, int64_t limit,
                  struct query *query, struct error *error)
{
        auto_free char *sql = group_list_sql(f, is_total);

        if (!list_query_begin(db, sql, query, error))
                return false;
        sqlite3_bind_int64(query->statement, VIEWER, f->viewer);
        sqlite3_bind_text(query->statement, STATUS, f->status, -1, SQLITE_STATIC);
        sqlite3_bind_int64(query->statement, NOW, f->now);
        sqlite3_bind_int64(query->statement, BEFORE, f->before);
        sqlite3_bind_int64(query->statement, LIMIT, limit);
        sqlite3_bind_int64(query->statement, OFFSET, f->offset);
        if (!f->is_all_everywhere) {
                list_bind(query->statement, LISTS_FROM, f->all_environments, f->all_count);
                list_bind(query->statement, shared_from(f), f->shared_environments, f->shared_count);
        }
        return true;
}

bool store_group_list(struct store_db *db, const struct store_group_filter *filter, struct store_groups *groups,
                      struct error *error)
{
        auto_query query = {0};
        auto_store_groups list = {.items = memory_new((size_t)filter->limit * sizeof *list.items)};
        bool is_row, is_good;

        if (!begin(db, filter, false, filter->limit, &query, error))
                return false;
        while ((is_good = query_next(&query, &is_row, error)) && is_row && list.count < (size_t)filter->limit)
                list.items[list.count++] = group_row_read(&query);
        if (!is_good)
                return false;
        *groups = list;
        list = (struct store_groups){0};
        return true;
}

bool store_group_list_total(struct store_db *db, const struct store_group_filter *filter, int64_t *total,
                            struct error *error)
{
        auto_query query = {0};
        bool is_row;

        if (!begin(db, filter, true, TASK_LIST_TOTAL_MAXIMUM + 1, &query, error) || !query_next(&query, &is_row, error))
                return false;
        *total = query_column_integer(&query, 0);
        return true;
}
