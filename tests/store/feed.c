/* Changes of tasks are numbered in the order of their commits, by the database itself. */
#include "server/store/feed.h"

#include <stdatomic.h>

#include "server/base/clock.h"
#include "server/store/environment.h"
#include "server/store/query.h"
#include "server/store/task.h"
#include "tests/store/fixture.h"
#include "tests/store/suites.h"

static bool add_task(struct store_db *db, void *context, struct error *error)
{
        auto_store_environment environment = {0};
        struct store_task_new task = {.status = "staged",
                                      .type = "manual",
                                      .agent = "shell",
                                      .source = "rest",
                                      .branches = "{}",
                                      .is_shared = true,
                                      .created_at = clock_now()};
        char id[ID_SIZE];

        if (!store_environment_ensure(db, "test", 1, &environment, error))
                return false;
        id_new_task(task.created_at, id);
        task.id = id;
        task.environment = environment.rid;
        return store_task_add(db, &task, context, error);
}

static bool run_sql(struct store_db *db, void *context, struct error *error)
{
        return sqlite3_exec(db->connection, context, NULL, NULL, NULL) == SQLITE_OK ||
               query_failure(db->connection, error);
}

static bool run_and_refuse(struct store_db *db, void *context, struct error *error)
{
        return run_sql(db, context, error) && error_set(error, ERROR_CONFLICT, "refused");
}

static void sql(struct fixture *fixture, const char *text)
{
        fixture_write(fixture, run_sql, (void *)text);
}

static size_t read_changes(struct fixture *fixture, int64_t after, struct store_change changes[16])
{
        auto_error error = {0};
        size_t count;

        assert_true(store_change_list(fixture->db, after, changes, 16, &count, &error));
        return count;
}

static void every_change_of_a_task_gets_the_next_number(void **state)
{
        static const char *const statements[][2] = {
                {"UPDATE tasks SET status = 'queued'", "queued"},
                {"UPDATE tasks SET status = 'running'", "started"},
                {"UPDATE tasks SET status = 'failed'", "ended"},
                {"UPDATE tasks SET name = 'A name'", "renamed"},
                {"UPDATE tasks SET is_shared = 0", "unshared"},
                {"UPDATE tasks SET is_shared = 1", "shared"},
                {"UPDATE tasks SET approved_at = 1000", "marked"},
                {"INSERT OR IGNORE INTO users (rid, id, name, created_at) VALUES (1, 'u', 'u', 1); INSERT INTO "
                 "review_loops (id, owner, source, environment, task, task_id, group_id, max_rounds, "
                 "min_priority, pulls_latest, phase, round, attempt, created_at, changed_at) SELECT 'rl', 1, 'mcp', "
                 "environment, rid, id, 'g', 3, 'low', 0, 'reviewing', 1, 1, 1, "
                 "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) FROM tasks",
                 "reviewed"},
                {"UPDATE review_loops SET phase = 'feedback'", "reviewed"},
                {"DELETE FROM tasks", "deleted"},
        };
        struct fixture *fixture = *state;
        struct store_change changes[16];
        int64_t task, now = clock_now();

        fixture_write(fixture, add_task, &task);
        for (size_t i = 0; i < COUNT_OF(statements); i++)
                sql(fixture, statements[i][0]);
        assert_int_equal(read_changes(fixture, 0, changes), COUNT_OF(statements) + 1);
        assert_string_equal(changes[0].kind, "created");
        for (size_t i = 0; i <= COUNT_OF(statements); i++) {
                assert_int_equal(changes[i].seq, i + 1);
                assert_true(id_is_task(changes[i].task_id));
                assert_true(changes[i].at >= now - 1000 && changes[i].at <= clock_now() + 1000);
                if (i)
                        assert_string_equal(changes[i].kind, statements[i - 1][1]);
        }
        assert_int_equal(read_changes(fixture, 9, changes), 2);
}

static void what_changes_nothing_is_not_recorded(void **state)
{
        struct fixture *fixture = *state;
        struct store_change changes[16];
        auto_error error = {0};
        int64_t task;

        fixture_write(fixture, add_task, &task);
        sql(fixture, "UPDATE tasks SET status = 'staged', name = NULL, is_shared = 1, active_at = 5");
        assert_false(
                store_write(fixture->store, run_and_refuse, (char[]){"UPDATE tasks SET status = 'queued'"}, &error));
        assert_int_equal(read_changes(fixture, 0, changes), 1);
}

static void old_changes_are_pruned_and_numbers_go_on(void **state)
{
        struct fixture *fixture = *state;
        struct store_change changes[16];
        auto_error error = {0};
        int64_t task, oldest, newest;
        int deleted;

        for (int i = 0; i < 10; i++)
                fixture_write(fixture, add_task, &task);
        /* Batches of three; the newest four stay. */
        static const int expected[] = {3, 3, 0};
        for (size_t i = 0; i < COUNT_OF(expected); i++) {
                /* The connection is the test's own: nothing else is writing. */
                struct store_db *db = fixture->db;
                sqlite3_exec(db->connection, "PRAGMA query_only = OFF", NULL, NULL, NULL);
                assert_true(store_change_prune(db, 4, 0, 3, &deleted, &error));
                assert_int_equal(deleted, expected[i]);
        }
        assert_true(store_change_range(fixture->db, &oldest, &newest, &error));
        assert_int_equal(oldest, 7);
        assert_int_equal(newest, 10);
        assert_true(store_change_prune(fixture->db, 4, INT64_MAX, 100, &deleted, &error));
        assert_int_equal(read_changes(fixture, 0, changes), 1);
        fixture_write(fixture, add_task, &task);
        assert_int_equal(read_changes(fixture, 10, changes), 1);
        assert_int_equal(changes[0].seq, 11);
}

static void count_call(void *context)
{
        atomic_fetch_add((atomic_int *)context, 1);
}

static bool change_access(struct store_db *db, void *context, struct error *error)
{
        (void)context, (void)error;
        store_changes_access(db);
        return true;
}

static void listeners_hear_of_changes_of_tasks_and_of_access_only(void **state)
{
        struct fixture *fixture = *state;
        atomic_int count = 0;
        int64_t task;

        store_on_change(fixture->store, count_call, &count);
        fixture_write(fixture, add_task, &task);
        sql(fixture, "UPDATE tasks SET active_at = 7");
        sql(fixture, "UPDATE tasks SET status = 'queued'");
        fixture_write(fixture, change_access, NULL);
        sql(fixture, "UPDATE tasks SET active_at = 8");
        store_on_change(fixture->store, NULL, NULL);
        assert_int_equal(atomic_load(&count), 3);
}

int run_feed_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(every_change_of_a_task_gets_the_next_number, fixture_open,
                                                fixture_close),
                cmocka_unit_test_setup_teardown(what_changes_nothing_is_not_recorded, fixture_open, fixture_close),
                cmocka_unit_test_setup_teardown(old_changes_are_pruned_and_numbers_go_on, fixture_open, fixture_close),
                cmocka_unit_test_setup_teardown(listeners_hear_of_changes_of_tasks_and_of_access_only, fixture_open,
                                                fixture_close),
        };

        return cmocka_run_group_tests_name("changes of tasks", tests, NULL, NULL);
}
