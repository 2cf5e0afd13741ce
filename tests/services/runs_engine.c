/* Runs beside the turns, in real containers: what becomes of them when nobody looks. */
#include <string.h>
#include <sys/stat.h>

#include "server/base/clock.h"
#include "server/services/app_server.h"
#include "server/services/named_test.h"
#include "server/services/task_run.h"
#include "tests/services/berth.h"
#include "tests/services/suites.h"

static char *ready_task(struct berth *berth)
{
        world_environment(
                berth->world, "box",
                "{\"network\": \"none\", \"limits\": {\"memoryMb\": 128, \"pids\": 64}, \"tests\": ["
                "{\"name\": \"held\", \"command\": \"echo once >> times; touch begun; until [ -e go ]; do sleep "
                "0.02; done; cat times\"},"
                "{\"name\": \"loud\", \"command\": \"yes 0123456789 | head -c 40000000; echo; echo end\"}],"
                "\"appServer\": {\"command\": \"touch serving; exec sleep 1000\", \"port\": 8080}}");
        char *task = berth_task(berth, "box", "true");

        berth_expect(berth, task, "completed", "finished", "");
        return task;
}

static void start_test(struct berth *berth, const char *task, const char *name)
{
        struct call call = world_call(berth->world, berth->world->admin);
        auto_json *result = NULL;
        auto_error error = {0};

        if (!test_run(&call, &(struct test_run_input){task, name, NULL}, &result, &error))
                fail_msg("%s", error.message);
}

/* Waits until the newest run of the kind and name has ended. */
static struct store_task_run ended(struct berth *berth, const char *task, const char *kind, const char *name)
{
        struct call call = world_call(berth->world, berth->world->admin);
        auto_store_task stored = world_stored(berth->world, task);
        struct store_task_run run = {0};
        auto_error error = {0};
        bool is_found;

        assert_true(store_task_run_latest(berth->world->db, stored.rid, kind, name, &run, &is_found, &error));
        assert_true(is_found);
        assert_true(task_run_wait(&call, run.rid, false, clock_monotonic() + PATIENCE_MS, &run, &error));
        assert_true(run.ended_at);
        return run;
}

static void a_test_is_let_come_to_its_end_before_its_idle_container_is_stopped(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = ready_task(berth);

        start_test(berth, task, "held");
        berth_wait_file(berth, task, "begun");
        berth_retain(berth, 100);
        assert_container(berth, task, "running");
        berth_make_file(berth, task, "go");
        auto_store_task_run run = ended(berth, task, TASK_RUN_TEST, "held");
        assert_string_equal(run.reason, "exited");
        assert_int_equal(run.exit_code, 0);
        berth_retain(berth, 100);
        assert_container(berth, task, "exited");
}

static void an_application_goes_with_its_idle_container(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = ready_task(berth);
        struct call call = world_call(berth->world, berth->world->admin);
        auto_json *result = NULL, *after = NULL;
        auto_error error = {0};

        if (!app_server_start(&call, &(struct app_server_change_input){task, "stopped"}, &result, &error))
                fail_msg("%s", error.message);
        assert_string_equal(member(result, "status"), "starting");
        berth_wait_file(berth, task, "serving");
        berth_retain(berth, 100);
        assert_container(berth, task, "exited");
        auto_store_task_run run = ended(berth, task, TASK_RUN_APP, "");
        assert_string_equal(run.reason, "container_stopped");
        call = world_call(berth->world, berth->world->admin);
        assert_true(app_server_status(&call, &(struct app_server_input){task}, &after, &error));
        assert_string_equal(member(after, "status"), "stopped");
}

static void what_an_earlier_process_had_not_begun_is_ended_and_never_begun(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = ready_task(berth);
        auto_free char *sql =
                text_format("INSERT INTO task_runs (id, task, kind, name, state, requested_at) "
                            "SELECT 'test-left', rid, 'test', 'held', 'starting', 1 FROM tasks WHERE id = '%s'",
                            task);

        berth_stop(berth);
        world_sql(berth->world, sql);
        berth_start(berth);
        auto_store_task_run run = ended(berth, task, TASK_RUN_TEST, "held");
        assert_string_equal(run.reason, "lost");
        assert_false(run.has_exit_code);
        assert_false(berth_has_file(berth, task, "begun"));
        start_test(berth, task, "held");
        berth_wait_file(berth, task, "begun");
        berth_make_file(berth, task, "go");
        auto_store_task_run next = ended(berth, task, TASK_RUN_TEST, "held");
        assert_string_equal(next.reason, "exited");
}

static void a_run_whose_container_was_removed_is_told_as_such(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = ready_task(berth), *name = text_format("longshore-%s", task);
        auto_error error = {0};

        start_test(berth, task, "held");
        berth_wait_file(berth, task, "begun");
        assert_true(docker_container_remove(berth->world->services.docker, name, true, &error));
        auto_store_task_run run = ended(berth, task, TASK_RUN_TEST, "held");
        assert_string_equal(run.reason, "container_stopped");
}

static void output_that_nobody_will_read_does_not_fill_the_disk(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = ready_task(berth);
        struct call call = world_call(berth->world, berth->world->admin);
        auto_json *result = NULL;
        auto_error error = {0};
        struct stat info;

        start_test(berth, task, "loud");
        auto_store_task_run run = ended(berth, task, TASK_RUN_TEST, "loud");
        auto_free char *path = task_run_log(&berth->world->services, &run);
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_size, 40000005);
        assert_true(info.st_blocks * 512 <= 2 << 20);
        assert_true(test_result(&call, &(struct test_result_input){task, "loud", 1000}, &result, &error));
        assert_string_equal(strrchr(member(result, "output"), '9'), "9\n0123456\nend\n");
        assert_true(json_is_true(json_object_get(result, "outputOmitted")));
}

int run_run_engine_tests(void)
{
        const struct CMUnitTest tests[] = {
                BERTH_TEST(a_test_is_let_come_to_its_end_before_its_idle_container_is_stopped),
                BERTH_TEST(an_application_goes_with_its_idle_container),
                BERTH_TEST(what_an_earlier_process_had_not_begun_is_ended_and_never_begun),
                BERTH_TEST(a_run_whose_container_was_removed_is_told_as_such),
                BERTH_TEST(output_that_nobody_will_read_does_not_fill_the_disk),
        };

        return cmocka_run_group_tests_name("runs in containers", tests, NULL, NULL);
}
