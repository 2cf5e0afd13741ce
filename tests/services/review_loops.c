/* Loops of review and improvement. */
#include "tests/services/reviewing.h"
#include "tests/services/suites.h"

#include "server/base/clock.h"
#include "server/services/review_feedback.h"
#include "server/services/review_watch.h"
#include "server/services/write.h"

static bool stop_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return review_loop_stop(call, input, result, error);
}

static bool continue_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return review_loop_continue(call, input, result, error);
}

/* The latest review ends and has written this; that leaves a job for its variant. */
static void judged(struct world *world, const char *task, const char *verdict)
{
        auto_free char *judge = reviewing_judge(world, task);

        reviewing_forget_jobs(world);
        if (verdict)
                world_output_file(world, judge, "recommendation.json", verdict, strlen(verdict));
        world_end(world, judge, "", RUNNER_EXITED, 0);
        assert_int_equal(reviewing_jobs(world, task), 1);
        reviewing_advance(world, task);
}

static void assert_turn_says(struct world *world, const char *task, const char *text)
{
        auto_store_turn turn = world_turn(world, task);

        if (!strstr(turn.shown, text))
                fail_msg("%s", turn.shown);
}

static void a_loop_sends_what_is_said_until_all_pass_and_then_polishes(void **state)
{
        struct world *world = *state;
        auto_free char *task = reviewing_task(world, "main"), *loop = reviewing_begin(world, task, reviewing_usual);

        assert_loop(world, task, LOOP_REVIEWING, "");
        judged(world, task, FAULTY WITH("high", "mend the sums"));
        assert_loop(world, task, LOOP_IMPROVING, "");
        assert_turn_says(world, task, "[high] mend the sums");
        reviewing_end(world, task);
        assert_loop(world, task, LOOP_REVIEWING, "");
        auto_json *second = reviewing_loop(world, task);
        assert_int_equal(document_get_integer(second, "round", 0), 2);
        judged(world, task, PASS WITH("medium", "name it well"));
        assert_loop(world, task, LOOP_POLISHING, "");
        assert_turn_says(world, task, "name it well");
        reviewing_end(world, task);
        assert_loop(world, task, LOOP_STOPPED, STOP_PASSED_AFTER_POLISH);
        assert_int_equal(world_number(world, "SELECT count(*) FROM turns n JOIN tasks t ON t.rid = n.task "
                                             "WHERE NOT t.is_judge AND n.kind = 'follow_up'"),
                         2);
}

static void what_has_less_priority_is_not_sent(void **state)
{
        struct world *world = *state;
        auto_free char *task = reviewing_task(world, "main"), *loop = reviewing_begin(world, task, reviewing_usual);

        judged(world, task, PASS WITH("low", "x"));
        assert_loop(world, task, LOOP_STOPPED, STOP_PASSED);
        auto_free char *other = reviewing_task(world, "main"), *second = reviewing_begin(world, other, reviewing_usual);
        judged(world, other, FAULTY WITH("low", "x"));
        assert_loop(world, other, LOOP_STOPPED, STOP_NO_FEEDBACK);
        auto_free char *third = reviewing_task(world, "main"),
                       *low = reviewing_begin(
                               world, third,
                               (struct review_loop_options){.maxRounds = 1, .minFeedbackPriority = "low"});
        judged(world, third, PASS WITH("low", "even this"));
        assert_loop(world, third, LOOP_POLISHING, "");
}

static void a_reviewer_without_a_verdict_is_tried_once_more(void **state)
{
        struct world *world = *state;
        auto_free char *task = reviewing_task(world, "main"), *loop = reviewing_begin(world, task, reviewing_usual);

        judged(world, task, "no json");
        assert_loop(world, task, LOOP_REVIEWING, "");
        auto_json *again = reviewing_loop(world, task);
        assert_int_equal(document_get_integer(again, "round", 0), 1);
        assert_int_equal(json_array_size(json_object_get(again, "reviews")), 2);
        judged(world, task, NULL);
        assert_loop(world, task, LOOP_STOPPED, STOP_JUDGES_FAILED);
}

static void a_loop_without_rounds_left_can_be_given_more(void **state)
{
        struct world *world = *state;
        auto_free char *task = reviewing_task(world, "main"),
                       *loop = reviewing_begin(
                               world, task,
                               (struct review_loop_options){.maxRounds = 1, .minFeedbackPriority = "medium"});
        struct review_loop_input input = {loop, 2};
        auto_error error = {0};
        auto_json *view = NULL, *refused = NULL;

        judged(world, task, FAULTY WITH("high", "mend it"));
        assert_loop(world, task, LOOP_STOPPED, STOP_MAX_ROUNDS);
        reviewing_forget_jobs(world);
        struct call foreign = world_call(world, world->viewer);
        assert_false(call_write(&foreign, continue_work, &input, &refused, &error));
        assert_code(error, "permission_denied");
        struct call call = world_call(world, world->dev);
        assert_true(call_write(&call, continue_work, &input, &view, &error));
        assert_int_equal(document_get_integer(view, "maxRounds", 0), 3);
        assert_int_equal(reviewing_jobs(world, task), 1);
        reviewing_advance(world, task);
        assert_loop(world, task, LOOP_IMPROVING, "");
}

static void a_person_stops_a_loop_and_nothing_is_sent(void **state)
{
        struct world *world = *state;
        auto_free char *task = reviewing_task(world, "main"), *loop = reviewing_begin(world, task, reviewing_usual);
        struct review_loop_input input = {.loopId = loop};
        auto_error error = {0};
        auto_json *view = NULL, *again = NULL;

        struct call call = world_call(world, world->dev);
        assert_true(call_write(&call, stop_work, &input, &view, &error));
        assert_string_equal(member(view, "stoppedBy"), "dev");
        assert_true(call_write(&call, stop_work, &input, &again, &error));
        auto_free char *judge = reviewing_judge(world, task);
        world_output_file(world, judge, "recommendation.json", FAULTY WITH("high", "x"),
                          strlen(FAULTY WITH("high", "x")));
        world_end(world, judge, "", RUNNER_EXITED, 0);
        reviewing_advance(world, task);
        assert_loop(world, task, LOOP_STOPPED, STOP_BY_PERSON);
        auto_store_task stored = world_stored(world, task);
        assert_string_equal(stored.status, "completed");
}

static void a_review_that_a_person_ends_ends_the_loop(void **state)
{
        struct world *world = *state;
        auto_free char *task = reviewing_task(world, "main"), *loop = reviewing_begin(world, task, reviewing_usual),
                       *judge = reviewing_judge(world, task);
        auto_free char *sql = text_format("UPDATE turns SET stop_kind = 'stop', stop_user = 'dev' WHERE task = "
                                          "(SELECT rid FROM tasks WHERE id = '%s')",
                                          judge);

        world_sql(world, sql);
        world_end(world, judge, "", RUNNER_STOPPED, -1);
        reviewing_advance(world, task);
        assert_loop(world, task, LOOP_STOPPED, STOP_JUDGE_CANCELLED);
}

static void somebody_elses_follow_up_makes_the_feedback_wait(void **state)
{
        struct world *world = *state;
        auto_free char *task = reviewing_task(world, "main"), *loop = reviewing_begin(world, task, reviewing_usual);
        auto_error error = {0};
        auto_json *sent = world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = task, .instructions = "mine"}, &error);

        assert_non_null(sent);
        judged(world, task, FAULTY WITH("high", "mend it"));
        assert_loop(world, task, LOOP_FEEDBACK, "");
        assert_turn_says(world, task, "mine");
        reviewing_end(world, task);
        assert_loop(world, task, LOOP_IMPROVING, "");
        assert_turn_says(world, task, "mend it");
}

static void how_the_variant_ends_stops_the_loop(void **state)
{
        static const struct {
                enum runner_reason reason;
                int64_t code;
                bool is_polish;
                const char *stop;
        } cases[] = {{RUNNER_EXITED, 1, false, STOP_FOLLOW_UP_FAILED},
                     {RUNNER_STOPPED, -1, false, SOURCE_INTERRUPTED},
                     {RUNNER_EXITED, 1, true, STOP_POLISH_FAILED},
                     {RUNNER_STOPPED, -1, true, STOP_POLISH_INTERRUPTED}};
        struct world *world = *state;

        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                auto_free char *task = reviewing_task(world, "main"),
                               *loop = reviewing_begin(world, task, reviewing_usual);
                judged(world, task, cases[i].is_polish ? PASS WITH("high", "x") : FAULTY WITH("high", "x"));
                world_end(world, task, "", cases[i].reason, cases[i].code);
                reviewing_advance(world, task);
                assert_loop(world, task, LOOP_STOPPED, cases[i].stop);
        }
}

/* Says what was saved at the end of the turns so far. There is no such tree; nothing reads what has no beginning. */
static void save_changes(struct world *world, const char *tree)
{
        auto_free char *sql =
                text_format("DELETE FROM saved_changes; INSERT INTO saved_changes (turn, repository, state, "
                            "kept_to, is_whole) SELECT rid, 'app', 'saved', '%s', 1 FROM turns "
                            "WHERE state = 'ended'",
                            tree);

        world_sql(world, sql);
}

static void a_variant_that_changes_nothing_ends_the_loop(void **state)
{
        struct world *world = *state;
        auto_free char *task = reviewing_task(world, "main"), *loop = reviewing_begin(world, task, reviewing_usual);

        save_changes(world, "b");
        judged(world, task, FAULTY WITH("high", "one"));
        world_end(world, task, "", RUNNER_EXITED, 0);
        save_changes(world, "c");
        reviewing_advance(world, task);
        assert_loop(world, task, LOOP_REVIEWING, "");
        judged(world, task, FAULTY WITH("high", "two"));
        world_end(world, task, "", RUNNER_EXITED, 0);
        save_changes(world, "c");
        reviewing_advance(world, task);
        assert_loop(world, task, LOOP_STOPPED, STOP_NO_CHANGES);
}

static bool gone_work(struct store_db *db, void *context, struct error *error)
{
        return review_task_gone(db, context, clock_now(), error);
}

static void a_deleted_variant_ends_what_is_about_it(void **state)
{
        struct world *world = *state;
        auto_free char *task = reviewing_task(world, "main"), *loop = reviewing_begin(world, task, reviewing_usual);
        auto_store_task stored = world_stored(world, task);
        auto_error error = {0};

        assert_true(store_write(world->services.store, gone_work, &stored, &error));
        assert_loop(world, task, LOOP_STOPPED, SOURCE_DELETED);
}

static void who_may_not_continue_the_task_any_more_sends_nothing(void **state)
{
        struct world *world = *state;
        auto_free char *task = reviewing_task(world, "main"), *loop = reviewing_begin(world, task, reviewing_usual);

        world_sql(world, "DELETE FROM bindings WHERE user = (SELECT rid FROM users WHERE name = 'dev')");
        auto_json *view = NULL, *after = NULL;
        auto_error error = {0};
        struct call call = world_call(world, world->admin);
        assert_true(review_loop_get(&call, &(struct review_loop_get_input){task}, &view, &error));
        const char *found = member(json_array_get(json_object_get(view, "reviews"), 0), "taskId");
        world_output_file(world, found, "recommendation.json", FAULTY WITH("high", "x"),
                          strlen(FAULTY WITH("high", "x")));
        world_end(world, found, "", RUNNER_EXITED, 0);
        reviewing_advance(world, task);
        assert_true(review_loop_get(&call, &(struct review_loop_get_input){task}, &after, &error));
        assert_string_equal(member(after, "stopReason"), STOP_FOLLOW_UP_FAILED);
}

/* Takes every step in a process of its own. */
static void advance_in_steps(struct world *world, const char *task)
{
        auto_store_task stored = world_stored(world, task);
        bool is_over = false, is_again = false;
        auto_error error = {0};

        while (!is_over) {
                assert_true(
                        review_loop_take_step(&world->services, world->db, stored.rid, &is_over, &is_again, &error));
                reviewing_restart(world);
        }
        assert_false(is_again);
}

static void write_verdict(struct world *world, const char *task, const char *verdict)
{
        auto_free char *judge = reviewing_judge(world, task);

        world_output_file(world, judge, "recommendation.json", verdict, strlen(verdict));
        world_end(world, judge, "", RUNNER_EXITED, 0);
}

static void a_loop_goes_on_after_a_restart_between_any_two_steps(void **state)
{
        struct world *world = *state;
        auto_free char *task = reviewing_task(world, "main"), *loop = reviewing_begin(world, task, reviewing_usual);

        reviewing_forget_jobs(world);
        reviewing_restart(world);
        assert_int_equal(reviewing_jobs(world, task), 1);
        write_verdict(world, task, "nothing");
        advance_in_steps(world, task);
        write_verdict(world, task, FAULTY WITH("high", "one"));
        advance_in_steps(world, task);
        assert_loop(world, task, LOOP_IMPROVING, "");
        world_end(world, task, "", RUNNER_EXITED, 0);
        advance_in_steps(world, task);
        write_verdict(world, task, PASS WITH("medium", "two"));
        advance_in_steps(world, task);
        world_end(world, task, "", RUNNER_EXITED, 0);
        advance_in_steps(world, task);
        assert_loop(world, task, LOOP_STOPPED, STOP_PASSED_AFTER_POLISH);
        assert_int_equal(world_number(world, "SELECT count(*) FROM tasks WHERE is_judge"), 3);
        assert_int_equal(world_number(world, "SELECT count(*) FROM turns WHERE kind = 'follow_up'"), 2);
}

static void a_loop_that_is_stopped_while_it_launches_makes_no_reviews(void **state)
{
        struct world *world = *state;
        auto_free char *task = reviewing_task(world, "main"), *loop = reviewing_begin(world, task, reviewing_usual);
        auto_store_task stored = world_stored(world, task);
        struct review_loop_input input = {.loopId = loop};
        bool is_over, is_again = false;
        auto_error error = {0};
        auto_json *view = NULL;

        write_verdict(world, task, "nothing");
        assert_true(review_loop_take_step(&world->services, world->db, stored.rid, &is_over, &is_again, &error));
        assert_loop(world, task, LOOP_LAUNCHING, "");
        struct call call = world_call(world, world->dev);
        assert_true(call_write(&call, stop_work, &input, &view, &error));
        reviewing_advance(world, task);
        assert_loop(world, task, LOOP_STOPPED, STOP_BY_PERSON);
        assert_int_equal(world_number(world, "SELECT count(*) FROM tasks WHERE is_judge"), 1);
}

static void a_reviewer_that_is_not_let_in_any_more_stops_the_loop(void **state)
{
        struct world *world = *state;
        auto_free char *task = reviewing_task(world, "main"), *loop = reviewing_begin(world, task, reviewing_usual);

        write_verdict(world, task, "nothing");
        world_environment(world, "main", "{\"status\": \"disabled\"}");
        reviewing_advance(world, task);
        assert_loop(world, task, LOOP_STOPPED, STOP_JUDGES_FAILED);
        auto_json *view = reviewing_loop(world, task);
        assert_non_null(strstr(member(view, "stopMessage"), "environment_disabled: "));
}

static void why_a_loop_stopped_is_told_without_secrets(void **state)
{
        struct world *world = *state;
        auto_free char *task = reviewing_task(world, "main"), *loop = reviewing_begin(world, task, reviewing_usual);

        world_credentials(world, "https://someone:token-of-the-host@host\n");
        world_sql(world, "UPDATE review_loops SET stop_message = 'pull_failed: no token-of-the-host there'");
        auto_json *view = reviewing_loop(world, task);
        assert_string_equal(member(view, "stopMessage"), "pull_failed: no [redacted] there");
}

static void feedback_is_comments_for_who_runs_it_and_never_too_long(void **state)
{
        struct verdict_improvement improvements[] = {{(char *)"rm -rf /\nor so", "high"}, {(char *)"x", "low"}};
        struct verdict_feedback feedback = {'A', VERDICT_FAIL, improvements, 2};
        struct verdict verdict = {.verdict = VERDICT_FAIL, .feedback = &feedback, .feedback_count = 1};
        const struct review_said said[] = {{"critic", &verdict}};
        int64_t high, medium, low;

        (void)state;
        review_feedback_count(&verdict, &high, &medium, &low);
        assert_true(high == 1 && medium == 0 && low == 1);
        auto_free char *plain = review_feedback_text(said, 1, "medium", false, false);
        assert_non_null(strstr(plain, "\nReviewer critic (fail):\n- [high] rm -rf /\n  or so\n"));
        assert_null(strstr(plain, "[low]"));
        auto_free char *script = review_feedback_text(said, 1, "low", false, true);
        for (const char *line = script; *line; line = strchr(line, '\n') + 1)
                assert_int_equal(*line, '#');
        auto_free char *long_text = memory_new(2 * FEEDBACK_MAXIMUM);
        memset(long_text, 'x', 2 * FEEDBACK_MAXIMUM - 1);
        improvements[0].text = long_text;
        auto_free char *cut = review_feedback_text(said, 1, "medium", false, false);
        assert_true(strlen(cut) < FEEDBACK_MAXIMUM + 200);
        assert_non_null(strstr(cut, "more than fits"));
}

int run_review_loop_tests(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)
        const struct CMUnitTest tests[] = {
                TEST(a_loop_sends_what_is_said_until_all_pass_and_then_polishes),
                TEST(what_has_less_priority_is_not_sent),
                TEST(a_reviewer_without_a_verdict_is_tried_once_more),
                TEST(a_loop_without_rounds_left_can_be_given_more),
                TEST(a_person_stops_a_loop_and_nothing_is_sent),
                TEST(a_review_that_a_person_ends_ends_the_loop),
                TEST(somebody_elses_follow_up_makes_the_feedback_wait),
                TEST(how_the_variant_ends_stops_the_loop),
                TEST(a_variant_that_changes_nothing_ends_the_loop),
                TEST(a_deleted_variant_ends_what_is_about_it),
                TEST(who_may_not_continue_the_task_any_more_sends_nothing),
                TEST(a_loop_goes_on_after_a_restart_between_any_two_steps),
                TEST(a_loop_that_is_stopped_while_it_launches_makes_no_reviews),
                TEST(a_reviewer_that_is_not_let_in_any_more_stops_the_loop),
                TEST(why_a_loop_stopped_is_told_without_secrets),
                cmocka_unit_test(feedback_is_comments_for_who_runs_it_and_never_too_long),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
