/* How runs come to their end. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "server/base/clock.h"
#include "server/base/path.h"
#include "tests/runner/box.h"
#include "tests/runner/cases.h"

/* A grandchild in a session of its own that ignores TERM and holds the output open; $1 appears when it is there. */
#define STUBBORN(file) "(setsid sh -c 'trap \"\" TERM; >" file "; while :; do sleep 1; done' &) ; "
/* Far more than it takes, far less than the sleeps. */
#define SOON_MS 20000

static void a_hidden_child_does_not_put_off_the_end(void **state)
{
        struct box *box = *state;

        box_run(box, "r", STUBBORN("up") "while [ ! -e up ]; do sleep 0.01; done; echo done; exit 7");
        box_wait_for_file(box, "up");
        int64_t begin = clock_monotonic();
        struct runner_exit exit = box_wait(box, "r");
        assert_true(clock_monotonic() - begin < SOON_MS);
        assert_int_equal(exit.reason, RUNNER_EXITED);
        assert_int_equal(exit.code, 7);
        assert_int_equal(exit.output_bytes, 5);
        assert_int_equal(box_count_processes(), 0);
}

static void who_forks_and_exits_for_ever_is_caught(void **state)
{
        struct box *box = *state;

        box_run(box, "r", "echo 'sh ./hop & exit' >hop; sh ./hop; >up; exit 3");
        box_wait_for_file(box, "up");
        int64_t begin = clock_monotonic();
        struct runner_exit exit = box_wait(box, "r");
        assert_true(clock_monotonic() - begin < SOON_MS);
        assert_int_equal(exit.code, 3);
        assert_string_equal(exit.message, "");
        assert_int_equal(box_count_processes(), 0);
}

static void a_stop_ends_the_whole_tree(void **state)
{
        struct box *box = *state;

        box_run(box, "r", STUBBORN("up") "trap 'echo bye; exit 44' TERM; while :; do sleep 0.05; done");
        box_wait_for_file(box, "up");
        box_stop(box, "r", RUNNER_STOP, 60000);
        struct runner_exit exit = box_wait(box, "r");
        auto_free char *output = box_read(box->records, "out", NULL);
        assert_int_equal(exit.reason, RUNNER_STOPPED);
        assert_int_equal(exit.code, 44);
        assert_string_equal(output, "bye\n");
        assert_int_equal(box_count_processes(), 0);
}

static void an_interrupt_kills_after_its_grace(void **state)
{
        struct box *box = *state;

        box_run(box, "r", "trap '' TERM; >up; while :; do sleep 0.05; done");
        box_wait_for_file(box, "up");
        int64_t begin = clock_monotonic();
        box_stop(box, "r", RUNNER_INTERRUPT, 300);
        struct runner_exit exit = box_wait(box, "r");
        assert_true(clock_monotonic() - begin >= 300);
        assert_int_equal(exit.reason, RUNNER_INTERRUPTED);
        assert_int_equal(exit.code, -1);
        assert_int_equal(exit.signal, SIGKILL);
}

static void a_second_stop_shortens_the_grace_and_keeps_the_reason(void **state)
{
        struct box *box = *state;

        box_run(box, "r", "trap '' TERM; >up; while :; do sleep 0.05; done");
        box_wait_for_file(box, "up");
        box_stop(box, "r", RUNNER_INTERRUPT, 60000);
        box_stop(box, "r", RUNNER_STOP, 0);
        struct runner_exit exit = box_wait(box, "r");
        assert_true(exit.reason == RUNNER_INTERRUPTED || exit.reason == RUNNER_STOPPED);
        assert_int_equal(exit.signal, SIGKILL);
}

static void a_halted_process_can_be_stopped(void **state)
{
        struct box *box = *state;

        box_run(box, "r", "trap 'exit 5' TERM; >up; kill -STOP $$; while :; do sleep 0.05; done");
        box_wait_for_file(box, "up");
        box_stop(box, "r", RUNNER_STOP, 60000);
        assert_int_equal(box_wait(box, "r").reason, RUNNER_STOPPED);
}

static void a_stop_for_an_ended_or_unknown_run_is_removed(void **state)
{
        struct box *box = *state;
        auto_free char *stop = control_path_stop(box->control, "r");

        box_run(box, "r", "exit 0");
        box_wait(box, "r");
        box_stop(box, "nobody", RUNNER_STOP, 0);
        box_stop(box, "r", RUNNER_STOP, 0);
        box_run(box, "later", "exit 0");
        box_wait(box, "later");
        /* It looks at stops after starts, each time it looks. */
        box_run(box, "last", "exit 0");
        box_wait(box, "last");
        assert_int_equal(access(stop, F_OK), -1);
        assert_int_equal(box_wait(box, "r").reason, RUNNER_EXITED);
}

static void a_run_that_takes_too_long_is_ended(void **state)
{
        struct box *box = *state;
        const char *command[4];
        struct runner_start start = box_message(box, "r", "trap '' TERM; while :; do sleep 0.05; done", command);
        auto_error error = {0};
        bool was_there;

        start.time_limit = 200;
        start.grace = 100;
        assert_true(control_start(box->control, &start, NULL, 0, &was_there, &error));
        struct runner_exit exit = box_wait(box, "r");
        assert_int_equal(exit.reason, RUNNER_TIME_LIMIT);
        assert_int_equal(exit.signal, SIGKILL);
        assert_true(exit.finished_at - exit.started_at >= 290);
}

static void fail_to_launch(struct box *box, const char *run, const char *program, const char *workdir,
                           const char *wanted)
{
        const char *command[4];
        struct runner_start start = box_message(box, run, "", command);
        auto_error error = {0};
        bool was_there;

        command[0] = program;
        start.workdir = workdir ? workdir : start.workdir;
        assert_true(control_start(box->control, &start, NULL, 0, &was_there, &error));
        struct runner_exit exit = box_wait(box, run);
        assert_int_equal(exit.reason, RUNNER_LAUNCH_FAILURE);
        assert_int_equal(exit.code, -1);
        if (!strstr(exit.message, wanted))
                fail_msg("%s", exit.message);
}

static void write_script(const struct box *box, const char *name, const char *content)
{
        auto_free char *path = path_join(box->workspace, name);
        auto_error error = {0};

        assert_true(path_write(path, content, strlen(content), 0755, &error));
}

static void what_cannot_be_launched_says_why(void **state)
{
        struct box *box = *state;

        write_script(box, "orphan", "#!/no/such/interpreter\n");
        write_script(box, "plain", "echo hello\n");
        fail_to_launch(box, "a", "no-such-program", NULL, "The program no-such-program was not found in PATH.");
        fail_to_launch(box, "b", "/no/such/program", NULL, "/no/such/program could not be started: No such file");
        fail_to_launch(box, "c", "sh", "/no/such/folder", "/no/such/folder, could not be entered: No such file");
        fail_to_launch(box, "d", "sh", box->control, "could not be entered: Permission denied");
        fail_to_launch(box, "e", "./orphan", NULL, "./orphan is there, but the interpreter");
        fail_to_launch(box, "f", "./plain", NULL, "neither a program of this machine nor a script");
        fail_to_launch(box, "g", "/etc/passwd", NULL, "/etc/passwd could not be started: Permission denied");
}

static void a_missing_prompt_is_a_launch_failure(void **state)
{
        struct box *box = *state;
        const char *command[4];
        struct runner_start start = box_message(box, "r", "exit 0", command);
        auto_error error = {0};
        bool was_there;

        start.prompt = "gone";
        assert_true(control_start(box->control, &start, NULL, 0, &was_there, &error));
        struct runner_exit exit = box_wait(box, "r");
        assert_int_equal(exit.reason, RUNNER_LAUNCH_FAILURE);
        assert_string_equal(exit.message, "The prompt gone could not be opened: No such file or directory.");
}

static void write_counter(const struct box *box, const char *content)
{
        auto_free char *path = path_join(box->cgroup, "memory.events");
        auto_error error = {0};

        assert_true(path_write(path, content, strlen(content), 0644, &error));
}

/* A run during which the kernel's counter goes from 2 to 3. */
static struct runner_exit run_short_of_memory(const struct box *box, const char *run, const char *last)
{
        auto_free char *up = text_format("up-%s", run), *go = text_format("go-%s", run);
        auto_free char *script = text_format(">%s; while [ ! -e %s ]; do sleep 0.02; done; %s", up, go, last);

        write_counter(box, "low 0\noom 9\noom_kill 2\n");
        box_run(box, run, script);
        box_wait_for_file(box, up);
        write_counter(box, "low 0\noom 10\noom_kill 3\n");
        box_make_file(box, go);
        return box_wait(box, run);
}

static void running_out_of_memory_is_named(void **state)
{
        struct box *box = *state;
        struct runner_exit killed = run_short_of_memory(box, "killed", "kill -9 $$");
        struct runner_exit failed = run_short_of_memory(box, "failed", "exit 3");
        struct runner_exit done = run_short_of_memory(box, "done", "exit 0");

        assert_int_equal(killed.reason, RUNNER_OUT_OF_MEMORY);
        assert_int_equal(killed.signal, SIGKILL);
        assert_int_equal(killed.oom_kills, 1);
        assert_int_equal(failed.reason, RUNNER_OUT_OF_MEMORY);
        assert_int_equal(failed.code, 3);
        assert_int_equal(done.reason, RUNNER_EXITED);
        assert_int_equal(done.oom_kills, 1);
}

static void stopping_the_container_ends_all_runs(void **state)
{
        struct box *box = *state;

        box_run(box, "polite", "trap 'exit 44' TERM; >up1; while :; do sleep 0.05; done");
        box_run(box, "stubborn", "trap '' TERM; >up2; while :; do sleep 0.05; done");
        box_wait_for_file(box, "up1");
        box_wait_for_file(box, "up2");
        int64_t begin = clock_monotonic();
        int status = box_end_runner(box, SIGTERM);
        assert_true(clock_monotonic() - begin < SOON_MS);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        struct runner_exit polite = box_wait(box, "polite"), stubborn = box_wait(box, "stubborn");
        assert_int_equal(polite.reason, RUNNER_CONTAINER_STOPPED);
        assert_int_equal(polite.code, 44);
        assert_int_equal(stubborn.reason, RUNNER_CONTAINER_STOPPED);
        assert_int_equal(stubborn.signal, SIGKILL);
        assert_int_equal(box_count_processes(), 0);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, box_setup, box_teardown)

int end_cases(void)
{
        const struct CMUnitTest tests[] = {
                CASE(a_hidden_child_does_not_put_off_the_end),
                CASE(who_forks_and_exits_for_ever_is_caught),
                CASE(a_stop_ends_the_whole_tree),
                CASE(an_interrupt_kills_after_its_grace),
                CASE(a_second_stop_shortens_the_grace_and_keeps_the_reason),
                CASE(a_halted_process_can_be_stopped),
                CASE(a_stop_for_an_ended_or_unknown_run_is_removed),
                CASE(a_run_that_takes_too_long_is_ended),
                CASE(what_cannot_be_launched_says_why),
                CASE(a_missing_prompt_is_a_launch_failure),
                CASE(running_out_of_memory_is_named),
                CASE(stopping_the_container_ends_all_runs),
        };

        return cmocka_run_group_tests_name("ends", tests, NULL, NULL);
}
