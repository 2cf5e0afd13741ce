/* What a run gets and what is kept of it. */
#include <stdlib.h>
#include <sys/stat.h>

#include "server/base/path.h"
#include "tests/runner/box.h"
#include "tests/runner/cases.h"

static void start_with_prompt(const struct box *box, const char *script, const char *prompt, enum runner_prompt_on on)
{
        const char *command[4];
        struct runner_start start = box_message(box, "r", script, command);
        auto_error error = {0};
        bool was_there;

        start.prompt_on = on;
        if (!control_start(box->control, &start, prompt, strlen(prompt), &was_there, &error))
                fail_msg("%s", error.message);
}

static void the_exit_code_is_kept(void **state)
{
        struct box *box = *state;

        box_run(box, "a", "exit 0");
        box_run(box, "b", "exit 126");
        box_run(box, "c", "kill -9 $$");
        struct runner_exit a = box_wait(box, "a"), b = box_wait(box, "b"), c = box_wait(box, "c");
        assert_int_equal(a.reason, RUNNER_EXITED);
        assert_int_equal(a.code, 0);
        assert_int_equal(a.signal, 0);
        assert_true(a.started_at > 0 && a.finished_at >= a.started_at);
        assert_int_equal(b.reason, RUNNER_EXITED);
        assert_int_equal(b.code, 126);
        assert_int_equal(c.reason, RUNNER_SIGNALED);
        assert_int_equal(c.code, -1);
        assert_int_equal(c.signal, 9);
}

static void a_prompt_comes_on_standard_input(void **state)
{
        struct box *box = *state;

        start_with_prompt(box, "cat; cat /dev/stdin", "-rf \xff line\n", RUNNER_PROMPT_ON_STDIN);
        box_wait(box, "r");
        auto_free char *output = box_read(box->records, "out", NULL);
        assert_string_equal(output, "-rf \xff line\n-rf \xff line\n");
}

static void a_prompt_comes_on_descriptor_3_and_can_be_opened_anew(void **state)
{
        struct box *box = *state;

        start_with_prompt(box, "wc -c; cat <&3; cat /dev/fd/3", "the prompt\n", RUNNER_PROMPT_ON_FD3);
        box_wait(box, "r");
        auto_free char *output = box_read(box->records, "out", NULL);
        assert_string_equal(output, "0\nthe prompt\nthe prompt\n");
}

static void a_run_has_no_privilege_and_no_foreign_descriptor(void **state)
{
        struct box *box = *state;

        box_run(box, "r",
                "grep -E '^(Uid|Gid|Groups|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|SigBlk|SigIgn):' /proc/self/status;"
                "ls /proc/self/fd");
        box_wait(box, "r");
        auto_free char *output = box_read(box->records, "out", NULL);
        auto_free char *wanted = text_format("Uid:\t%1$d\t%1$d\t%1$d\t%1$d\nGid:\t%1$d\t%1$d\t%1$d\t%1$d\nGroups:\t \n"
                                             "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"
                                             "CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n"
                                             "CapBnd:\t0000000000000000\nCapAmb:\t0000000000000000\nNoNewPrivs:\t1\n"
                                             "0\n1\n2\n3\n",
                                             (int)BOX_UID);
        assert_string_equal(output, wanted);
}

static void a_run_gets_its_environment(void **state)
{
        struct box *box = *state;
        const char *command[4];
        struct runner_start start = box_message(box, "r", "echo \"$LONG_NAME|$PWD|${HOME-none}\"", command);
        struct runner_variable variable = {"LONG_NAME", "a = \xc3\xa4\n"};
        auto_error error = {0};
        bool was_there;

        start.environment = &variable;
        start.environment_count = 1;
        assert_true(control_start(box->control, &start, NULL, 0, &was_there, &error));
        box_wait(box, "r");
        auto_free char *output = box_read(box->records, "out", NULL);
        auto_free char *wanted = text_format("a = \xc3\xa4\n|%s|none\n", box->workspace);
        assert_string_equal(output, wanted);
}

static void broken_bytes_and_a_missing_newline_are_kept(void **state)
{
        struct box *box = *state;
        static const char wanted[] = "a\0b\377\376\r\n\303";
        size_t length;

        box_run(box, "r", "printf 'a\\000b\\377\\376\\r\\n\\303'; printf 'x\\000' >/dev/stderr");
        struct runner_exit exit = box_wait(box, "r");
        auto_free char *output = box_read(box->records, "out", &length);
        assert_int_equal(length, sizeof wanted - 1);
        assert_memory_equal(output, wanted, length);
        assert_int_equal(exit.output_bytes, length);
        assert_int_equal(exit.error_bytes, 2);
}

static void a_line_of_eight_megabytes_is_kept(void **state)
{
        struct box *box = *state;
        size_t length;

        box_run(box, "r", "head -c 8388608 /dev/zero | tr '\\000' x");
        struct runner_exit exit = box_wait(box, "r");
        auto_free char *output = box_read(box->records, "out", &length);
        assert_int_equal(exit.output_bytes, 8388608);
        assert_int_equal(length, 8388608);
        assert_int_equal(strspn(output, "x"), 8388608);
}

static void both_streams_are_appended_to_the_log(void **state)
{
        struct box *box = *state;
        const char *command[4];
        struct runner_start start = box_message(box, "a", "echo one; sleep 0.1; echo two >&2", command);
        auto_error error = {0};
        struct stat info;
        bool was_there;

        start.output = "task/a.out";
        start.errors = "task/a.err";
        start.log = "task/log";
        assert_true(control_start(box->control, &start, NULL, 0, &was_there, &error));
        box_wait(box, "a");
        snprintf(start.run, sizeof start.run, "b");
        assert_true(control_start(box->control, &start, NULL, 0, &was_there, &error));
        struct runner_exit exit = box_wait(box, "b");
        auto_free char *output = box_read(box->records, "task/a.out", NULL);
        auto_free char *log = box_read(box->records, "task/log", NULL);
        auto_free char *path = path_join(box->records, "task/log");
        assert_string_equal(output, "one\none\n");
        assert_string_equal(log, "one\ntwo\none\ntwo\n");
        assert_int_equal(exit.output_bytes, 4);
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_mode & 07777, 0600);
}

static void a_file_size_limit_binds_the_run_and_not_its_output(void **state)
{
        struct box *box = *state;
        const char *command[4];
        struct runner_start start = box_message(
                box, "r", "head -c 100000 /dev/zero; head -c 100000 /dev/zero >file; echo $?; wc -c <file", command);
        auto_error error = {0};
        bool was_there;

        start.file_size_limit = 50000;
        assert_true(control_start(box->control, &start, NULL, 0, &was_there, &error));
        struct runner_exit exit = box_wait(box, "r");
        size_t length;
        auto_free char *output = box_read(box->records, "out", &length);
        assert_int_equal(exit.reason, RUNNER_EXITED);
        assert_int_equal(length, 100010);
        assert_string_equal(output + 100000, "153\n50000\n");
}

static void a_run_can_forge_nothing(void **state)
{
        struct box *box = *state;
        struct runner_exit forged;
        enum control_state control;
        auto_error error = {0};
        auto_free char *script =
                text_format("for f in %s %s; do ls $f && exit 1; echo x >$f/x && exit 2; done 2>/dev/null;"
                            "kill -9 $PPID 2>/dev/null && exit 3;"
                            "echo x >%s/runs/forged.exit.json && exit 4; exit 0",
                            box->control, box->records, box->control);

        box_run(box, "r", script);
        assert_int_equal(box_wait(box, "r").code, 0);
        assert_true(control_state(box->control, "forged", &control, &forged, &error));
        assert_int_equal(control, CONTROL_ABSENT);
}

static void several_runs_go_on_at_once(void **state)
{
        struct box *box = *state;
        char run[16], script[200];

        /* Each one ends only when all the others have begun. */
        for (int i = 0; i < 8; i++) {
                snprintf(run, sizeof run, "r%d", i);
                snprintf(script, sizeof script,
                         ">b%d; for i in 0 1 2 3 4 5 6 7; do while [ ! -e b$i ]; do sleep 0.02; done; done; exit %d", i,
                         i);
                box_run(box, run, script);
        }
        for (int i = 0; i < 8; i++) {
                snprintf(run, sizeof run, "r%d", i);
                assert_int_equal(box_wait(box, run).code, i);
        }
}

static void a_link_in_the_records_is_not_followed(void **state)
{
        struct box *box = *state;
        auto_free char *path = path_join(box->records, "out"), *target = path_join(box->base, "target");

        assert_int_equal(symlink(target, path), 0);
        box_run(box, "r", "echo x");
        struct runner_exit exit = box_wait(box, "r");
        assert_int_equal(exit.reason, RUNNER_LAUNCH_FAILURE);
        assert_int_equal(access(target, F_OK), -1);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, box_setup, box_teardown)

int run_cases(void)
{
        const struct CMUnitTest tests[] = {
                CASE(the_exit_code_is_kept),
                CASE(a_prompt_comes_on_standard_input),
                CASE(a_prompt_comes_on_descriptor_3_and_can_be_opened_anew),
                CASE(a_run_has_no_privilege_and_no_foreign_descriptor),
                CASE(a_run_gets_its_environment),
                CASE(broken_bytes_and_a_missing_newline_are_kept),
                CASE(a_line_of_eight_megabytes_is_kept),
                CASE(both_streams_are_appended_to_the_log),
                CASE(a_file_size_limit_binds_the_run_and_not_its_output),
                CASE(a_run_can_forge_nothing),
                CASE(several_runs_go_on_at_once),
                CASE(a_link_in_the_records_is_not_followed),
        };

        return cmocka_run_group_tests_name("runs", tests, NULL, NULL);
}
