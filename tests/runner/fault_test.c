/* Lost runners, lost keepers and full disks. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "server/base/path.h"
#include "tests/runner/box.h"
#include "tests/runner/cases.h"

/* Counts its starts, then stays. */
static const char staying[] = "echo once >>count; >up; (setsid sleep 100 &) ; while :; do sleep 1; done";

static void assert_ran_once(const struct box *box)
{
        auto_free char *count = box_read(box->workspace, "count", NULL);

        assert_string_equal(count, "once\n");
}

static void a_run_whose_runner_died_is_lost_and_never_runs_again(void **state)
{
        struct box *box = *state;

        box_run(box, "r", staying);
        box_wait_for_file(box, "up");
        box_end_runner(box, SIGKILL);
        box_start_runner(box);
        struct runner_exit exit = box_wait(box, "r");
        box_run(box, "later", "exit 0");
        box_wait(box, "later");
        assert_int_equal(exit.reason, RUNNER_LOST);
        assert_ran_once(box);
        assert_int_equal(box_count_processes(), 0);
}

/* As when the container dies: nobody is left to write the record but the next runner. */
static void a_run_whose_container_died_is_lost_and_never_runs_again(void **state)
{
        struct box *box = *state;

        box_run(box, "r", staying);
        box_wait_for_file(box, "up");
        kill(box->runner, SIGSTOP);
        pid_t keeper = box_child_of(box->runner);
        assert_true(keeper > 0);
        kill(keeper, SIGSTOP);
        box_end_runner(box, SIGKILL);
        kill(keeper, SIGKILL);
        box_start_runner(box);
        struct runner_exit exit = box_wait(box, "r");
        assert_int_equal(exit.reason, RUNNER_LOST);
        assert_string_equal(exit.message, "The runner or its container ended before the run.");
        assert_ran_once(box);
        /* In a container its processes would be gone as well. */
        box_kill_processes();
}

static void a_run_whose_keeper_died_is_lost_with_its_tree(void **state)
{
        struct box *box = *state;

        box_run(box, "r", staying);
        box_wait_for_file(box, "up");
        kill(box_child_of(box->runner), SIGKILL);
        struct runner_exit exit = box_wait(box, "r");
        assert_int_equal(exit.reason, RUNNER_LOST);
        assert_string_equal(exit.message, "The keeper of the run ended before it.");
        assert_int_equal(box_count_processes(), 0);
        box_run(box, "later", "exit 9");
        assert_int_equal(box_wait(box, "later").code, 9);
        assert_ran_once(box);
}

static void a_full_disk_ends_the_run(void **state)
{
        struct box *box = *state;

        box_mount(box, box->records, 256);
        box_run(box, "r", "trap '' PIPE TERM; while :; do head -c 65536 /dev/zero; done");
        struct runner_exit exit = box_wait(box, "r");
        assert_int_equal(exit.reason, RUNNER_DISK_FULL);
        assert_string_equal(exit.message, "The output could not be recorded: No space left on device.");
        assert_true(exit.output_bytes > 0);
        assert_int_equal(box_count_processes(), 0);
}

/* Takes all the room there is. */
static void fill(const char *folder)
{
        static const char blanks[4096];
        auto_free char *path = path_join(folder, "filler");
        auto_fd file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

        while (write(file, blanks, sizeof blanks) > 0)
                ;
}

static void a_full_control_folder_still_takes_the_records(void **state)
{
        struct box *box = *state;
        auto_error error = {0};

        box_end_runner(box, SIGTERM);
        box_mount(box, box->control, 256);
        assert_true(control_prepare(box->control, &error));
        box_start_runner(box);
        box_run(box, "before", ">up; while [ ! -e go ]; do sleep 0.02; done; exit 6");
        box_wait_for_file(box, "up");
        kill(box->runner, SIGSTOP);
        box_run(box, "after", "exit 0");
        fill(box->control);
        kill(box->runner, SIGCONT);
        struct runner_exit after = box_wait(box, "after");
        box_make_file(box, "go");
        struct runner_exit before = box_wait(box, "before");
        assert_int_equal(after.reason, RUNNER_DISK_FULL);
        assert_string_equal(after.message, "There is no room for the run's exit record, so it was not started.");
        assert_int_equal(before.reason, RUNNER_EXITED);
        assert_int_equal(before.code, 6);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, box_setup, box_teardown)

int fault_cases(void)
{
        const struct CMUnitTest tests[] = {
                CASE(a_run_whose_runner_died_is_lost_and_never_runs_again),
                CASE(a_run_whose_container_died_is_lost_and_never_runs_again),
                CASE(a_run_whose_keeper_died_is_lost_with_its_tree),
                CASE(a_full_disk_ends_the_run),
                CASE(a_full_control_folder_still_takes_the_records),
        };

        return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
