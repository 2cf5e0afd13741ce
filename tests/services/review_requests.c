/* Requests to review work once it is finished, and create_judge_task's part in them. */
#include "tests/services/reviewing.h"
#include "tests/services/suites.h"

#include "server/services/follow_up.h"
#include "server/services/group.h"
#include "server/services/write.h"

static bool cancel_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return judge_pending_cancel(call, input, result, error);
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
        auto_json *asked = must(ask(world, reviewing_order(task), &reviewing_usual, &error));

        assert_string_equal(member(asked, "status"), "pending");
        assert_string_equal(member(asked, "timing"), "after_queued_turns");
        auto_json *queued = world_follow_up(
                world, world->dev,
                (struct task_follow_up_input){.taskId = task, .instructions = "more", .queueIfBusy = true}, &error);
        assert_non_null(queued);
        reviewing_advance(world, task);
        reviewing_end(world, task);
        assert_request(world, "pending", "");
        reviewing_end(world, task);
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
        auto_json *asked = must(ask(world, reviewing_order(task), NULL, &error));

        world_end(world, task, "", RUNNER_EXITED, 3);
        reviewing_advance(world, task);
        assert_request(world, "cancelled", SOURCE_FAILED);
        auto_json *refused = ask(world, reviewing_order(task), NULL, &error);
        assert_null(refused);
        assert_code(error, "nothing_to_evaluate");
}

static bool interrupt(struct world *world, const char *task)
{
        struct call call = world_call(world, world->dev);
        auto_json *result = NULL;
        auto_error error = {0};

        return task_interrupt(&call, &(struct task_interrupt_input){.taskId = task}, &result, &error);
}

static void work_that_is_stopped_while_it_waits_for_a_slot_cancels_the_request(void **state)
{
        struct world *world = *state;
        world_concurrency(1);
        auto_free char *busy = world_task(world, world->dev, "main", "true"),
                       *task = world_task(world, world->dev, "main", "true");
        auto_error error = {0};
        auto_json *asked = must(ask(world, reviewing_order(task), NULL, &error));

        reviewing_forget_jobs(world);
        assert_true(interrupt(world, task));
        assert_int_equal(reviewing_jobs(world, task), 1);
        reviewing_advance(world, task);
        assert_request(world, "cancelled", SOURCE_INTERRUPTED);
}

/* The follow-up waits for upstream changes to be pulled, and is paused meanwhile. */
static void a_queue_that_is_paused_holds_nothing_from_then_on(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "true");
        auto_error error = {0};
        auto_json *asked = must(ask(world, reviewing_order(task), NULL, &error));
        auto_json *queued = must(world_follow_up(
                world, world->dev,
                (struct task_follow_up_input){
                        .taskId = task, .instructions = "more", .queueIfBusy = true, .pullLatest = true},
                &error));

        world_end(world, task, "", RUNNER_EXITED, 0);
        reviewing_advance(world, task);
        assert_request(world, "pending", "");
        reviewing_forget_jobs(world);
        assert_true(interrupt(world, task));
        assert_int_equal(reviewing_jobs(world, task), 1);
        reviewing_advance(world, task);
        assert_request(world, "launched", "");
}

static void a_paused_queue_holds_nothing(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "true");
        auto_error error = {0};
        auto_json *asked = must(ask(world, reviewing_order(task), NULL, &error));
        auto_free char *sql = text_format("INSERT INTO queue_pauses (task, reason, paused_at) SELECT rid, 'stopped', 1 "
                                          "FROM tasks WHERE id = '%s'",
                                          task);
        auto_json *queued = world_follow_up(
                world, world->dev,
                (struct task_follow_up_input){.taskId = task, .instructions = "more", .queueIfBusy = true}, &error);

        assert_non_null(queued);
        world_sql(world, sql);
        world_end(world, task, "", RUNNER_EXITED, 0);
        reviewing_advance(world, task);
        assert_request(world, "launched", "");
}

static bool lose_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return task_set_loser(call, input, result, error);
}

static void a_variant_that_is_ruled_out_cancels_the_request(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "true"), *variant = reviewing_variant(world, task);
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
        reviewing_forget_jobs(world);
        assert_true(call_write(&call, lose_work, &mark, &marked, &error));
        assert_int_equal(reviewing_jobs(world, variant), 1);
        reviewing_advance(world, variant);
        assert_request(world, "cancelled", SOURCE_INELIGIBLE);
}

/* The turn has ended, but the next waits for upstream changes that are being pulled. */
static void what_is_pulled_for_is_waited_for_until_it_is_removed(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "true");
        auto_error error = {0};
        auto_json *asked = must(ask(world, reviewing_order(task), NULL, &error));
        auto_json *queued = must(world_follow_up(
                world, world->dev,
                (struct task_follow_up_input){
                        .taskId = task, .instructions = "more", .queueIfBusy = true, .pullLatest = true},
                &error));

        world_end(world, task, "", RUNNER_EXITED, 0);
        reviewing_advance(world, task);
        assert_request(world, "pending", "");
        reviewing_forget_jobs(world);
        struct queue_entry_input entry = {
                .taskId = task, .entryId = member(queued, "queuedFollowUpId"), .version = 1, .pullLatest = -1};
        struct call call = world_call(world, world->dev);
        json_t *removed = NULL;
        assert_true(queue_entry_remove(&call, &entry, &removed, &error));
        json_decref(removed);
        assert_int_equal(reviewing_jobs(world, task), 1);
        reviewing_advance(world, task);
        assert_request(world, "launched", "");
}

static void only_who_asked_cancels_and_only_before_the_launch(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "true");
        auto_error error = {0};
        auto_json *asked = must(ask(world, reviewing_order(task), NULL, &error)), *done = NULL, *again = NULL,
                  *refused = NULL;
        struct judge_pending_cancel_input input = {member(asked, "pendingRequestId")};
        struct call call = world_call(world, world->dev), foreign = world_call(world, world->admin);

        assert_false(call_write(&foreign, cancel_work, &input, &refused, &error));
        assert_code(error, "pending_request_not_found");
        assert_true(call_write(&call, cancel_work, &input, &done, &error));
        assert_string_equal(member(done, "status"), "cancelled");
        /* Nor does the group stay that the task was to join. */
        assert_int_equal(world_number(world, "SELECT count(*) FROM task_groups"), 0);
        assert_true(call_write(&call, cancel_work, &input, &again, &error));
        world_end(world, task, "", RUNNER_EXITED, 0);
        reviewing_advance(world, task);
        assert_request(world, "cancelled", "cancelled_by_requester");
        auto_json *second = must(ask(world, reviewing_order(task), NULL, &error));
        reviewing_advance(world, task);
        input.pendingRequestId = member(second, "pendingRequestId");
        assert_false(call_write(&call, cancel_work, &input, &refused, &error));
        assert_code(error, "pending_request_launched");
}

static void a_launch_that_was_cut_off_is_gone_on_with_once(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "true");
        auto_error error = {0};
        auto_json *asked = must(ask(world, reviewing_order(task), &reviewing_usual, &error));
        bool is_over = false, is_again = false;

        reviewing_forget_jobs(world);
        reviewing_restart(world);
        assert_int_equal(reviewing_jobs(world, task), 1);
        world_end(world, task, "", RUNNER_EXITED, 0);
        for (size_t i = 0; !is_over; i++) {
                assert_true(judge_pending_take_step(&world->services, world->db, member(asked, "pendingRequestId"),
                                                    &is_over, &is_again, &error));
                if (i == 0)
                        assert_request(world, "launching", "");
                reviewing_restart(world);
        }
        assert_request(world, "launched", "");
        reviewing_advance(world, task);
        assert_int_equal(world_number(world, "SELECT count(*) FROM tasks WHERE is_judge"), 1);
        assert_loop(world, task, LOOP_REVIEWING, "");
}

static void access_is_looked_at_again_before_the_launch(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "true");
        auto_error error = {0};
        auto_json *asked = must(ask(world, reviewing_order(task), NULL, &error));

        world_sql(world, "UPDATE users SET is_disabled = 1 WHERE name = 'dev'");
        world_end(world, task, "", RUNNER_EXITED, 0);
        reviewing_advance(world, task);
        assert_request(world, "cancelled", "permission_denied");
        assert_int_equal(world_number(world, "SELECT count(*) FROM tasks WHERE is_judge"), 0);
}

static void who_sees_no_tasks_any_more_is_told_of_none(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "true");
        auto_error error = {0};
        auto_json *asked = must(ask(world, reviewing_order(task), NULL, &error));

        world_end(world, task, "", RUNNER_EXITED, 0);
        reviewing_advance(world, task);
        auto_json *launched = listed(world, world->dev);
        assert_int_equal(json_array_size(json_object_get(launched, "taskIds")), 1);
        world_sql(world, "DELETE FROM bindings WHERE user = (SELECT rid FROM users WHERE name = 'dev')");
        world_renew_people(world);
        auto_json *hidden = listed(world, world->dev);
        assert_string_equal(member(hidden, "pendingRequestId"), member(asked, "pendingRequestId"));
        assert_int_equal(json_array_size(json_object_get(hidden, "variantTaskIds")), 0);
        assert_int_equal(json_array_size(json_object_get(hidden, "taskIds")), 0);
}

static void what_is_asked_for_is_told_without_secrets(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "true");
        struct judge_order order = reviewing_order(task);
        auto_error error = {0};

        world_credentials(world, "https://someone:token-of-the-host@host\n");
        order.instructions = "log in with token-of-the-host";
        auto_json *asked = must(ask(world, order, NULL, &error)), *told = listed(world, world->dev);
        assert_string_equal(member(asked, "instructions"), "log in with [redacted]");
        assert_string_equal(member(told, "instructions"), "log in with [redacted]");
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
                .taskId = task, .whenFinished = true, .reviewLoop = &reviewing_usual, .requestId = REQUEST_ID};
        auto_error error = {0};
        auto_json *first = must(create(world, world->dev, input, &error)),
                  *second = must(create(world, world->dev, input, &error));

        assert_string_equal(member(first, "pendingRequestId"), member(second, "pendingRequestId"));
        assert_string_equal(member(first, "status"), "pending");
        assert_int_equal(document_get_integer(json_object_get(first, "reviewLoop"), "maxRounds", 0), 3);
        assert_int_equal(world_number(world, "SELECT count(*) FROM judge_requests"), 1);
        world_end(world, task, "", RUNNER_EXITED, 0);
        reviewing_advance(world, task);
        auto_json *third = must(create(world, world->dev, input, &error));
        assert_string_equal(member(third, "status"), "launched");
}

static void a_loop_begins_with_its_judges_and_is_told(void **state)
{
        struct world *world = *state;
        auto_free char *task = reviewing_task(world, "main");
        struct judge_create_input input = {.taskId = task, .reviewLoop = &reviewing_usual, .requestId = REQUEST_ID};
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
        auto_free char *task = reviewing_task(world, "main"), *variant = reviewing_variant(world, task);
        auto_error error = {0};

        world_end(world, variant, "", RUNNER_EXITED, 0);
        auto_store_task stored = world_stored(world, task);
        struct judge_create_input group = {.groupId = stored.group_id, .reviewLoop = &reviewing_usual},
                                  single = {.taskId = task, .reviewLoop = &reviewing_usual},
                                  later = {.taskId = task, .reviewLoop = &reviewing_usual, .whenFinished = true};
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
        auto_free char *task = reviewing_task(world, "main"), *variant = reviewing_variant(world, task);
        auto_store_task stored = world_stored(world, task);
        struct judge_create_input group = {.groupId = stored.group_id, .whenFinished = true};
        auto_error error = {0};
        auto_json *asked = must(create(world, world->dev, group, &error));

        assert_string_equal(member(asked, "mode"), "comparison");
        auto_free char *late = reviewing_variant(world, task);
        world_end(world, variant, "", RUNNER_EXITED, 0);
        reviewing_advance(world, variant);
        assert_request(world, "launched", "");
        assert_int_equal(world_number(world, "SELECT count(*) FROM judge_variants"), 2);
        world_end(world, late, "", RUNNER_EXITED, 1);
        assert_null(create(world, world->dev, group, &error));
        assert_code(error, "nothing_to_evaluate");
}

int run_review_request_tests(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)
        const struct CMUnitTest tests[] = {
                TEST(a_request_waits_for_the_work_and_what_is_queued_meanwhile),
                TEST(work_that_fails_cancels_the_request),
                TEST(work_that_is_stopped_while_it_waits_for_a_slot_cancels_the_request),
                TEST(a_queue_that_is_paused_holds_nothing_from_then_on),
                TEST(a_paused_queue_holds_nothing),
                TEST(a_variant_that_is_ruled_out_cancels_the_request),
                TEST(what_is_pulled_for_is_waited_for_until_it_is_removed),
                TEST(only_who_asked_cancels_and_only_before_the_launch),
                TEST(a_launch_that_was_cut_off_is_gone_on_with_once),
                TEST(access_is_looked_at_again_before_the_launch),
                TEST(who_sees_no_tasks_any_more_is_told_of_none),
                TEST(what_is_asked_for_is_told_without_secrets),
                TEST(a_request_that_is_repeated_is_one_request),
                TEST(a_loop_begins_with_its_judges_and_is_told),
                TEST(a_loop_is_of_one_variant_that_may_be_continued_and_no_orchestrator),
                TEST(a_group_is_asked_for_as_it_is_now),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
