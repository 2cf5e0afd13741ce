#include "docker/client.h"
#include "server/base/clock.h"
#include "server/services/runtime_parts.h"
#include "tests/services/berth.h"
#include "tests/services/suites.h"

static char *held(struct berth *berth, int code)
{
        auto_free char *script =
                text_format("echo once >> times; touch begun; until [ -e go ]; do sleep 0.02; done; cat times; "
                            "touch finished; exit %d",
                            code);
        char *task = berth_task(berth, "box", script);

        berth_wait_file(berth, task, "begun");
        berth_wait_state(berth, task, "running");
        return task;
}

static void a_turn_that_runs_is_taken_up_again(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = held(berth, 0);

        berth_stop(berth);
        berth_start(berth);
        berth_wait_state(berth, task, "running");
        berth_make_file(berth, task, "go");
        berth_expect(berth, task, "completed", "finished", "");
        auto_free char *reply = berth_reply(berth, task);
        assert_string_equal(reply, "once\n");
}

static void a_turn_that_ended_meanwhile_keeps_its_exit_code(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = held(berth, 5);

        berth_stop(berth);
        berth_make_file(berth, task, "go");
        berth_wait_file(berth, task, "finished");
        berth_start(berth);
        berth_expect(berth, task, "failed", "exit_code", "agent");
        auto_store_turn turn = world_turn(berth->world, task);
        assert_int_equal(turn.exit_code, 5);
}

static void a_turn_whose_container_went_meanwhile_is_interrupted(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = held(berth, 0), *name = text_format("longshore-%s", task);
        auto_error error = {0};

        berth_stop(berth);
        assert_true(docker_container_remove(berth->world->services.docker, name, true, &error));
        berth_start(berth);
        berth_expect(berth, task, "interrupted", "container_lost", "agent");
}

/* As if the process had died between the request of the run and its record in the store. */
static void a_prompt_that_was_delivered_before_a_crash_is_not_delivered_again(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = held(berth, 0);

        berth_stop(berth);
        world_sql(berth->world, "UPDATE turns SET state = 'launching', started_at = NULL; DELETE FROM jobs; "
                                "INSERT INTO jobs (kind, task, turn, due_at, created_at) "
                                "SELECT 'launch', task, rid, 1, 1 FROM turns");
        berth_start(berth);
        berth_wait_state(berth, task, "running");
        berth_make_file(berth, task, "go");
        berth_expect(berth, task, "completed", "finished", "");
        auto_free char *reply = berth_reply(berth, task);
        assert_string_equal(reply, "once\n");
}

/* As if the clock had been set back by years while no process ran. */
static void a_launch_that_was_to_come_in_years_by_an_earlier_clock_comes_now(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = berth_task(berth, "box", "true");

        berth_expect(berth, task, "completed", "finished", "");
        berth_stop(berth);
        berth_follow_up(berth, task, "touch second");
        world_sql(berth->world,
                  "UPDATE jobs SET due_at = due_at + 100000000000, created_at = created_at + 100000000000");
        berth_start(berth);
        berth_expect(berth, task, "completed", "finished", "");
        assert_true(berth_has_file(berth, task, "second"));
}

static void the_same_is_found_out_when_the_container_is_gone_too(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = held(berth, 0), *name = text_format("longshore-%s", task);
        auto_error error = {0};

        berth_stop(berth);
        assert_true(docker_container_remove(berth->world->services.docker, name, true, &error));
        world_sql(berth->world, "UPDATE turns SET state = 'launching', started_at = NULL; DELETE FROM jobs; "
                                "INSERT INTO jobs (kind, task, turn, due_at, created_at) "
                                "SELECT 'launch', task, rid, 1, 1 FROM turns");
        berth_start(berth);
        berth_expect(berth, task, "interrupted", "container_lost", "agent");
}

/* As if the process had died after the request to stop was recorded. */
static void a_stop_that_was_asked_for_is_carried_out_after_a_crash(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = held(berth, 0);

        berth_stop(berth);
        world_sql(berth->world, "UPDATE turns SET stop_kind = 'stop', stop_user = 'admin', stop_at = 1");
        berth_start(berth);
        berth_expect(berth, task, "interrupted", "stopped", "");
        auto_store_task stored = world_stored(berth->world, task);
        assert_true(
                runtime_wait_stopped(berth->runtime, berth->world->db, stored.rid, clock_monotonic() + PATIENCE_MS));
        assert_container(berth, task, "exited");
}

static void a_launch_that_was_to_be_stopped_never_begins(void **state)
{
        struct berth *berth = *state;
        auto_error error = {0};

        berth_stop(berth);
        berth->world->services.runtime = NULL;
        auto_free char *task = berth_task(berth, "box", "touch ran");
        world_sql(berth->world, "UPDATE turns SET stop_kind = 'interrupt', stop_user = 'admin', stop_at = 1");
        berth_start(berth);
        berth_expect(berth, task, "interrupted", "interrupted", "");
        assert_container(berth, task, "gone");
        (void)error;
}

static void a_container_row_without_its_container_is_no_obstacle(void **state)
{
        struct berth *berth = *state;

        berth_stop(berth);
        auto_free char *task = berth_task(berth, "box", "echo made"), *name = text_format("longshore-%s", task);
        auto_free char *sql = text_format("INSERT INTO resources (kind, handle, task, created_at) "
                                          "SELECT 'container', '%s', rid, 1 FROM tasks",
                                          name);
        world_sql(berth->world, sql);
        berth_start(berth);
        berth_expect(berth, task, "completed", "finished", "");
}

static void orphans_of_ours_are_removed_and_others_stay(void **state)
{
        struct berth *berth = *state;
        struct docker *docker = berth->world->services.docker;
        auto_docker_container_state foreign = {0}, plain = {0};
        auto_error error = {0};
        auto_free char *task = berth_task(berth, "box", "true"), *ours = text_copy(berth->runtime->server_id);

        berth_expect(berth, task, "completed", "finished", "");
        berth_stop(berth);
        berth_stranger(berth, "longshore-1700000000000-aaaaaaaaa", ours, "1700000000000-aaaaaaaaa");
        berth_stranger(berth, "longshore-1700000000000-bbbbbbbbb", "srv-other", "1700000000000-bbbbbbbbb");
        berth_stranger(berth, "longshore-1700000000000-ccccccccc", NULL, NULL);
        berth_start(berth);
        for (int64_t deadline = clock_monotonic() + PATIENCE_MS;;) {
                auto_docker_container_state orphan = {0};
                berth_container(berth, "1700000000000-aaaaaaaaa", &orphan);
                if (!strcmp(orphan.status, "gone"))
                        break;
                assert_true(clock_monotonic() < deadline);
        }
        assert_true(docker_container_inspect(docker, "longshore-1700000000000-bbbbbbbbb", &foreign, &error));
        assert_true(docker_container_inspect(docker, "longshore-1700000000000-ccccccccc", &plain, &error));
        assert_true(foreign.is_running && plain.is_running);
        assert_container(berth, task, "running");
}

static void an_engine_that_is_not_there_fails_launches_and_nothing_hangs(void **state)
{
        struct berth *berth = *state;
        struct docker *docker = berth->world->services.docker;
        auto_error error = {0};

        berth_stop(berth);
        berth->world->services.docker = docker_new("unix:///tmp/longshore-nobody.sock", &error);
        berth_start(berth);
        auto_free char *task = berth_task(berth, "box", "echo never");
        berth_expect(berth, task, "failed", "engine_unreachable", "launch");
        assert_true(berth_end(berth, task, "interrupt"));
        int64_t begin = clock_monotonic();
        berth_stop(berth);
        assert_true(clock_monotonic() - begin < 20000);
        docker_free(berth->world->services.docker);
        berth->world->services.docker = docker;
        berth_start(berth);
        berth_follow_up(berth, task, "echo now");
        berth_expect(berth, task, "completed", "finished", "");
}

static void launches_in_progress_are_taken_up_by_the_next_process(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = berth_task(berth, "box", "echo once >> times; cat times");

        berth_stop(berth);
        berth_start(berth);
        berth_expect(berth, task, "completed", "finished", "");
        auto_free char *reply = berth_reply(berth, task);
        assert_string_equal(reply, "once\n");
}

int run_runtime_restart_tests(void)
{
        const struct CMUnitTest tests[] = {
                BERTH_TEST(a_turn_that_runs_is_taken_up_again),
                BERTH_TEST(a_turn_that_ended_meanwhile_keeps_its_exit_code),
                BERTH_TEST(a_turn_whose_container_went_meanwhile_is_interrupted),
                BERTH_TEST(a_prompt_that_was_delivered_before_a_crash_is_not_delivered_again),
                BERTH_TEST(a_launch_that_was_to_come_in_years_by_an_earlier_clock_comes_now),
                BERTH_TEST(the_same_is_found_out_when_the_container_is_gone_too),
                BERTH_TEST(a_stop_that_was_asked_for_is_carried_out_after_a_crash),
                BERTH_TEST(a_launch_that_was_to_be_stopped_never_begins),
                BERTH_TEST(a_container_row_without_its_container_is_no_obstacle),
                BERTH_TEST(orphans_of_ours_are_removed_and_others_stay),
                BERTH_TEST(an_engine_that_is_not_there_fails_launches_and_nothing_hangs),
                BERTH_TEST(launches_in_progress_are_taken_up_by_the_next_process),
        };

        return cmocka_run_group_tests_name("runtime: restart", tests, NULL, NULL);
}
