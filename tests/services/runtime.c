#include <poll.h>
#include <sys/mount.h>

#include "server/base/clock.h"
#include "server/base/path.h"
#include "server/services/runtime_parts.h"
#include "server/services/task_paths.h"
#include "tests/services/berth.h"
#include "tests/services/suites.h"

/* A turn that has begun and waits for the file `go`. */
#define HELD "touch begun; until [ -e go ]; do sleep 0.02; done; echo done"

static char *held(struct berth *berth)
{
        char *task = berth_task(berth, "box", HELD);

        berth_wait_file(berth, task, "begun");
        berth_wait_state(berth, task, "running");
        return task;
}

static void a_task_runs_to_its_end_and_its_reply_is_read(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = berth_task(berth, "box", "echo hello; echo aside >&2; echo $LONGSHORE_TASK_ID");

        berth_expect(berth, task, "completed", "finished", "");
        auto_free char *expected = text_format("hello\n%s\n", task), *reply = berth_reply(berth, task);
        assert_string_equal(reply, expected);
        assert_container(berth, task, "running");
        assert_int_equal(world_number(berth->world, "SELECT count(*) FROM jobs"), 0);
}

static void only_exit_code_zero_is_success(void **state)
{
        struct berth *berth = *state;
        auto_free char *code = berth_task(berth, "box", "echo no; exit 3"),
                       *signal = berth_task(berth, "box", "kill -9 $$");

        berth_expect(berth, code, "failed", "exit_code", "agent");
        berth_expect(berth, signal, "failed", "signal", "agent");
        auto_store_turn failed = world_turn(berth->world, code), killed = world_turn(berth->world, signal);
        assert_int_equal(failed.exit_code, 3);
        assert_int_equal(killed.exit_code, 137);
        assert_int_equal(killed.signal, 9);
}

static void a_missing_image_is_named(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = berth_task(berth, "bare", "echo never");

        berth_expect(berth, task, "failed", "image_not_found", "launch");
        auto_store_turn turn = world_turn(berth->world, task);
        assert_int_equal(turn.exit_code, -1);
        assert_string_equal(turn.failure_category, "setup");
        assert_non_null(strstr(turn.failure_message, "longshore/nothing:1"));
}

static void a_container_that_is_killed_or_removed_interrupts_its_turn(void **state)
{
        struct berth *berth = *state;
        struct docker *docker = berth->world->services.docker;
        auto_free char *killed = held(berth), *removed = held(berth),
                       *killed_name = text_format("longshore-%s", killed),
                       *removed_name = text_format("longshore-%s", removed);
        auto_error error = {0};

        assert_true(docker_container_kill(docker, killed_name, "KILL", &error));
        assert_true(docker_container_remove(docker, removed_name, true, &error));
        berth_expect(berth, killed, "interrupted", "container_lost", "agent");
        berth_expect(berth, removed, "interrupted", "container_lost", "agent");
        berth_follow_up(berth, killed, "echo again");
        berth_follow_up(berth, removed, "echo again");
        berth_expect(berth, killed, "completed", "finished", "");
        berth_expect(berth, removed, "completed", "finished", "");
}

static void a_container_that_is_stopped_by_others_lets_its_runner_say_so(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = held(berth), *name = text_format("longshore-%s", task);
        auto_error error = {0};

        assert_true(docker_container_stop(berth->world->services.docker, name, 10, &error));
        berth_expect(berth, task, "interrupted", "container_stopped", "agent");
}

static void memory_that_runs_out_is_named(void **state)
{
        struct berth *berth = *state;
        auto_free char *task =
                berth_task(berth, "small", "x=$(head -c 200000000 /dev/zero | tr '\\0' x); echo ${#x}; exit 0");

        auto_store_turn turn = berth_ended(berth, task);
        assert_string_equal(turn.end_type, "out_of_memory");
        assert_string_equal(turn.failure_stage, "agent");
}

static void a_turn_that_runs_out_of_time_is_ended(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = berth_task(berth, "brief", "trap '' TERM; while :; do sleep 1000; done");

        berth_expect(berth, task, "failed", "time_limit", "agent");
        auto_store_turn turn = world_turn(berth->world, task);
        assert_string_equal(turn.failure_category, "timeout");
}

static void a_supervisor_that_hangs_is_ended_when_it_is_long_overdue(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = berth_task(berth, "brief", "touch begun; sleep 1000");

        berth_wait_file(berth, task, "begun");
        berth_wait_state(berth, task, "running");
        berth_halt(berth, task, true);
        berth_expect(berth, task, "failed", "time_limit", "agent");
        berth_follow_up(berth, task, "echo again");
        berth_expect(berth, task, "completed", "finished", "");
}

#define DAY_MS INT64_C(86400000)

static void set_clock(struct berth *berth, int64_t lead)
{
        atomic_store(&berth->runtime->clock_set_at, 0);
        clock_set_lead(lead);
        runtime_wake(berth->runtime);
        while (!atomic_load(&berth->runtime->clock_set_at))
                poll(NULL, 0, 5);
}

static void a_clock_that_is_set_forward_ends_no_turn_and_removes_no_work(void **state)
{
        struct berth *berth = *state;
        auto_free char *idle = berth_task(berth, "box", "echo work > file"),
                       *busy = berth_task(berth, "box", "touch begun; until [ -e go ]; do sleep 0.02; done");

        berth_expect(berth, idle, "completed", "finished", "");
        berth_wait_file(berth, busy, "begun");
        berth_wait_state(berth, busy, "running");
        set_clock(berth, 100 * DAY_MS);
        world_sql(berth->world, "UPDATE jobs SET due_at = 1 WHERE kind = 'deadline'");
        runtime_wake(berth->runtime);
        while (!world_number(berth->world, "SELECT count(*) FROM jobs WHERE kind = 'deadline' AND attempts > 0"))
                poll(NULL, 0, 5);
        berth_retain(berth, 0);
        assert_container(berth, idle, "running");
        assert_true(berth_has_file(berth, idle, "file"));
        berth_make_file(berth, busy, "go");
        berth_expect(berth, busy, "completed", "finished", "");
        berth_retain(berth, 2);
        assert_container(berth, idle, "exited");
}

static void a_clock_that_is_set_back_holds_nothing_up(void **state)
{
        struct berth *berth = *state;

        set_clock(berth, DAY_MS);
        auto_free char *task = berth_task(berth, "box", "true");
        berth_expect(berth, task, "completed", "finished", "");
        auto_store_task stored = world_stored(berth->world, task);
        assert_true(runtime_try_lock_task(berth->runtime, stored.rid));
        berth_follow_up(berth, task, "touch second");
        set_clock(berth, 0);
        runtime_unlock_task(berth->runtime, stored.rid);
        berth_expect(berth, task, "completed", "finished", "");
        assert_true(berth_has_file(berth, task, "second"));
}

static void schedule(struct berth *berth, const char *task)
{
        auto_error error = {0};

        json_decref(must(world_follow_up(
                berth->world, berth->world->admin,
                (struct task_follow_up_input){.taskId = task, .instructions = "touch second", .deliverInMinutes = 60},
                &error)));
}

static void a_follow_up_that_cannot_be_delivered_holds_no_other_up(void **state)
{
        struct berth *berth = *state;
        auto_free char *broken = berth_task(berth, "box", "true"), *whole = berth_task(berth, "box", "true");

        berth_expect(berth, broken, "completed", "finished", "");
        berth_expect(berth, whole, "completed", "finished", "");
        schedule(berth, broken);
        schedule(berth, whole);
        auto_free char *sql =
                text_format("CREATE TRIGGER broken BEFORE INSERT ON turns WHEN NEW.task = (SELECT rid FROM "
                            "tasks WHERE id = '%s') BEGIN SELECT raise(ABORT, 'broken'); END",
                            broken);
        world_sql(berth->world, sql);
        world_sql(berth->world, "UPDATE follow_ups SET deliver_at = rid");
        runtime_wake(berth->runtime);
        while (!world_number(berth->world, "SELECT count(*) FROM follow_ups WHERE state = 'delivered'"))
                poll(NULL, 0, 5);
        berth_expect(berth, whole, "completed", "finished", "");
        assert_true(berth_has_file(berth, whole, "second"));
        world_sql(berth->world, "DROP TRIGGER broken");
        while (world_number(berth->world, "SELECT count(*) FROM follow_ups WHERE state != 'delivered'"))
                poll(NULL, 0, 5);
        berth_expect(berth, broken, "completed", "finished", "");
        assert_true(berth_has_file(berth, broken, "second"));
        assert_int_equal(world_number(berth->world, "SELECT count(*) FROM turns"), 4);
}

/* More jobs than are looked at together are due before it, and their task is held. */
static void a_job_behind_many_that_have_to_wait_is_done(void **state)
{
        struct berth *berth = *state;
        auto_free char *held = berth_task(berth, "box", "true"),
                       *task = berth_task(berth, "box", "touch begun; sleep 1000");

        berth_expect(berth, held, "completed", "finished", "");
        berth_wait_file(berth, task, "begun");
        auto_store_task stored = world_stored(berth->world, held);
        assert_true(runtime_try_lock_task(berth->runtime, stored.rid));
        auto_free char *sql = text_format(
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600) "
                "INSERT INTO jobs (kind, task, turn, due_at, created_at) SELECT 'stop', %lld, NULL, i / 5, 1 FROM n",
                (long long)stored.rid);
        world_sql(berth->world, sql);
        assert_true(berth_end(berth, task, "interrupt"));
        runtime_unlock_task(berth->runtime, stored.rid);
        berth_expect(berth, task, "interrupted", "interrupted", "");
}

static void a_runner_that_takes_nothing_up_fails_the_turn_and_is_replaced(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = berth_task(berth, "box", "true");

        berth_expect(berth, task, "completed", "finished", "");
        berth_halt(berth, task, false);
        berth_follow_up(berth, task, "touch second");
        berth_expect(berth, task, "failed", "runner_silent", "launch");
        berth_follow_up(berth, task, "ls; touch third");
        berth_expect(berth, task, "completed", "finished", "");
        assert_false(berth_has_file(berth, task, "second"));
        assert_true(berth_has_file(berth, task, "third"));
}

static void a_prompt_that_no_runner_saw_goes_with_its_container(void **state)
{
        struct berth *berth = *state;
        berth_patient(berth);
        auto_free char *task = berth_task(berth, "box", "true"), *name = text_format("longshore-%s", task);
        auto_error error = {0};

        berth_expect(berth, task, "completed", "finished", "");
        berth_halt(berth, task, false);
        berth_follow_up(berth, task, "touch second");
        berth_wait_state(berth, task, "running");
        assert_true(docker_container_kill(berth->world->services.docker, name, "KILL", &error));
        berth_expect(berth, task, "failed", "container_ended", "launch");
        berth_follow_up(berth, task, "touch third");
        berth_expect(berth, task, "completed", "finished", "");
        assert_false(berth_has_file(berth, task, "second"));
}

static void a_damaged_exit_record_ends_the_turn_all_the_same(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = held(berth), *control = task_path_control(berth->world->root, task),
                       *record = path_join(control, "runs/turn-1.exit.json");
        auto_error error = {0};

        assert_true(path_write(record, "{", 1, 0600, &error));
        berth_expect(berth, task, "interrupted", "runner_lost", "agent");
}

static void a_full_disk_fails_the_launch(void **state)
{
        struct berth *berth = *state;
        auto_error error = {0};
        auto_json *made =
                world_create(berth->world, berth->world->admin,
                             NEW_TASK(.environment = "box", .instructions = "echo a", .staged = true), &error);
        const char *task = member(made, "taskId");
        auto_free char *records = task_path_records(berth->world->root, task), *filler = path_join(records, "filler"),
                       *bytes = memory_new(65536);

        assert_true(path_make_folder(records, 0700, &error));
        assert_int_equal(mount("none", records, "tmpfs", 0, "size=64k,mode=0700"), 0);
        assert_true(path_write(filler, bytes, 65536, 0600, &error));
        berth_follow_up(berth, task, "echo b");
        auto_store_turn turn = berth_ended(berth, task);
        assert_int_equal(umount(records), 0);
        berth_expect(berth, task, "failed", "disk_full", "launch");
}

static void a_disk_that_fills_up_during_a_turn_ends_it(void **state)
{
        struct berth *berth = *state;
        auto_error error = {0};
        auto_json *made = world_create(berth->world, berth->world->admin,
                                       NEW_TASK(.environment = "box", .instructions = "true", .staged = true), &error);
        const char *task = member(made, "taskId");
        auto_free char *records = task_path_records(berth->world->root, task);

        assert_true(path_make_folder(records, 0700, &error));
        assert_int_equal(mount("none", records, "tmpfs", 0, "size=64k,mode=0700"), 0);
        berth_follow_up(berth, task, "head -c 100000000 /dev/zero | tr '\\0' x");
        auto_store_turn turn = berth_ended(berth, task);
        assert_string_equal(turn.end_type, "disk_full");
        /* The container has it mounted. */
        assert_int_equal(umount2(records, MNT_DETACH), 0);
        berth_expect(berth, task, "failed", "disk_full", "agent");
}

static void a_container_that_is_not_ours_is_never_touched(void **state)
{
        struct berth *berth = *state;
        auto_error error = {0};
        auto_json *made =
                world_create(berth->world, berth->world->admin,
                             NEW_TASK(.environment = "box", .instructions = "echo a", .staged = true), &error);
        const char *task = member(made, "taskId");
        auto_free char *name = text_format("longshore-%s", task);
        auto_docker_container_state before = {0}, after = {0};

        berth_stranger(berth, name, NULL, NULL);
        berth_container(berth, task, &before);
        berth_follow_up(berth, task, "echo b");
        berth_expect(berth, task, "failed", "container_name_taken", "launch");
        assert_true(berth_end(berth, task, "stop"));
        berth_retain(berth, 3);
        berth_retain(berth, 10000);
        berth_retain(berth, 20000);
        berth_container(berth, task, &after);
        assert_string_equal(after.status, "running");
        assert_string_equal(after.id, before.id);
        /* Once the name is free, the task goes on. */
        assert_true(docker_container_remove(berth->world->services.docker, name, true, &error));
        berth_follow_up(berth, task, "echo c");
        berth_expect(berth, task, "completed", "finished", "");
}

static void a_changed_environment_gives_the_next_turn_another_container(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = berth_task(berth, "box", "echo kept > file");
        auto_docker_container_state first = {0}, same = {0}, changed = {0};
        auto_error error = {0};

        berth_expect(berth, task, "completed", "finished", "");
        berth_container(berth, task, &first);
        berth_follow_up(berth, task, "true");
        berth_expect(berth, task, "completed", "finished", "");
        berth_container(berth, task, &same);
        assert_string_equal(same.id, first.id);
        world_environment(berth->world, "box", "{\"network\": \"none\", \"limits\": {\"memoryMb\": 96}}");
        assert_true(environments_reload(berth->world->services.environments, &error));
        berth_follow_up(berth, task, "cat file");
        berth_expect(berth, task, "completed", "finished", "");
        berth_container(berth, task, &changed);
        assert_string_not_equal(changed.id, first.id);
        auto_free char *reply = berth_reply(berth, task);
        assert_string_equal(reply, "kept\n");
}

static void the_control_folder_holds_the_latest_turn_alone(void **state)
{
        struct berth *berth = *state;
        auto_free char *task = berth_task(berth, "box", "true"), *control = task_path_control(berth->world->root, task),
                       *prompt = path_join(control, "prompts/turn-1"),
                       *claim = path_join(control, "runs/turn-1.request.json"),
                       *record = path_join(control, "runs/turn-1.exit.json"),
                       *latest = path_join(control, "runs/turn-2.exit.json");

        berth_expect(berth, task, "completed", "finished", "");
        assert_int_equal(access(record, F_OK), 0);
        berth_follow_up(berth, task, "true");
        berth_expect(berth, task, "completed", "finished", "");
        assert_int_equal(access(latest, F_OK), 0);
        assert_int_not_equal(access(prompt, F_OK), 0);
        assert_int_not_equal(access(claim, F_OK), 0);
        assert_int_not_equal(access(record, F_OK), 0);
}

int run_runtime_tests(void)
{
        const struct CMUnitTest tests[] = {
                BERTH_TEST(a_task_runs_to_its_end_and_its_reply_is_read),
                BERTH_TEST(only_exit_code_zero_is_success),
                BERTH_TEST(a_missing_image_is_named),
                BERTH_TEST(a_container_that_is_killed_or_removed_interrupts_its_turn),
                BERTH_TEST(a_container_that_is_stopped_by_others_lets_its_runner_say_so),
                BERTH_TEST(memory_that_runs_out_is_named),
                BERTH_TEST(a_turn_that_runs_out_of_time_is_ended),
                BERTH_TEST(a_supervisor_that_hangs_is_ended_when_it_is_long_overdue),
                BERTH_TEST(a_clock_that_is_set_forward_ends_no_turn_and_removes_no_work),
                BERTH_TEST(a_clock_that_is_set_back_holds_nothing_up),
                BERTH_TEST(a_follow_up_that_cannot_be_delivered_holds_no_other_up),
                BERTH_TEST(a_job_behind_many_that_have_to_wait_is_done),
                BERTH_TEST(a_runner_that_takes_nothing_up_fails_the_turn_and_is_replaced),
                BERTH_TEST(a_prompt_that_no_runner_saw_goes_with_its_container),
                BERTH_TEST(a_damaged_exit_record_ends_the_turn_all_the_same),
                BERTH_TEST(a_full_disk_fails_the_launch),
                BERTH_TEST(a_disk_that_fills_up_during_a_turn_ends_it),
                BERTH_TEST(a_container_that_is_not_ours_is_never_touched),
                BERTH_TEST(the_control_folder_holds_the_latest_turn_alone),
                BERTH_TEST(a_changed_environment_gives_the_next_turn_another_container),
        };

        return cmocka_run_group_tests_name("runtime", tests, NULL, NULL);
}
