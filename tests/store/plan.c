/* No statement may read a whole table without being marked as meant to. */
#include "server/store/query.h"
#include "server/store/task_list.h"
#include "tests/store/fixture.h"
#include "tests/store/suites.h"

static bool is_scan(const char *detail)
{
        return !strncmp(detail, "SCAN ", 5) && strncmp(detail, "SCAN CONSTANT", 13) && strncmp(detail, "SCAN (", 6);
}

static bool is_sort(const char *detail)
{
        return !strcmp(detail, "USE TEMP B-TREE FOR ORDER BY");
}

/* Whether the plan has a step of that kind; the first one is copied. */
static bool has_step(struct store_db *db, const char *sql, bool (*is_bad)(const char *detail), char step[200])
{
        auto_free char *explain = text_format("EXPLAIN QUERY PLAN %s", sql);
        sqlite3_stmt *statement;
        bool is_found = false;

        if (sqlite3_prepare_v2(db->connection, explain, -1, &statement, NULL) != SQLITE_OK)
                fail_msg("%s: %s", sqlite3_errmsg(db->connection), sql);
        while (!is_found && sqlite3_step(statement) == SQLITE_ROW) {
                const char *detail = (const char *)sqlite3_column_text(statement, 3);
                is_found = is_bad(detail);
                if (is_found)
                        snprintf(step, 200, "%s", detail);
        }
        sqlite3_finalize(statement);
        return is_found;
}

static void only_marked_statements_read_whole_tables(void **state)
{
        struct fixture *fixture = *state;
        auto_text found = TEXT_WITH_MAXIMUM(4000);
        char step[200];

        for (size_t i = 0; i < STATEMENT_COUNT; i++)
                if (has_step(fixture->db, statement_texts[i].sql, is_scan, step) && !statement_texts[i].is_scanning)
                        text_printf(&found, "%s: %s\n", statement_texts[i].name, step);
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
        COMBINATIONS = 4096
};

static struct store_task_filter filter_of(unsigned bits)
{
        return (struct store_task_filter){
                .viewer = 1,
                .environment = bits & ENVIRONMENT ? 1 : 0,
                .status = bits & STATUS ? "running" : NULL,
                .group_id = bits & GROUP ? "g" : NULL,
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

/* What narrows by an index. Without any, the newest tasks are read in their order until the page is full. */
static bool is_narrowed(unsigned bits)
{
        return bits & (ENVIRONMENT | STATUS | GROUP | MINE | MY_TEAMS | PINNED);
}

static void lists_of_tasks_follow_an_index_or_their_own_order(void **state)
{
        struct fixture *fixture = *state;
        char step[200];

        for (unsigned bits = 0; bits < COMBINATIONS; bits++) {
                struct store_task_filter filter = filter_of(bits);
                auto_free char *list = task_list_sql(&filter, false), *total = task_list_sql(&filter, true);
                if (has_step(fixture->db, list, is_scan, step) && is_narrowed(bits))
                        fail_msg("%s in: %s", step, list);
                if (has_step(fixture->db, total, is_scan, step) && is_narrowed(bits))
                        fail_msg("%s in: %s", step, total);
        }
}

/* Sorting means reading every task that matches before the first is shown. What teams and pins choose is bounded by the
 * team and by the person. */
static void lists_of_tasks_are_not_sorted(void **state)
{
        struct fixture *fixture = *state;
        char step[200];

        for (unsigned bits = 0; bits < COMBINATIONS; bits++) {
                struct store_task_filter filter = filter_of(bits);
                auto_free char *list = task_list_sql(&filter, false);
                if (!(bits & (MY_TEAMS | PINNED)) && has_step(fixture->db, list, is_sort, step))
                        fail_msg("%s in: %s", step, list);
        }
}

int run_plan_tests(void)
{
#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, fixture_open, fixture_close)
        const struct CMUnitTest tests[] = {
                WITH_STORE(only_marked_statements_read_whole_tables),
                WITH_STORE(lists_of_tasks_follow_an_index_or_their_own_order),
                WITH_STORE(lists_of_tasks_are_not_sorted),
        };

        return cmocka_run_group_tests_name("query plans", tests, NULL, NULL);
}
