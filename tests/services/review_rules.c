/* The rules of reviews that come over time. */
#include "tests/cmocka.h"
#include "tests/services/suites.h"

#include "server/base/cleanup.h"
#include "server/services/review_rules.h"

#define SOURCES(...)                                                                                                   \
        (const struct review_source[])                                                                                 \
        {                                                                                                              \
                __VA_ARGS__                                                                                            \
        }
#define DONE .status = "completed"

static void a_request_waits_for_all_work_and_what_is_queued(void **state)
{
        const char *reason;

        (void)state;
        assert_int_equal(review_request_step(SOURCES({DONE}, {.status = "running"}), 2, &reason), REQUEST_WAIT);
        assert_int_equal(review_request_step(SOURCES({DONE}, {.status = "queued"}), 2, &reason), REQUEST_WAIT);
        assert_int_equal(review_request_step(SOURCES({DONE, .is_queue_active = true}), 1, &reason), REQUEST_WAIT);
        assert_int_equal(review_request_step(SOURCES({DONE}, {DONE}), 2, &reason), REQUEST_LAUNCH);
}

static void a_source_that_cannot_be_reviewed_any_more_cancels_at_once(void **state)
{
        static const struct {
                struct review_source source;
                const char *reason;
        } cases[] = {{{.status = "failed"}, SOURCE_FAILED},
                     {{.status = "interrupted"}, SOURCE_INTERRUPTED},
                     {{.is_gone = true}, SOURCE_DELETED},
                     {{DONE, .is_excluded = true}, SOURCE_INELIGIBLE},
                     {{.status = "staged"}, SOURCE_INELIGIBLE}};

        (void)state;
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                const char *reason = "";
                assert_int_equal(review_request_step(SOURCES({.status = "running"}, cases[i].source), 2, &reason),
                                 REQUEST_CANCEL);
                assert_string_equal(reason, cases[i].reason);
        }
}

#define PASS                                                                                                           \
        {                                                                                                              \
                .is_usable = true, .is_pass = true                                                                     \
        }
#define PASS_WITH                                                                                                      \
        {                                                                                                              \
                .is_usable = true, .is_pass = true, .qualifying = 1                                                    \
        }
#define FAULTY                                                                                                         \
        {                                                                                                              \
                .is_usable = true, .qualifying = 2                                                                     \
        }
#define FAULTY_LOW                                                                                                     \
        {                                                                                                              \
                .is_usable = true                                                                                      \
        }
#define MISSING                                                                                                        \
        {                                                                                                              \
                .is_usable = false                                                                                     \
        }
#define REVIEWS(...)                                                                                                   \
        .reviews = (const struct loop_review[]){__VA_ARGS__},                                                          \
        .review_count = sizeof((const struct loop_review[]){__VA_ARGS__}) / sizeof(struct loop_review)
#define REVIEWING(at, tried, state)                                                                                    \
        .phase = LOOP_REVIEWING, .round = (at), .max_rounds = 3, .attempt = (tried), .source_status = (state)
#define AT(name, state) .phase = (name), .round = 1, .max_rounds = 3, .attempt = 1, .source_status = (state)

static void every_step_of_a_loop_follows_from_what_is_seen(void **state)
{
        const struct {
                struct loop_sight sight;
                enum loop_action action;
                const char *word; /* the reason of a stop, else the next phase */
        } cases[] = {
                {{REVIEWING(1, 1, "completed"), REVIEWS({.is_open = true}, PASS)}, LOOP_WAIT, LOOP_REVIEWING},
                {{REVIEWING(1, 1, "completed"), REVIEWS(PASS, PASS)}, LOOP_STOP, STOP_PASSED},
                {{REVIEWING(1, 1, "completed"), REVIEWS(PASS, PASS_WITH)}, LOOP_GO_ON, LOOP_POLISH},
                {{REVIEWING(3, 1, "completed"), REVIEWS(PASS_WITH)}, LOOP_GO_ON, LOOP_POLISH},
                {{REVIEWING(1, 1, "completed"), REVIEWS(PASS, FAULTY)}, LOOP_GO_ON, LOOP_FEEDBACK},
                {{REVIEWING(1, 1, "completed"), REVIEWS(PASS_WITH, FAULTY_LOW)}, LOOP_GO_ON, LOOP_FEEDBACK},
                {{REVIEWING(1, 1, "completed"), REVIEWS(PASS, FAULTY_LOW)}, LOOP_STOP, STOP_NO_FEEDBACK},
                {{REVIEWING(3, 1, "completed"), REVIEWS(FAULTY)}, LOOP_STOP, STOP_MAX_ROUNDS},
                {{REVIEWING(1, 1, "completed"), REVIEWS(PASS, MISSING)}, LOOP_AGAIN, LOOP_LAUNCHING},
                {{REVIEWING(1, 2, "completed"), REVIEWS(PASS, MISSING)}, LOOP_STOP, STOP_JUDGES_FAILED},
                {{REVIEWING(1, 1, "completed"), REVIEWS(MISSING, {.is_cancelled = true})},
                 LOOP_STOP,
                 STOP_JUDGE_CANCELLED},
                {{REVIEWING(1, 1, "running"), REVIEWS(FAULTY)}, LOOP_GO_ON, LOOP_FEEDBACK},
                {{REVIEWING(1, 1, "failed"), REVIEWS({.is_open = true})}, LOOP_STOP, SOURCE_FAILED},
                {{REVIEWING(1, 1, "completed"), .is_source_gone = true, REVIEWS(PASS)}, LOOP_STOP, SOURCE_DELETED},
                {{AT(LOOP_LAUNCHING, "completed")}, LOOP_LAUNCH, LOOP_REVIEWING},
                {{AT(LOOP_LAUNCHING, "running")}, LOOP_WAIT, LOOP_LAUNCHING},
                {{AT(LOOP_LAUNCHING, "interrupted")}, LOOP_STOP, SOURCE_INTERRUPTED},
                {{AT(LOOP_FEEDBACK, "completed")}, LOOP_SEND, LOOP_IMPROVING},
                {{AT(LOOP_FEEDBACK, "running")}, LOOP_WAIT, LOOP_FEEDBACK},
                {{AT(LOOP_FEEDBACK, "failed")}, LOOP_STOP, SOURCE_FAILED},
                {{AT(LOOP_POLISH, "completed")}, LOOP_SEND, LOOP_POLISHING},
                {{AT(LOOP_POLISH, "queued")}, LOOP_WAIT, LOOP_POLISH},
                {{AT(LOOP_IMPROVING, "running"), .turn = TURN_OPEN}, LOOP_WAIT, LOOP_IMPROVING},
                {{AT(LOOP_IMPROVING, "running"), .turn = TURN_GOOD}, LOOP_WAIT, LOOP_IMPROVING},
                {{AT(LOOP_IMPROVING, "completed"), .turn = TURN_GOOD}, LOOP_ROUND, LOOP_LAUNCHING},
                {{AT(LOOP_IMPROVING, "completed"), .turn = TURN_GOOD, .is_unchanged = true},
                 LOOP_STOP,
                 STOP_NO_CHANGES},
                {{AT(LOOP_IMPROVING, "failed"), .turn = TURN_FAILED}, LOOP_STOP, STOP_FOLLOW_UP_FAILED},
                {{AT(LOOP_IMPROVING, "interrupted"), .turn = TURN_INTERRUPTED}, LOOP_STOP, SOURCE_INTERRUPTED},
                {{AT(LOOP_IMPROVING, "failed"), .turn = TURN_GOOD}, LOOP_STOP, SOURCE_FAILED},
                {{AT(LOOP_POLISHING, "running"), .turn = TURN_OPEN}, LOOP_WAIT, LOOP_POLISHING},
                {{AT(LOOP_POLISHING, "running"), .turn = TURN_GOOD}, LOOP_STOP, STOP_PASSED_AFTER_POLISH},
                {{AT(LOOP_POLISHING, "failed"), .turn = TURN_FAILED}, LOOP_STOP, STOP_POLISH_FAILED},
                {{AT(LOOP_POLISHING, "interrupted"), .turn = TURN_INTERRUPTED}, LOOP_STOP, STOP_POLISH_INTERRUPTED},
                {{AT(LOOP_STOPPED, "completed")}, LOOP_WAIT, LOOP_STOPPED},
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                struct loop_step step = review_loop_step(&cases[i].sight);
                if (step.action != cases[i].action)
                        fail_msg("case %zu: %d", i, step.action);
                assert_string_equal(step.action == LOOP_STOP ? step.reason : step.next, cases[i].word);
        }
}

static void only_a_loop_that_ran_out_of_rounds_goes_on(void **state)
{
        (void)state;
        assert_true(review_loop_may_continue(LOOP_STOPPED, STOP_MAX_ROUNDS));
        assert_false(review_loop_may_continue(LOOP_STOPPED, STOP_PASSED));
        assert_false(review_loop_may_continue(LOOP_REVIEWING, STOP_MAX_ROUNDS));
}

int run_review_rule_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_request_waits_for_all_work_and_what_is_queued),
                cmocka_unit_test(a_source_that_cannot_be_reviewed_any_more_cancels_at_once),
                cmocka_unit_test(every_step_of_a_loop_follows_from_what_is_seen),
                cmocka_unit_test(only_a_loop_that_ran_out_of_rounds_goes_on),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
