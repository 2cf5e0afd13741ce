/* No statement may read a whole table without being marked as meant to, nor sort for the sake of one row. */
#include "server/store/group_list.h"
#include "server/store/query.h"
#include "server/store/task_list.h"
#include "tests/store/fixture.h"
#include "tests/store/suites.h"

typedef bool step_test(const char *detail);

static bool is_scan(const char *detail)
{
        return !strncmp(detail, "SCAN ", 5) && strncmp(detail, "SCAN CONSTANT", 13) && strncmp(detail, "SCAN (", 6);
}

static bool is_sort(const char *detail)
{
        return !strcmp(detail, "USE TEMP B-TREE FOR ORDER BY");
}

/* Whether a step of the plan is of that kind; the first such step is copied. */
static bool has_step(struct store_db *db, const char *sql, step_test *test, char step[200])
{
        auto_free char *explain = text_format("EXPLAIN QUERY PLAN %s", sql);
        sqlite3_stmt *statement;
        bool is_found = false;

        if (sqlite3_prepare_v2(db->connection, explain, -1, &statement, NULL) != SQLITE_OK)
                fail_msg("%s: %s", sqlite3_errmsg(db->connection), sql);
        while (!is_found && sqlite3_step(statement) == SQLITE_ROW) {
                const char *detail = (const char *)sqlite3_column_text(statement, 3);
                is_found = test(detail);
                if (is_found)
                        snprintf(step, 200, "%s", detail);
        }
        sqlite3_finalize(statement);
        return is_found;
}

static bool scans(struct store_db *db, const char *sql, char step[200])
{
        return has_step(db, sql, is_scan, step);
}

static void only_marked_statements_read_whole_tables(void **state)
{
        struct fixture *fixture = *state;
        auto_text found = TEXT_WITH_MAXIMUM(4000);
        char step[200];

        for (size_t i = 0; i < STATEMENT_COUNT; i++)
                if (scans(fixture->db, statement_texts[i].sql, step) && !statement_texts[i].is_scanning)
                        text_printf(&found, "%s: %s\n", statement_texts[i].name, step);
        assert_string_equal(text_string(&found), "");
}

/* Sorting all that match to take one of them makes a queue slow just when it is long. */
static void nothing_is_sorted_to_take_the_first(void **state)
{
        static const char first[] = "LIMIT 1";
        struct fixture *fixture = *state;
        auto_text found = TEXT_WITH_MAXIMUM(4000);
        char step[200];

        for (size_t i = 0; i < STATEMENT_COUNT; i++) {
                const char *sql = statement_texts[i].sql;
                size_t length = strlen(sql), end = sizeof first - 1;
                if (length > end && !strcmp(sql + length - end, first) && has_step(fixture->db, sql, is_sort, step))
                        text_printf(&found, "%s: %s\n", statement_texts[i].name, step);
        }
        assert_string_equal(text_string(&found), "");
}

static const int64_t some[] = {1, 2, 3};

/* The combinations, as bits. */
enum {
        ENVIRONMENT = 1,
        STATUS = 2,
        GROUP = 4,
        MINE = 8,
        MY_TEAMS = 16,
        PINNED = 32,
        UNPINNED = 64,
        SNOOZED = 128,
        EVERYWHERE = 256,
        ANY_EVERYWHERE = 512,
        ANY_SOMEWHERE = 1024,
        CONTINUED = 2048,
        ALONE = 4096,
        COMBINATIONS = 8192
};

static struct store_task_filter filter_of(unsigned bits)
{
        return (struct store_task_filter){
                .viewer = 1,
                .environment = bits & ENVIRONMENT ? 1 : 0,
                .status = bits & STATUS ? "running" : NULL,
                .group_id = bits & GROUP ? "g" : NULL,
                .is_alone = bits & ALONE,
                .is_mine = bits & MINE,
                .is_my_teams = bits & MY_TEAMS,
                .is_pinned_set = bits & (PINNED | UNPINNED),
                .is_pinned = bits & PINNED,
                .is_snoozed_included = bits & SNOOZED,
                .is_view_everywhere = bits & EVERYWHERE,
                .is_view_any_everywhere = bits & ANY_EVERYWHERE,
                .view_environments = some,
                .view_count = COUNT_OF(some),
                .view_any_environments = some,
                .view_any_count = bits & ANY_SOMEWHERE ? COUNT_OF(some) : 0,
                .before = bits & CONTINUED ? 100 : 0,
                .limit = 25,
        };
}

/* What narrows by an index. Without any, and with all environments to see, the newest tasks are read in their order
 * until the page is full. */
static bool is_narrowed(unsigned bits)
{
        return !(bits & EVERYWHERE) || bits & (ENVIRONMENT | STATUS | GROUP | MINE | MY_TEAMS | PINNED);
}

static void lists_of_tasks_follow_an_index_or_their_own_order(void **state)
{
        struct fixture *fixture = *state;
        char step[200];

        for (unsigned bits = 0; bits < COMBINATIONS; bits++) {
                struct store_task_filter filter = filter_of(bits);
                auto_free char *list = task_list_sql(&filter, false), *total = task_list_sql(&filter, true);
                if (scans(fixture->db, list, step) && is_narrowed(bits))
                        fail_msg("%s in: %s", step, list);
                if (scans(fixture->db, total, step) && is_narrowed(bits))
                        fail_msg("%s in: %s", step, total);
        }
}

/* Without an order that an index gives, what matches would be sorted before the first is told. Pages sort no more than
 * the few they found in several places: those have a limit of their own. */
static bool sorts_all(struct store_db *db, const char *sql, const char *table)
{
        auto_free char *explain = text_format("EXPLAIN QUERY PLAN %s", sql);
        sqlite3_stmt *statement;
        bool is_by_index = true;

        if (sqlite3_prepare_v2(db->connection, explain, -1, &statement, NULL) != SQLITE_OK)
                fail_msg("%s: %s", sqlite3_errmsg(db->connection), sql);
        while (sqlite3_step(statement) == SQLITE_ROW) {
                const char *detail = (const char *)sqlite3_column_text(statement, 3);
                if (strstr(detail, table) && !strstr(detail, "INDEX") && !strstr(detail, "PRIMARY KEY"))
                        is_by_index = false;
        }
        sqlite3_finalize(statement);
        return !is_by_index;
}

enum {
        GROUPS_STATUS = 1,
        GROUPS_MINE = 2,
        GROUPS_TEAMS = 4,
        GROUPS_PINNED = 8,
        GROUPS_UNPINNED = 16,
        GROUPS_SNOOZED = 32,
        GROUPS_ALL_EVERYWHERE = 64,
        GROUPS_ALL_SOMEWHERE = 128,
        GROUPS_SHARED_EVERYWHERE = 256,
        GROUPS_SHARED_SOMEWHERE = 512,
        GROUPS_CONTINUED = 1024,
        GROUPS_COMBINATIONS = 2048
};

static void lists_of_groups_follow_an_index(void **state)
{
        struct fixture *fixture = *state;
        char step[200];

        for (unsigned bits = 0; bits < GROUPS_COMBINATIONS; bits++) {
                struct store_group_filter filter = {
                        .viewer = 1,
                        .is_all_everywhere = bits & GROUPS_ALL_EVERYWHERE,
                        .is_shared_everywhere = bits & GROUPS_SHARED_EVERYWHERE,
                        .all_environments = some,
                        .shared_environments = some,
                        .all_count = bits & GROUPS_ALL_SOMEWHERE ? COUNT_OF(some) : 0,
                        .shared_count = bits & GROUPS_SHARED_SOMEWHERE ? COUNT_OF(some) : 0,
                        .status = bits & GROUPS_STATUS ? "running" : NULL,
                        .is_mine = bits & GROUPS_MINE,
                        .is_my_teams = bits & GROUPS_TEAMS,
                        .is_pinned_set = bits & (GROUPS_PINNED | GROUPS_UNPINNED),
                        .is_pinned = bits & GROUPS_PINNED,
                        .is_snoozed_included = bits & GROUPS_SNOOZED,
                        .before = bits & GROUPS_CONTINUED ? 100 : 0,
                        .limit = 25,
                };
                auto_free char *list = group_list_sql(&filter, false), *total = group_list_sql(&filter, true);
                if (scans(fixture->db, list, step) || sorts_all(fixture->db, list, "SEARCH x"))
                        fail_msg("%s in: %s", step, list);
                if (scans(fixture->db, total, step))
                        fail_msg("%s in: %s", step, total);
        }
}

int run_plan_tests(void)
{
#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, fixture_open, fixture_close)
        const struct CMUnitTest tests[] = {
                WITH_STORE(only_marked_statements_read_whole_tables),
                WITH_STORE(nothing_is_sorted_to_take_the_first),
                WITH_STORE(lists_of_tasks_follow_an_index_or_their_own_order),
                WITH_STORE(lists_of_groups_follow_an_index),
        };

        return cmocka_run_group_tests_name("query plans", tests, NULL, NULL);
}
