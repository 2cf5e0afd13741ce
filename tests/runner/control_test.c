/* The server's side of the control folder. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "server/base/path.h"
#include "tests/runner/box.h"
#include "tests/runner/cases.h"

static enum control_state state_of(const struct box *box, const char *run)
{
        struct runner_exit exit;
        enum control_state state;
        auto_error error = {0};

        if (!control_state(box->control, run, &state, &exit, &error))
                fail_msg("%s", error.message);
        return state;
}

static void a_run_goes_through_its_states(void **state)
{
        struct box *box = *state;

        assert_int_equal(state_of(box, "r"), CONTROL_ABSENT);
        box_end_runner(box, SIGTERM);
        box_run(box, "r", ">up; while [ ! -e go ]; do sleep 0.02; done");
        assert_int_equal(state_of(box, "r"), CONTROL_REQUESTED);
        box_start_runner(box);
        box_wait_for_file(box, "up");
        assert_int_equal(state_of(box, "r"), CONTROL_CLAIMED);
        box_make_file(box, "go");
        box_wait(box, "r");
        assert_int_equal(state_of(box, "r"), CONTROL_ENDED);
}

static void a_request_that_was_made_is_not_made_again(void **state)
{
        struct box *box = *state;
        const char *command[4];
        struct runner_start start = box_message(box, "r", "echo once >>count", command);
        auto_error error = {0};
        bool was_there;

        box_end_runner(box, SIGTERM);
        for (int i = 0; i < 3; i++) {
                assert_true(control_start(box->control, &start, "p", 1, &was_there, &error));
                assert_int_equal(was_there, i > 0);
        }
        box_start_runner(box);
        box_wait(box, "r");
        assert_true(control_start(box->control, &start, "p", 1, &was_there, &error));
        assert_true(was_there);
        box_run(box, "later", "exit 0");
        box_wait(box, "later");
        auto_free char *count = box_read(box->workspace, "count", NULL);
        assert_string_equal(count, "once\n");
}

static void a_run_that_is_composed_begins_when_it_is_sent(void **state)
{
        struct box *box = *state;
        const char *command[4];
        struct runner_start start = box_message(box, "r", "echo once >>count", command);
        auto_free char *message = NULL;
        auto_error error = {0};
        bool was_there;

        assert_true(control_compose(box->control, &start, "p", 1, &message, &error));
        box_run(box, "later", "exit 0");
        box_wait(box, "later");
        assert_int_equal(state_of(box, "r"), CONTROL_ABSENT);
        assert_true(control_send(box->control, "r", message, &was_there, &error));
        assert_false(was_there);
        box_wait(box, "r");
        assert_true(control_send(box->control, "r", message, &was_there, &error));
        assert_true(was_there);
        auto_free char *count = box_read(box->workspace, "count", NULL);
        assert_string_equal(count, "once\n");
}

static void a_second_request_for_a_claimed_run_is_dropped(void **state)
{
        struct box *box = *state;
        auto_free char *path = control_path_start(box->control, "r"),
                       *claimed = control_path_claimed(box->control, "r");
        auto_text message = TEXT_WITH_MAXIMUM(RUNNER_START_MAXIMUM);
        auto_error error = {0};

        box_run(box, "r", "echo once >>count");
        box_wait(box, "r");
        assert_true(path_read(claimed, RUNNER_START_MAXIMUM, &message, NULL, &error));
        assert_true(path_write(path, text_string(&message), message.length, 0600, &error));
        box_run(box, "later", "exit 0");
        box_wait(box, "later");
        box_run(box, "last", "exit 0");
        box_wait(box, "last");
        assert_int_equal(access(path, F_OK), -1);
        auto_free char *count = box_read(box->workspace, "count", NULL);
        assert_string_equal(count, "once\n");
}

static void what_the_runner_would_refuse_is_not_written(void **state)
{
        struct box *box = *state;
        const char *command[4];
        struct runner_start start = box_message(box, "r", "exit 0", command);
        struct runner_variable twice[] = {{"A", "1"}, {"A", "2"}};
        auto_error error = {0};
        bool was_there;

        start.output = "../out";
        assert_false(control_start(box->control, &start, NULL, 0, &was_there, &error));
        assert_int_equal(error.code, ERROR_INVALID_INPUT);
        start.output = "out";
        start.environment = twice;
        start.environment_count = 2;
        assert_false(control_start(box->control, &start, NULL, 0, &was_there, &error));
        assert_int_equal(state_of(box, "r"), CONTROL_ABSENT);
        assert_false(control_withdraw(box->control, "../r", &was_there, &error));
}

static void an_unknown_version_is_a_launch_failure(void **state)
{
        struct box *box = *state;
        auto_free char *path = control_path_start(box->control, "r");
        auto_error error = {0};

        assert_true(path_write(path, "{\"version\":9}", 13, 0600, &error));
        struct runner_exit exit = box_wait(box, "r");
        assert_int_equal(exit.reason, RUNNER_LAUNCH_FAILURE);
        assert_non_null(strstr(exit.message, "\"version\" must be 1"));
}

/* Either the request is taken back and never runs, or it runs once: whoever is first. */
static void a_withdrawal_and_a_claim_exclude_each_other(void **state)
{
        enum { ROUNDS = 300 };
        struct box *box = *state;
        bool is_withdrawn[ROUNDS];
        int withdrawn = 0, lines = 0;
        char run[16], script[64];
        auto_error error = {0};

        for (int i = 0; i < ROUNDS; i++) {
                snprintf(run, sizeof run, "r%d", i);
                snprintf(script, sizeof script, "echo %d >>count", i);
                box_run(box, run, script);
                /* Gives each side its chances. */
                for (int spin = 0; spin < i % 30; spin++)
                        state_of(box, run);
                assert_true(control_withdraw(box->control, run, &is_withdrawn[i], &error));
        }
        for (int i = 0; i < ROUNDS; i++) {
                snprintf(run, sizeof run, "r%d", i);
                if (is_withdrawn[i])
                        assert_int_equal(state_of(box, run), CONTROL_ABSENT);
                else
                        assert_int_equal(box_wait(box, run).reason, RUNNER_EXITED);
                withdrawn += is_withdrawn[i];
        }
        auto_free char *count = withdrawn < ROUNDS ? box_read(box->workspace, "count", NULL) : text_copy("");
        for (const char *at = count; *at; at++)
                lines += *at == '\n';
        print_message("%d of %d were withdrawn\n", withdrawn, ROUNDS);
        assert_int_equal(lines, ROUNDS - withdrawn);
}

static void a_record_that_cannot_be_read_is_an_error(void **state)
{
        struct box *box = *state;
        auto_free char *path = control_path_exit(box->control, "r");
        struct runner_exit exit;
        enum control_state control;
        auto_error error = {0};

        assert_true(path_write(path, "{}", 2, 0600, &error));
        assert_false(control_state(box->control, "r", &control, &exit, &error));
        assert_non_null(strstr(error.message, path));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, box_setup, box_teardown)

int control_cases(void)
{
        const struct CMUnitTest tests[] = {
                CASE(a_run_goes_through_its_states),
                CASE(a_request_that_was_made_is_not_made_again),
                CASE(a_run_that_is_composed_begins_when_it_is_sent),
                CASE(a_second_request_for_a_claimed_run_is_dropped),
                CASE(what_the_runner_would_refuse_is_not_written),
                CASE(an_unknown_version_is_a_launch_failure),
                CASE(a_withdrawal_and_a_claim_exclude_each_other),
                CASE(a_record_that_cannot_be_read_is_an_error),
        };

        return cmocka_run_group_tests_name("control folder", tests, NULL, NULL);
}
