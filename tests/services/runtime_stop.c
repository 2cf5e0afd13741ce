#include "server/base/clock.h"
#include "server/base/path.h"
#include "server/services/runtime_parts.h"
#include "tests/services/berth.h"
#include "tests/services/suites.h"

/* A program that does not want to end and hides a second one. */
#define STUBBORN                                                                                                       \
        "trap '' TERM; (setsid bash -c 'trap \"\" TERM; while :; do sleep 4711; done' &); touch begun; "               \
        "while :; do sleep 4712; done"

static char *stubborn(struct berth *berth)
{
        char *task = berth_task(berth, "box", STUBBORN);

        berth_wait_file(berth, task, "begun");
        return task;
}

static void a_stop_ends_the_turn_and_the_container(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = stubborn(berth);

        assert_true(berth_end(berth, task, "stop"));
        berth_expect(berth, task, "interrupted", "stopped", "");
        auto_store_turn turn = world_turn(berth->world, task);
        assert_string_equal(turn.stop_user, "admin");
        assert_container(berth, task, "exited");
        assert_true(berth_end(berth, task, "stop"));
        berth_follow_up(berth, task, "echo again");
        berth_expect(berth, task, "completed", "finished", "");
        assert_container(berth, task, "running");
        /* Nothing runs; the container is what is stopped. */
        assert_true(berth_end(berth, task, "stop"));
        assert_container(berth, task, "exited");
        berth_expect(berth, task, "completed", "finished", "");
}

static void an_interrupt_ends_the_whole_tree_and_leaves_the_container(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = stubborn(berth);

        assert_true(berth_end(berth, task, "interrupt"));
        berth_expect(berth, task, "interrupted", "interrupted", "");
        assert_container(berth, task, "running");
        assert_true(berth_end(berth, task, "interrupt"));
        berth_follow_up(berth, task, "cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c [4]71");
        berth_expect(berth, task, "failed", "exit_code", "agent");
}

static void a_launch_that_is_stopped_ends_at_once_and_frees_its_slot(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = berth_task(berth, "stuck", "echo never");
        auto_free char *mirrors = path_join(berth->world->root, "mirrors");
        int64_t begin = clock_monotonic();

        while (access(mirrors, F_OK) && clock_monotonic() < begin + PATIENCE_MS)
                continue;
        assert_true(berth_end(berth, task, "stop"));
        assert_true(clock_monotonic() - begin < 10000);
        berth_expect(berth, task, "interrupted", "stopped", "");
        assert_int_equal(world_number(berth->world, "SELECT count(*) FROM tasks WHERE status = 'running'"), 0);
        assert_container(berth, task, "gone");
        auto_free char *other = berth_task(berth, "box", "echo other");
        berth_expect(berth, other, "completed", "finished", "");
}

static void launches_that_hang_keep_no_turn_from_ending(void **state)
{
        struct berth *berth = *state;
        char *stuck[8];
        auto_free char *task = berth_task(berth, "box", "touch begun; until [ -e go ]; do sleep 0.02; done");

        berth_wait_file(berth, task, "begun");
        world_concurrency(100);
        for (size_t i = 0; i < COUNT_OF(stuck); i++)
                stuck[i] = berth_task(berth, "stuck", "echo never");
        berth_make_file(berth, task, "go");
        berth_expect(berth, task, "completed", "finished", "");
        for (size_t i = 0; i < COUNT_OF(stuck); i++) {
                assert_true(berth_end(berth, stuck[i], "stop"));
                free(stuck[i]);
        }
}

static void a_task_that_waits_for_a_slot_is_stopped_in_the_queue(void **state)
{
        struct berth *berth = *state;
        world_concurrency(1);
        auto_free char *first = berth_task(berth, "box", "touch begun; until [ -e go ]; do sleep 0.02; done"),
                       *second = berth_task(berth, "box", "touch ran"), *third = berth_task(berth, "box", "touch ran");

        assert_true(berth_end(berth, second, "stop"));
        berth_expect(berth, second, "interrupted", "stopped", "");
        berth_wait_file(berth, first, "begun");
        auto_store_task waiting = world_stored(berth->world, third);
        assert_string_equal(waiting.status, "queued");
        berth_make_file(berth, first, "go");
        berth_expect(berth, first, "completed", "finished", "");
        berth_expect(berth, third, "completed", "finished", "");
        assert_false(berth_has_file(berth, second, "ran"));
}

static void a_request_that_no_runner_has_seen_is_taken_back_by_a_stop(void **state)
{
        struct berth *berth = *state;
        berth_patient(berth);
        auto_free char *task = berth_task(berth, "box", "true");

        berth_expect(berth, task, "completed", "finished", "");
        berth_halt(berth, task, false);
        berth_follow_up(berth, task, "touch second");
        berth_wait_state(berth, task, "running");
        assert_true(berth_end(berth, task, "interrupt"));
        berth_expect(berth, task, "interrupted", "interrupted", "");
        assert_true(berth_end(berth, task, "stop"));
        berth_follow_up(berth, task, "touch third");
        berth_expect(berth, task, "completed", "finished", "");
        assert_false(berth_has_file(berth, task, "second"));
}

static void idle_containers_stop_and_go_and_workspaces_stay_longer(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = berth_task(berth, "box", "echo work > file");

        berth_expect(berth, task, "completed", "finished", "");
        berth_retain(berth, 1);
        assert_container(berth, task, "running");
        berth_retain(berth, 2);
        assert_container(berth, task, "exited");
        berth_retain(berth, 160);
        assert_container(berth, task, "exited");
        berth_retain(berth, 169);
        assert_container(berth, task, "gone");
        assert_true(berth_has_file(berth, task, "file"));
        berth_follow_up(berth, task, "cat file");
        berth_expect(berth, task, "completed", "finished", "");
}

static void a_workspace_that_was_removed_is_made_again_and_the_turn_says_so(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = berth_task(berth, "box", "echo work > file");

        berth_expect(berth, task, "completed", "finished", "");
        berth_retain(berth, 720);
        assert_container(berth, task, "gone");
        assert_false(berth_has_file(berth, task, "file"));
        berth_retain(berth, 721);
        auto_error error = {0};
        auto_json *answer = world_follow_up(
                berth->world, berth->world->admin,
                (struct task_follow_up_input){.taskId = task, .instructions = "ls; echo new > file"}, &error);
        assert_int_equal(json_array_size(json_object_get(answer, "warnings")), 1);
        berth_expect(berth, task, "completed", "finished", "");
        assert_true(berth_has_file(berth, task, "file"));
        struct world *world = berth->world;
        auto_json *page = READ(world->admin, .taskId = task, .path = "debug-stream.jsonl");
        assert_non_null(strstr(member(page, "content"), "what had not been pushed is gone"));
        berth_follow_up(berth, task, "true");
        berth_expect(berth, task, "completed", "finished", "");
        assert_int_equal(world_number(berth->world, "SELECT count(*) FROM resources WHERE stopped_at IS NULL"), 2);
}

static void a_workspace_that_is_made_again_for_a_pull_is_told_to_the_turn_too(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = berth_task(berth, "box", "echo work > file");
        struct world *world = berth->world;
        auto_error error = {0};

        berth_expect(berth, task, "completed", "finished", "");
        berth_retain(berth, 720);
        assert_false(berth_has_file(berth, task, "file"));
        auto_json *answer = must(world_follow_up(
                world, world->admin,
                (struct task_follow_up_input){.taskId = task, .instructions = "true", .pullLatest = true}, &error));
        assert_int_equal(json_array_size(json_object_get(answer, "warnings")), 1);
        berth_expect(berth, task, "completed", "finished", "");
        auto_json *page = READ(world->admin, .taskId = task, .path = "debug-stream.jsonl");
        assert_non_null(strstr(member(page, "content"), "what had not been pushed is gone"));
        auto_json *next = must(world_follow_up(
                world, world->admin,
                (struct task_follow_up_input){.taskId = task, .instructions = "true", .pullLatest = true}, &error));
        assert_null(json_object_get(next, "warnings"));
        berth_expect(berth, task, "completed", "finished", "");
}

static void pinned_tasks_keep_theirs(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = berth_task(berth, "box", "echo work > file");

        berth_expect(berth, task, "completed", "finished", "");
        world_sql(berth->world, "INSERT INTO pins (user, task, is_pinned, version) "
                                "SELECT u.rid, t.rid, 1, 1 FROM users u, tasks t WHERE u.name = 'admin'");
        berth_retain(berth, 47);
        assert_container(berth, task, "running");
        berth_retain(berth, 48);
        assert_container(berth, task, "exited");
        berth_retain(berth, 8000);
        assert_container(berth, task, "gone");
        assert_true(berth_has_file(berth, task, "file"));
}

static void what_works_is_never_put_away(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = berth_task(berth, "box", "touch begun; until [ -e go ]; do sleep 0.02; done");

        berth_wait_file(berth, task, "begun");
        berth_retain(berth, 10000);
        berth_retain(berth, 20000);
        assert_container(berth, task, "running");
        berth_make_file(berth, task, "go");
        berth_expect(berth, task, "completed", "finished", "");
}

int run_runtime_stop_tests(void)
{
        const struct CMUnitTest tests[] = {
                BERTH_TEST(a_stop_ends_the_turn_and_the_container),
                BERTH_TEST(an_interrupt_ends_the_whole_tree_and_leaves_the_container),
                BERTH_TEST(a_launch_that_is_stopped_ends_at_once_and_frees_its_slot),
                BERTH_TEST(launches_that_hang_keep_no_turn_from_ending),
                BERTH_TEST(a_task_that_waits_for_a_slot_is_stopped_in_the_queue),
                BERTH_TEST(a_request_that_no_runner_has_seen_is_taken_back_by_a_stop),
                BERTH_TEST(idle_containers_stop_and_go_and_workspaces_stay_longer),
                BERTH_TEST(a_workspace_that_was_removed_is_made_again_and_the_turn_says_so),
                BERTH_TEST(a_workspace_that_is_made_again_for_a_pull_is_told_to_the_turn_too),
                BERTH_TEST(pinned_tasks_keep_theirs),
                BERTH_TEST(what_works_is_never_put_away),
        };

        return cmocka_run_group_tests_name("runtime: stop and retention", tests, NULL, NULL);
}
