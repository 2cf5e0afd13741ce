/* Reviews that come over time, on a small server whose turns are ended by hand and whose judges are what the test
 * writes. What a job would do is called here. */
#include "tests/services/suites.h"
#include "tests/services/world.h"

#include "server/base/clock.h"
#include "server/services/follow_up.h"
#include "server/services/group.h"
#include "server/services/judge_pending.h"
#include "server/services/reader.h"
#include "server/services/review_loop.h"
#include "server/services/review_rules.h"
#include "server/services/review_watch.h"
#include "server/services/write.h"

#define PASS "{\"mode\":\"review\",\"verdict\":\"pass\",\"confidence\":\"high\""
#define FAULTY "{\"mode\":\"review\",\"verdict\":\"needs-improvement\",\"confidence\":\"high\""
#define WITH(priority, text)                                                                                           \
        ",\"variantFeedback\":{\"A\":{\"improvements\":[{\"priority\":\"" priority "\",\"text\":\"" text "\"}]}}}"

static char *finished(struct world *world, const char *environment)
{
        char *task = world_task(world, world->dev, environment, "true");

        world_end(world, task, "done", RUNNER_EXITED, 0);
        return task;
}

static struct judge_order order_of(const char *task)
{
        return (struct judge_order){.task_id = task, .reviewers = {{.agent = "shell"}}, .reviewer_count = 1};
}

/* Reviews the task with a loop; the loop's id, on the heap. */
static char *begin(struct world *world, const char *task, struct review_loop_options options)
{
        struct call call = world_call(world, world->dev);
        struct judge_order order = order_of(task);
        char id[ID_SIZE];
        struct review_loop_start start = {&order, options, id};
        struct judge_launched launched;
        auto_error error = {0};

        review_loop_new_id(id);
        order.recorded = review_loop_recorded;
        order.context = &start;
        if (!judge_launch(&call, &order, &launched, &error))
                fail_msg("%s: %s", error_kind(error.code)->code, error.message);
        return text_copy(id);
}

static bool stop_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return review_loop_stop(call, input, result, error);
}

static bool continue_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return review_loop_continue(call, input, result, error);
}

static bool cancel_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return judge_pending_cancel(call, input, result, error);
}

static const struct review_loop_options usual = {.maxRounds = 3, .minFeedbackPriority = "medium"};

static json_t *loop_of(struct world *world, const char *task)
{
        struct call call = world_call(world, world->dev);
        auto_error error = {0};
        json_t *view = NULL;

        assert_true(review_loop_get(&call, &(struct review_loop_get_input){task}, &view, &error));
        return view;
}

static void assert_loop(struct world *world, const char *task, const char *phase, const char *reason)
{
        auto_json *view = loop_of(world, task);
        const char *stopped = document_get_string(view, "stopReason");

        assert_string_equal(member(view, "phase"), phase);
        assert_string_equal(stopped ? stopped : "", reason);
        assert_int_equal(json_is_true(json_object_get(view, "holdsNotifications")), !*reason);
}

/* The latest review of the loop, on the heap. */
static char *judge_of(struct world *world, const char *task)
{
        auto_json *view = loop_of(world, task);
        const json_t *reviews = json_object_get(view, "reviews");

        return text_copy(member(json_array_get(reviews, json_array_size(reviews) - 1), "taskId"));
}

/* What the jobs would do. */
static void advance(struct world *world, const char *task)
{
        auto_store_task stored = world_stored(world, task);
        auto_error error = {0};
        bool is_again = false;

        if (!judge_pending_advance(&world->services, world->db, stored.rid, &is_again, &error) ||
            !review_loop_advance(&world->services, world->db, stored.rid, &is_again, &error))
                fail_msg("%s: %s", error_kind(error.code)->code, error.message);
        assert_false(is_again);
}

static int64_t jobs_of(struct world *world, const char *task)
{
        auto_store_task stored = world_stored(world, task);
        auto_free char *sql =
                text_format("SELECT count(*) FROM jobs WHERE kind = 'review' AND task = %lld", (long long)stored.rid);

        return world_number(world, sql);
}

static void forget_jobs(struct world *world)
{
        world_sql(world, "DELETE FROM jobs WHERE kind = 'review'");
}

/* The latest review ends and has written this; that leaves a job for its variant. */
static void judged(struct world *world, const char *task, const char *verdict)
{
        auto_free char *judge = judge_of(world, task);

        forget_jobs(world);
        if (verdict)
                world_output_file(world, judge, "recommendation.json", verdict, strlen(verdict));
        world_end(world, judge, "", RUNNER_EXITED, 0);
        assert_int_equal(jobs_of(world, task), 1);
        advance(world, task);
}

static void improved(struct world *world, const char *task)
{
        forget_jobs(world);
        world_end(world, task, "better", RUNNER_EXITED, 0);
        assert_int_equal(jobs_of(world, task), 1);
        advance(world, task);
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
        auto_free char *task = finished(world, "main"), *loop = begin(world, task, usual);

        assert_loop(world, task, LOOP_REVIEWING, "");
        judged(world, task, FAULTY WITH("high", "mend the sums"));
        assert_loop(world, task, LOOP_IMPROVING, "");
        assert_turn_says(world, task, "[high] mend the sums");
        improved(world, task);
        assert_loop(world, task, LOOP_REVIEWING, "");
        auto_json *second = loop_of(world, task);
        assert_int_equal(document_get_integer(second, "round", 0), 2);
        judged(world, task, PASS WITH("medium", "name it well"));
        assert_loop(world, task, LOOP_POLISHING, "");
        assert_turn_says(world, task, "name it well");
        improved(world, task);
        assert_loop(world, task, LOOP_STOPPED, STOP_PASSED_AFTER_POLISH);
        assert_int_equal(world_number(world, "SELECT count(*) FROM turns n JOIN tasks t ON t.rid = n.task "
                                             "WHERE NOT t.is_judge AND n.kind = 'follow_up'"),
                         2);
}

static void what_has_less_priority_is_not_sent(void **state)
{
        struct world *world = *state;
        auto_free char *task = finished(world, "main"), *loop = begin(world, task, usual);

        judged(world, task, PASS WITH("low", "x"));
        assert_loop(world, task, LOOP_STOPPED, STOP_PASSED);
        auto_free char *other = finished(world, "main"), *second = begin(world, other, usual);
        judged(world, other, FAULTY WITH("low", "x"));
        assert_loop(world, other, LOOP_STOPPED, STOP_NO_FEEDBACK);
        auto_free char *third = finished(world, "main"),
                       *low = begin(world, third,
                                    (struct review_loop_options){.maxRounds = 1, .minFeedbackPriority = "low"});
        judged(world, third, PASS WITH("low", "even this"));
        assert_loop(world, third, LOOP_POLISHING, "");
}

static void a_reviewer_without_a_verdict_is_tried_once_more(void **state)
{
        struct world *world = *state;
        auto_free char *task = finished(world, "main"), *loop = begin(world, task, usual);

        judged(world, task, "no json");
        assert_loop(world, task, LOOP_REVIEWING, "");
        auto_json *again = loop_of(world, task);
        assert_int_equal(document_get_integer(again, "round", 0), 1);
        assert_int_equal(json_array_size(json_object_get(again, "reviews")), 2);
        judged(world, task, NULL);
        assert_loop(world, task, LOOP_STOPPED, STOP_JUDGES_FAILED);
}

static void a_loop_without_rounds_left_can_be_given_more(void **state)
{
        struct world *world = *state;
        auto_free char *task = finished(world, "main"),
                       *loop = begin(world, task,
                                     (struct review_loop_options){.maxRounds = 1, .minFeedbackPriority = "medium"});
        struct review_loop_input input = {loop, 2};
        auto_error error = {0};
        auto_json *view = NULL, *refused = NULL;

        judged(world, task, FAULTY WITH("high", "mend it"));
        assert_loop(world, task, LOOP_STOPPED, STOP_MAX_ROUNDS);
        forget_jobs(world);
        struct call foreign = world_call(world, world->viewer);
        assert_false(call_write(&foreign, continue_work, &input, &refused, &error));
        assert_code(error, "permission_denied");
        struct call call = world_call(world, world->dev);
        assert_true(call_write(&call, continue_work, &input, &view, &error));
        assert_int_equal(document_get_integer(view, "maxRounds", 0), 3);
        assert_int_equal(jobs_of(world, task), 1);
        advance(world, task);
        assert_loop(world, task, LOOP_IMPROVING, "");
}

static void a_person_stops_a_loop_and_nothing_is_sent(void **state)
{
        struct world *world = *state;
        auto_free char *task = finished(world, "main"), *loop = begin(world, task, usual);
        struct review_loop_input input = {.loopId = loop};
        auto_error error = {0};
        auto_json *view = NULL, *again = NULL;

        struct call call = world_call(world, world->dev);
        assert_true(call_write(&call, stop_work, &input, &view, &error));
        assert_string_equal(member(view, "stoppedBy"), "dev");
        assert_true(call_write(&call, stop_work, &input, &again, &error));
        auto_free char *judge = judge_of(world, task);
        world_output_file(world, judge, "recommendation.json", FAULTY WITH("high", "x"),
                          strlen(FAULTY WITH("high", "x")));
        world_end(world, judge, "", RUNNER_EXITED, 0);
        advance(world, task);
        assert_loop(world, task, LOOP_STOPPED, STOP_BY_PERSON);
        auto_store_task stored = world_stored(world, task);
        assert_string_equal(stored.status, "completed");
}

static void a_review_that_a_person_ends_ends_the_loop(void **state)
{
        struct world *world = *state;
        auto_free char *task = finished(world, "main"), *loop = begin(world, task, usual),
                       *judge = judge_of(world, task);
        auto_free char *sql = text_format("UPDATE turns SET stop_kind = 'stop', stop_user = 'dev' WHERE task = "
                                          "(SELECT rid FROM tasks WHERE id = '%s')",
                                          judge);

        world_sql(world, sql);
        world_end(world, judge, "", RUNNER_STOPPED, -1);
        advance(world, task);
        assert_loop(world, task, LOOP_STOPPED, STOP_JUDGE_CANCELLED);
}

static void somebody_elses_follow_up_makes_the_feedback_wait(void **state)
{
        struct world *world = *state;
        auto_free char *task = finished(world, "main"), *loop = begin(world, task, usual);
        auto_error error = {0};
        auto_json *sent = world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = task, .instructions = "mine"}, &error);

        assert_non_null(sent);
        judged(world, task, FAULTY WITH("high", "mend it"));
        assert_loop(world, task, LOOP_FEEDBACK, "");
        assert_turn_says(world, task, "mine");
        improved(world, task);
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
                auto_free char *task = finished(world, "main"), *loop = begin(world, task, usual);
                judged(world, task, cases[i].is_polish ? PASS WITH("high", "x") : FAULTY WITH("high", "x"));
                world_end(world, task, "", cases[i].reason, cases[i].code);
                advance(world, task);
                assert_loop(world, task, LOOP_STOPPED, cases[i].stop);
        }
}

/* Says what was saved at the end of the turns so far. */
static void save_changes(struct world *world, const char *tree)
{
        auto_free char *sql =
                text_format("DELETE FROM saved_changes; INSERT INTO saved_changes (turn, repository, state, "
                            "kept_from, kept_to, is_whole) SELECT rid, 'app', 'saved', 'a', '%s', 1 FROM "
                            "turns WHERE state = 'ended'",
                            tree);

        world_sql(world, sql);
}

static void a_variant_that_changes_nothing_ends_the_loop(void **state)
{
        struct world *world = *state;
        auto_free char *task = finished(world, "main"), *loop = begin(world, task, usual);

        save_changes(world, "b");
        judged(world, task, FAULTY WITH("high", "one"));
        world_end(world, task, "", RUNNER_EXITED, 0);
        save_changes(world, "c");
        advance(world, task);
        assert_loop(world, task, LOOP_REVIEWING, "");
        judged(world, task, FAULTY WITH("high", "two"));
        world_end(world, task, "", RUNNER_EXITED, 0);
        save_changes(world, "c");
        advance(world, task);
        assert_loop(world, task, LOOP_STOPPED, STOP_NO_CHANGES);
}

static bool gone_work(struct store_db *db, void *context, struct error *error)
{
        return review_task_gone(db, context, clock_now(), error);
}

static void a_deleted_variant_ends_what_is_about_it(void **state)
{
        struct world *world = *state;
        auto_free char *task = finished(world, "main"), *loop = begin(world, task, usual);
        auto_store_task stored = world_stored(world, task);
        auto_error error = {0};

        assert_true(store_write(world->services.store, gone_work, &stored, &error));
        assert_loop(world, task, LOOP_STOPPED, SOURCE_DELETED);
}

static void who_may_not_continue_the_task_any_more_sends_nothing(void **state)
{
        struct world *world = *state;
        auto_free char *task = finished(world, "main"), *loop = begin(world, task, usual);

        world_sql(world, "DELETE FROM bindings WHERE user = (SELECT rid FROM users WHERE name = 'dev')");
        auto_json *view = NULL, *after = NULL;
        auto_error error = {0};
        struct call call = world_call(world, world->admin);
        assert_true(review_loop_get(&call, &(struct review_loop_get_input){task}, &view, &error));
        const char *found = member(json_array_get(json_object_get(view, "reviews"), 0), "taskId");
        world_output_file(world, found, "recommendation.json", FAULTY WITH("high", "x"),
                          strlen(FAULTY WITH("high", "x")));
        world_end(world, found, "", RUNNER_EXITED, 0);
        advance(world, task);
        assert_true(review_loop_get(&call, &(struct review_loop_get_input){task}, &after, &error));
        assert_string_equal(member(after, "stopReason"), STOP_FOLLOW_UP_FAILED);
}

/* The process ends, and another begins. */
static void restart(struct world *world)
{
        auto_error error = {0};

        services_reader_close();
        store_reader_close(world->db);
        environments_close(world->services.environments);
        store_close(world->services.store);
        assert_non_null(world->services.store = store_open(world->root, &error));
        assert_non_null(world->services.environments = environments_open(world->services.store, world->setup, &error));
        assert_non_null(world->db = store_reader_open(world->services.store, &error));
        review_take_up(&world->services, world->db);
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
                restart(world);
        }
        assert_false(is_again);
}

static void write_verdict(struct world *world, const char *task, const char *verdict)
{
        auto_free char *judge = judge_of(world, task);

        world_output_file(world, judge, "recommendation.json", verdict, strlen(verdict));
        world_end(world, judge, "", RUNNER_EXITED, 0);
}

static void a_loop_goes_on_after_a_restart_between_any_two_steps(void **state)
{
        struct world *world = *state;
        auto_free char *task = finished(world, "main"), *loop = begin(world, task, usual);

        forget_jobs(world);
        restart(world);
        assert_int_equal(jobs_of(world, task), 1);
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

/* Requests. */

static char *variant_of(struct world *world, const char *task)
{
        auto_error error = {0};
        auto_json *made = must(world_create(world, world->dev, NEW_TASK(.sourceTaskId = task), &error));

        return text_copy(member(made, "taskId"));
}

static bool add_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        char id[ID_SIZE];

        return judge_pending_add(call, input, id, error) && judge_pending_show(call, id, result, error);
}

static json_t *ask(struct world *world, struct judge_order order, const struct review_loop_options *loop,
                   struct error *error)
{
        struct judge_pending_new new = {.order = &order, .loop = loop, .origin = REQUEST_BY_PERSON};
        struct call call = world_call(world, world->dev);
        json_t *result = NULL;

        order.is_waiting = true;
        return call_write(&call, add_work, &new, &result, error) ? result : NULL;
}

static json_t *listed(struct world *world, const struct actor *actor)
{
        struct call call = world_call(world, actor);
        auto_error error = {0};
        auto_json *result = NULL;

        assert_true(judge_pending_list(&call, &(struct judge_pending_list_input){0}, &result, &error));
        return json_incref(json_array_get(json_object_get(result, "requests"), 0));
}

static void assert_request(struct world *world, const char *status, const char *reason)
{
        auto_json *request = listed(world, world->dev);
        const char *told = document_get_string(request, "reason");

        assert_string_equal(member(request, "status"), status);
        assert_string_equal(told ? told : "", reason);
}

static void a_request_waits_for_the_work_and_what_is_queued_meanwhile(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "true");
        auto_error error = {0};
        auto_json *asked = must(ask(world, order_of(task), &usual, &error));

        assert_string_equal(member(asked, "status"), "pending");
        assert_string_equal(member(asked, "timing"), "after_queued_turns");
        auto_json *queued = world_follow_up(
                world, world->dev,
                (struct task_follow_up_input){.taskId = task, .instructions = "more", .queueIfBusy = true}, &error);
        assert_non_null(queued);
        advance(world, task);
        improved(world, task);
        assert_request(world, "pending", "");
        improved(world, task);
        assert_request(world, "launched", "");
        assert_loop(world, task, LOOP_REVIEWING, "");
        auto_store_task stored = world_stored(world, task);
        assert_string_equal(stored.group_id, member(asked, "groupId"));
        auto_json *others = listed(world, world->admin);
        assert_null(others);
}

static void work_that_fails_cancels_the_request(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "true");
        auto_error error = {0};
        auto_json *asked = must(ask(world, order_of(task), NULL, &error));

        world_end(world, task, "", RUNNER_EXITED, 3);
        advance(world, task);
        assert_request(world, "cancelled", SOURCE_FAILED);
        auto_json *refused = ask(world, order_of(task), NULL, &error);
        assert_null(refused);
        assert_code(error, "nothing_to_evaluate");
}

static void a_paused_queue_holds_nothing(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "true");
        auto_error error = {0};
        auto_json *asked = must(ask(world, order_of(task), NULL, &error));
        auto_free char *sql = text_format("INSERT INTO queue_pauses (task, reason, paused_at) SELECT rid, 'stopped', 1 "
                                          "FROM tasks WHERE id = '%s'",
                                          task);
        auto_json *queued = world_follow_up(
                world, world->dev,
                (struct task_follow_up_input){.taskId = task, .instructions = "more", .queueIfBusy = true}, &error);

        assert_non_null(queued);
        world_sql(world, sql);
        world_end(world, task, "", RUNNER_EXITED, 0);
        advance(world, task);
        assert_request(world, "launched", "");
}

static bool lose_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return task_set_loser(call, input, result, error);
}

static void a_variant_that_is_ruled_out_cancels_the_request(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "true"), *variant = variant_of(world, task);
        auto_error error = {0};
        auto_store_task stored = world_stored(world, task);
        auto_json *asked = must(ask(world,
                                    (struct judge_order){.group_id = stored.group_id,
                                                         .reviewers = {{.agent = "shell"}},
                                                         .reviewer_count = 1},
                                    NULL, &error)),
                  *marked = NULL;
        struct task_mark_input mark = {.taskId = variant, .loser = true};
        struct call call = world_call(world, world->dev);

        assert_string_equal(member(asked, "mode"), "comparison");
        forget_jobs(world);
        assert_true(call_write(&call, lose_work, &mark, &marked, &error));
        assert_int_equal(jobs_of(world, variant), 1);
        advance(world, variant);
        assert_request(world, "cancelled", SOURCE_INELIGIBLE);
}

/* The turn has ended, but the next waits for upstream changes that are being pulled. */
static void what_is_pulled_for_is_waited_for_until_it_is_removed(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "true");
        auto_error error = {0};
        auto_json *asked = must(ask(world, order_of(task), NULL, &error));
        auto_json *queued = must(world_follow_up(
                world, world->dev,
                (struct task_follow_up_input){
                        .taskId = task, .instructions = "more", .queueIfBusy = true, .pullLatest = true},
                &error));

        world_end(world, task, "", RUNNER_EXITED, 0);
        advance(world, task);
        assert_request(world, "pending", "");
        forget_jobs(world);
        struct queue_entry_input entry = {
                .taskId = task, .entryId = member(queued, "queuedFollowUpId"), .version = 1, .pullLatest = -1};
        struct call call = world_call(world, world->dev);
        json_t *removed = NULL;
        assert_true(queue_entry_remove(&call, &entry, &removed, &error));
        json_decref(removed);
        assert_int_equal(jobs_of(world, task), 1);
        advance(world, task);
        assert_request(world, "launched", "");
}

static void only_who_asked_cancels_and_only_before_the_launch(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "true");
        auto_error error = {0};
        auto_json *asked = must(ask(world, order_of(task), NULL, &error)), *done = NULL, *again = NULL, *refused = NULL;
        struct judge_pending_cancel_input input = {member(asked, "pendingRequestId")};
        struct call call = world_call(world, world->dev), foreign = world_call(world, world->admin);

        assert_false(call_write(&foreign, cancel_work, &input, &refused, &error));
        assert_code(error, "pending_request_not_found");
        assert_true(call_write(&call, cancel_work, &input, &done, &error));
        assert_string_equal(member(done, "status"), "cancelled");
        assert_true(call_write(&call, cancel_work, &input, &again, &error));
        world_end(world, task, "", RUNNER_EXITED, 0);
        advance(world, task);
        assert_request(world, "cancelled", "cancelled_by_requester");
        auto_json *second = must(ask(world, order_of(task), NULL, &error));
        advance(world, task);
        input.pendingRequestId = member(second, "pendingRequestId");
        assert_false(call_write(&call, cancel_work, &input, &refused, &error));
        assert_code(error, "pending_request_launched");
}

static void a_launch_that_was_cut_off_is_gone_on_with_once(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "true");
        auto_error error = {0};
        auto_json *asked = must(ask(world, order_of(task), &usual, &error));
        bool is_over = false, is_again = false;

        forget_jobs(world);
        restart(world);
        assert_int_equal(jobs_of(world, task), 1);
        world_end(world, task, "", RUNNER_EXITED, 0);
        for (size_t i = 0; !is_over; i++) {
                assert_true(judge_pending_take_step(&world->services, world->db, member(asked, "pendingRequestId"),
                                                    &is_over, &is_again, &error));
                if (i == 0)
                        assert_request(world, "launching", "");
                restart(world);
        }
        assert_request(world, "launched", "");
        advance(world, task);
        assert_int_equal(world_number(world, "SELECT count(*) FROM tasks WHERE is_judge"), 1);
        assert_loop(world, task, LOOP_REVIEWING, "");
}

static void access_is_looked_at_again_before_the_launch(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "true");
        auto_error error = {0};
        auto_json *asked = must(ask(world, order_of(task), NULL, &error));

        world_sql(world, "UPDATE users SET is_disabled = 1 WHERE name = 'dev'");
        world_end(world, task, "", RUNNER_EXITED, 0);
        advance(world, task);
        assert_request(world, "cancelled", "permission_denied");
        assert_int_equal(world_number(world, "SELECT count(*) FROM tasks WHERE is_judge"), 0);
}

/* create_judge_task. */

static json_t *create(struct world *world, const struct actor *actor, struct judge_create_input input,
                      struct error *error)
{
        auto_json *arguments = json_pack("{s:s*, s:s*, s:b}", "taskId", input.taskId, "groupId", input.groupId,
                                         "whenFinished", input.whenFinished);
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        input.agent = "shell";
        call.arguments = arguments;
        return judge_create(&call, &input, &result, error) ? result : NULL;
}

#define REQUEST_ID "6c6f6e67-7368-4f72-8165-000000000001"

static void a_request_that_is_repeated_is_one_request(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "true");
        struct judge_create_input input = {
                .taskId = task, .whenFinished = true, .reviewLoop = &usual, .requestId = REQUEST_ID};
        auto_error error = {0};
        auto_json *first = must(create(world, world->dev, input, &error)),
                  *second = must(create(world, world->dev, input, &error));

        assert_string_equal(member(first, "pendingRequestId"), member(second, "pendingRequestId"));
        assert_string_equal(member(first, "status"), "pending");
        assert_int_equal(document_get_integer(json_object_get(first, "reviewLoop"), "maxRounds", 0), 3);
        assert_int_equal(world_number(world, "SELECT count(*) FROM judge_requests"), 1);
        world_end(world, task, "", RUNNER_EXITED, 0);
        advance(world, task);
        auto_json *third = must(create(world, world->dev, input, &error));
        assert_string_equal(member(third, "status"), "launched");
}

static void a_loop_begins_with_its_judges_and_is_told(void **state)
{
        struct world *world = *state;
        auto_free char *task = finished(world, "main");
        struct judge_create_input input = {.taskId = task, .reviewLoop = &usual, .requestId = REQUEST_ID};
        auto_error error = {0};
        auto_json *made = must(create(world, world->dev, input, &error)),
                  *again = must(create(world, world->dev, input, &error));
        const json_t *loop = json_object_get(made, "reviewLoop");

        assert_true(json_is_true(json_object_get(made, "reviewLoopAvailable")));
        assert_string_equal(member(loop, "phase"), LOOP_REVIEWING);
        assert_string_equal(member(loop, "loopId"), member(json_object_get(again, "reviewLoop"), "loopId"));
        assert_string_equal(member(made, "taskId"),
                            member(json_array_get(json_object_get(loop, "reviews"), 0), "taskId"));
        input.requestId = NULL;
        assert_null(create(world, world->dev, input, &error));
        assert_code(error, "conflict");
        assert_int_equal(world_number(world, "SELECT count(*) FROM tasks WHERE is_judge"), 1);
}

static void a_loop_is_of_one_variant_that_may_be_continued_and_no_orchestrator(void **state)
{
        struct world *world = *state;
        auto_free char *task = finished(world, "main"), *variant = variant_of(world, task);
        auto_error error = {0};

        world_end(world, variant, "", RUNNER_EXITED, 0);
        auto_store_task stored = world_stored(world, task);
        struct judge_create_input group = {.groupId = stored.group_id, .reviewLoop = &usual},
                                  single = {.taskId = task, .reviewLoop = &usual},
                                  later = {.taskId = task, .reviewLoop = &usual, .whenFinished = true};
        assert_null(create(world, world->dev, group, &error));
        assert_code(error, "review_loop_not_applicable");
        assert_null(create(world, world->viewer, single, &error));
        assert_code(error, "permission_denied");
        world_sql(world, "UPDATE tasks SET role = 'orchestrator'");
        assert_null(create(world, world->dev, single, &error));
        assert_code(error, "orchestrator_auto_review_disabled");
        assert_null(create(world, world->dev, later, &error));
        assert_code(error, "orchestrator_auto_review_disabled");
        single.reviewLoop = NULL;
        auto_json *plain = must(create(world, world->dev, single, &error));
        assert_true(json_is_null(json_object_get(plain, "reviewLoop")));
        assert_int_equal(world_number(world, "SELECT count(*) FROM review_loops"), 0);
}

static void a_group_is_asked_for_as_it_is_now(void **state)
{
        struct world *world = *state;
        auto_free char *task = finished(world, "main"), *variant = variant_of(world, task);
        auto_store_task stored = world_stored(world, task);
        struct judge_create_input group = {.groupId = stored.group_id, .whenFinished = true};
        auto_error error = {0};
        auto_json *asked = must(create(world, world->dev, group, &error));

        assert_string_equal(member(asked, "mode"), "comparison");
        auto_free char *late = variant_of(world, task);
        world_end(world, variant, "", RUNNER_EXITED, 0);
        advance(world, variant);
        assert_request(world, "launched", "");
        assert_int_equal(world_number(world, "SELECT count(*) FROM judge_variants"), 2);
        world_end(world, late, "", RUNNER_EXITED, 1);
        assert_null(create(world, world->dev, group, &error));
        assert_code(error, "nothing_to_evaluate");
}

int run_review_tests(void)
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
                TEST(a_request_waits_for_the_work_and_what_is_queued_meanwhile),
                TEST(work_that_fails_cancels_the_request),
                TEST(a_paused_queue_holds_nothing),
                TEST(a_variant_that_is_ruled_out_cancels_the_request),
                TEST(what_is_pulled_for_is_waited_for_until_it_is_removed),
                TEST(only_who_asked_cancels_and_only_before_the_launch),
                TEST(a_launch_that_was_cut_off_is_gone_on_with_once),
                TEST(access_is_looked_at_again_before_the_launch),
                TEST(a_request_that_is_repeated_is_one_request),
                TEST(a_loop_begins_with_its_judges_and_is_told),
                TEST(a_loop_is_of_one_variant_that_may_be_continued_and_no_orchestrator),
                TEST(a_group_is_asked_for_as_it_is_now),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
