/* Pages of tasks over several environments. */
#include "server/base/id.h"
#include "server/store/environment.h"
#include "server/store/task_list.h"
#include "tests/store/fixture.h"
#include "tests/store/suites.h"

enum { ENVIRONMENTS = 5, TASKS = 60 };

struct made {
        int64_t environments[ENVIRONMENTS];
        int64_t tasks[TASKS];
};

/* Task i lies in environment i % 5; every seventh is private, every fourth has failed. */
static bool make(struct store_db *db, void *context, struct error *error)
{
        struct made *made = context;

        for (size_t i = 0; i < ENVIRONMENTS; i++) {
                char name[] = {(char)('a' + i), '\0'};
                auto_store_environment environment = {0};
                if (!store_environment_ensure(db, name, 1, &environment, error))
                        return false;
                made->environments[i] = environment.rid;
        }
        for (size_t i = 0; i < TASKS; i++) {
                char id[ID_SIZE];
                id_new_task(1000, id);
                struct store_task_new task = {.id = id,
                                              .status = i % 4 ? "completed" : "failed",
                                              .type = "manual",
                                              .agent = "shell",
                                              .source = "mcp",
                                              .branches = "{}",
                                              .environment = made->environments[i % ENVIRONMENTS],
                                              .is_shared = i % 7,
                                              .created_at = 1000};
                if (!store_task_add(db, &task, &made->tasks[i], error))
                        return false;
        }
        return true;
}

/* Whether task i is seen by one who may view in the environments 0, 2 and 4, and private tasks in 2 only. */
static bool is_expected(size_t i, bool is_failed_only)
{
        size_t environment = i % ENVIRONMENTS;

        return environment % 2 == 0 && (i % 7 || environment == 2) && (!is_failed_only || i % 4 == 0);
}

static void check_pages(struct fixture *fixture, const struct made *made, bool is_failed_only, bool is_by_offset)
{
        int64_t view[] = {made->environments[0], made->environments[2], made->environments[4]};
        struct store_task_filter filter = {.view_environments = view,
                                           .view_count = COUNT_OF(view),
                                           .view_any_environments = &view[1],
                                           .view_any_count = 1,
                                           .status = is_failed_only ? "failed" : NULL,
                                           .limit = 7};
        auto_error error = {0};
        size_t seen = 0;

        for (size_t i = TASKS; i > 0;) {
                auto_store_tasks page = {0};
                assert_true(store_task_list(fixture->db, &filter, &page, &error));
                for (size_t k = 0; k < page.count; k++, seen++) {
                        while (i > 0 && !is_expected(i - 1, is_failed_only))
                                i--;
                        assert_true(i > 0);
                        assert_int_equal(page.items[k].rid, made->tasks[--i]);
                }
                if (page.count < 7)
                        break;
                filter.before = is_by_offset ? 0 : page.items[6].rid;
                filter.offset = is_by_offset ? (int64_t)seen : 0;
        }
        size_t expected = 0;
        for (size_t i = 0; i < TASKS; i++)
                expected += is_expected(i, is_failed_only);
        assert_int_equal(seen, expected);
        int64_t total;
        assert_true(store_task_list_total(fixture->db, &filter, &total, &error));
        assert_int_equal(total, expected);
}

static void pages_over_several_environments_hold_each_visible_task_once_newest_first(void **state)
{
        struct fixture *fixture = *state;
        struct made made;

        fixture_write(fixture, make, &made);
        check_pages(fixture, &made, false, false);
        check_pages(fixture, &made, false, true);
        check_pages(fixture, &made, true, false);
        check_pages(fixture, &made, true, true);
}

int run_page_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(
                        pages_over_several_environments_hold_each_visible_task_once_newest_first, fixture_open,
                        fixture_close),
        };

        return cmocka_run_group_tests_name("pages", tests, NULL, NULL);
}
