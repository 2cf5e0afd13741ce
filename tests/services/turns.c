#include "tests/services/suites.h"
#include "tests/services/world.h"

#include "server/base/path.h"
#include "server/services/environment.h"
#include "server/services/task_paths.h"

/* Where a task stands and where its turns wait for a slot. */

static void assert_status(struct world *world, const char *id, const char *status)
{
        auto_store_task task = world_stored(world, id);

        assert_string_equal(task.status, status);
}

static void follow_up(struct world *world, const char *id, const char *instructions)
{
        auto_error error = {0};
        json_decref(must(world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = id, .instructions = instructions}, &error)));
}

static char *stage(struct world *world, const char *instructions)
{
        auto_error error = {0};
        auto_json *made = must(
                world_create(world, world->dev,
                             NEW_TASK(.environment = "main", .instructions = instructions, .staged = true), &error));

        assert_string_equal(member(made, "status"), "staged");
        return text_copy(member(made, "taskId"));
}

static void as_many_tasks_run_as_there_are_slots_and_the_others_wait_in_turn(void **state)
{
        struct world *world = *state;

        world_concurrency(2);
        auto_free char *one = world_task(world, world->dev, "main", "x"),
                       *two = world_task(world, world->dev, "main", "x"),
                       *three = world_task(world, world->dev, "main", "x"),
                       *four = world_task(world, world->dev, "main", "x"), *staged = stage(world, "x");
        assert_status(world, one, "running");
        assert_status(world, two, "running");
        assert_status(world, three, "queued");
        assert_status(world, four, "queued");
        auto_store_turn waiting = world_turn(world, three);
        assert_string_equal(waiting.state, "waiting");
        assert_int_equal(world_number(world, "SELECT count(*) FROM jobs"), 2);
        world_end(world, two, "", RUNNER_EXITED, 0);
        assert_status(world, three, "running");
        assert_status(world, four, "queued");
        assert_status(world, staged, "staged");
        assert_int_equal(world_number(world, "SELECT count(*) FROM jobs"), 2);
        world_end(world, one, "", RUNNER_EXITED, 0);
        assert_status(world, four, "running");
}

static void a_follow_up_of_an_old_task_waits_behind_those_that_waited_before_it(void **state)
{
        struct world *world = *state;

        world_concurrency(1);
        auto_free char *old = world_task(world, world->dev, "main", "x");
        world_end(world, old, "", RUNNER_EXITED, 0);
        auto_free char *running = world_task(world, world->dev, "main", "x"),
                       *first = world_task(world, world->dev, "main", "x");
        follow_up(world, old, "more");
        assert_status(world, old, "queued");
        world_end(world, running, "", RUNNER_EXITED, 0);
        assert_status(world, first, "running");
        assert_status(world, old, "queued");
        world_end(world, first, "", RUNNER_EXITED, 0);
        assert_status(world, old, "running");
}

static void a_new_slot_goes_to_who_waits_and_not_to_who_comes(void **state)
{
        struct world *world = *state;

        world_concurrency(1);
        auto_free char *running = world_task(world, world->dev, "main", "x"),
                       *waiting = world_task(world, world->dev, "main", "x");
        world_concurrency(2);
        auto_free char *late = world_task(world, world->dev, "main", "x");
        assert_status(world, running, "running");
        assert_status(world, waiting, "running");
        assert_status(world, late, "queued");
        world_concurrency(3);
        auto_free char *staged = stage(world, "x");
        follow_up(world, staged, "go");
        assert_status(world, late, "running");
        assert_int_equal(world_number(world, "SELECT count(*) FROM tasks WHERE status = 'running'"), 3);
}

static void a_finished_task_goes_on_with_a_new_turn(void **state)
{
        struct world *world = *state;
        auto_error error = {0};
        auto_free char *id = world_task(world, world->dev, "main", "first");

        world_end(world, id, "said\n", RUNNER_EXITED, 3);
        auto_json *result = must(world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = id, .instructions = "second"}, &error));
        assert_string_equal(member(result, "taskId"), id);
        assert_string_equal(member(result, "status"), "running");
        assert_int_equal(document_get_integer(result, "turnIndex", 0), 2);
        assert_int_equal(document_get_integer(result, "followUpCount", 0), 1);
        assert_non_null(strstr(member(result, "url"), id));
        json_t *task = json_object_get(result, "task");
        assert_true(json_is_null(json_object_get(task, "exitCode")));
        assert_true(json_is_null(json_object_get(task, "finishedAt")));
        auto_store_turn turn = world_turn(world, id);
        assert_string_equal(turn.kind, "follow_up");
        assert_string_equal(turn.shown, "second");
        assert_string_equal(turn.state, "launching");
        assert_int_equal(world_number(world, "SELECT count(*) FROM audit WHERE action = 'task.follow_up'"), 1);
}

static void a_staged_task_starts_with_both_texts_as_one_turn(void **state)
{
        struct world *world = *state;
        auto_error error = {0};
        auto_free char *id = stage(world, "first");
        auto_json *result = must(world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = id, .instructions = "second"}, &error));

        assert_string_equal(member(result, "status"), "running");
        assert_int_equal(document_get_integer(result, "followUpCount", -1), 0);
        assert_int_equal(document_get_integer(result, "turnIndex", 0), 1);
        auto_store_turn turn = world_turn(world, id);
        assert_string_equal(turn.shown, "first\n\nsecond");
        assert_int_equal(world_number(world, "SELECT count(*) FROM turns"), 1);
        assert_int_equal(world_number(world, "SELECT count(*) FROM prompt_parts"), 2);
}

static void a_staged_task_may_be_started_without_more_and_a_finished_one_not(void **state)
{
        struct world *world = *state;
        auto_error error = {0};
        auto_free char *id = stage(world, "first");
        auto_json *result =
                must(world_follow_up(world, world->dev, (struct task_follow_up_input){.taskId = id}, &error));
        auto_store_turn turn = world_turn(world, id);

        assert_string_equal(member(result, "status"), "running");
        assert_string_equal(turn.shown, "first");
        world_end(world, id, "", RUNNER_EXITED, 0);
        assert_null(world_follow_up(world, world->dev, (struct task_follow_up_input){.taskId = id}, &error));
        assert_code(error, "invalid_input");
        assert_null(world_follow_up(world, world->dev, (struct task_follow_up_input){.taskId = id, .instructions = " "},
                                    &error));
        assert_code(error, "invalid_input");
}

static void a_busy_task_takes_no_follow_up(void **state)
{
        struct world *world = *state;
        auto_error error = {0};

        world_concurrency(1);
        auto_free char *running = world_task(world, world->dev, "main", "x"),
                       *queued = world_task(world, world->dev, "main", "x");
        const char *const busy[] = {running, queued};
        for (size_t i = 0; i < COUNT_OF(busy); i++) {
                assert_null(world_follow_up(world, world->dev,
                                            (struct task_follow_up_input){.taskId = busy[i], .instructions = "y"},
                                            &error));
                assert_code(error, "task_busy");
        }
        assert_int_equal(world_number(world, "SELECT count(*) FROM turns"), 2);
}

static void a_follow_up_with_a_key_is_delivered_once(void **state)
{
        struct world *world = *state;
        auto_error error = {0};
        auto_free char *id = world_task(world, world->dev, "main", "x");

        world_end(world, id, "", RUNNER_EXITED, 0);
        struct task_follow_up_input input = {.taskId = id, .instructions = "y", .idempotencyKey = "key"};
        json_decref(must(world_follow_up(world, world->dev, input, &error)));
        auto_json *again = must(world_follow_up(world, world->dev, input, &error));
        assert_int_equal(document_get_integer(again, "followUpCount", 0), 1);
        assert_int_equal(document_get_integer(again, "turnIndex", 0), 2);
        input.instructions = "z";
        assert_null(world_follow_up(world, world->dev, input, &error));
        assert_code(error, "idempotency_conflict");
        assert_int_equal(world_number(world, "SELECT count(*) FROM turns"), 2);
}

static const char *try_follow_up(struct world *world, const struct actor *actor, const char *id)
{
        auto_error error = {0};
        auto_json *result =
                world_follow_up(world, actor, (struct task_follow_up_input){.taskId = id, .instructions = "y"}, &error);

        return result ? "done" : error_kind(error.code)->code;
}

static void who_may_not_change_a_task_does_not_continue_it(void **state)
{
        struct world *world = *state;
        auto_free char *shared = world_task(world, world->dev, "main", "x"),
                       *private = world_task(world, world->dev, "closed", "x");

        world_end(world, shared, "", RUNNER_EXITED, 0);
        world_end(world, private, "", RUNNER_EXITED, 0);
        assert_string_equal(try_follow_up(world, world->viewer, shared), "permission_denied");
        assert_string_equal(try_follow_up(world, world->viewer, private), "task_not_found");
        assert_string_equal(try_follow_up(world, world->outsider, shared), "task_not_found");
        world_person(world, "colleague");
        world_bind(world, "colleague", "Developer", "closed");
        struct actor *colleague = world_actor(world, "colleague");
        assert_string_equal(try_follow_up(world, colleague, private), "task_not_found");
        actor_free(colleague);
        world_bind(world, "colleague", "Environment Admin", "closed");
        colleague = world_actor(world, "colleague");
        assert_string_equal(try_follow_up(world, colleague, private), "done");
        actor_free(colleague);
        world_end(world, private, "", RUNNER_EXITED, 0);
        assert_string_equal(try_follow_up(world, world->dev, private), "done");
}

static void a_task_does_not_go_on_in_an_environment_that_is_disabled_or_gone(void **state)
{
        struct world *world = *state;
        auto_free char *finished = world_task(world, world->dev, "main", "x"), *staged = stage(world, "x"),
                       *folder = text_format("%s/environments/main", world->setup);
        auto_error error = {0};

        world_end(world, finished, "", RUNNER_EXITED, 0);
        world_environment(world, "main", "{\"status\": \"disabled\"}");
        assert_string_equal(try_follow_up(world, world->dev, finished), "environment_disabled");
        assert_string_equal(try_follow_up(world, world->dev, staged), "environment_disabled");
        assert_true(path_remove_tree(folder, &error));
        assert_true(environments_reload(world->services.environments, &error));
        assert_string_equal(try_follow_up(world, world->dev, finished), "environment_disabled");
        auto_json *still = GET(world->dev, .taskId = finished);
        assert_string_equal(member(still, "environment"), "main");
}

/* Every reason a runner can give, and what readers are told of it. */
static const struct {
        enum runner_reason reason;
        int64_t code, signal;
        const char *status, *type, *stage, *category;
        int64_t exit_code; /* NONE: null */
} outcomes[] = {
#define NONE INT64_MIN
        {RUNNER_EXITED, 0, 0, "completed", "finished", NULL, NULL, 0},
        {RUNNER_EXITED, 7, 0, "failed", "exit_code", "agent", "unknown", 7},
        {RUNNER_SIGNALED, -1, 11, "failed", "signal", "agent", "unknown", 139},
        {RUNNER_STOPPED, -1, 15, "interrupted", "stopped", NULL, NULL, 143},
        {RUNNER_STOPPED, 0, 0, "interrupted", "stopped", NULL, NULL, 0},
        {RUNNER_INTERRUPTED, -1, 9, "interrupted", "interrupted", NULL, NULL, 137},
        {RUNNER_TIME_LIMIT, -1, 9, "failed", "time_limit", "agent", "timeout", 137},
        {RUNNER_OUT_OF_MEMORY, -1, 9, "failed", "out_of_memory", "agent", "unknown", 137},
        {RUNNER_DISK_FULL, -1, 9, "failed", "disk_full", "agent", "unknown", 137},
        {RUNNER_LAUNCH_FAILURE, -1, 0, "failed", "launch_failure", "launch", "setup", -1},
        {RUNNER_LOST, -1, 0, "interrupted", "runner_lost", "agent", "unknown", NONE},
        {RUNNER_CONTAINER_STOPPED, -1, 0, "interrupted", "container_stopped", "agent", "unknown", NONE},
};

static void every_way_of_ending_has_its_status_type_stage_category_and_exit_code(void **state)
{
        struct world *world = *state;

        for (size_t i = 0; i < COUNT_OF(outcomes); i++) {
                auto_free char *id = world_task(world, world->dev, "main", "x");
                world_end_exit(world, id, NULL,
                               &(struct runner_exit){.reason = outcomes[i].reason,
                                                     .code = outcomes[i].code,
                                                     .signal = outcomes[i].signal,
                                                     .message = "why",
                                                     .finished_at = world->now});
                auto_json *task = GET(world->dev, .taskId = id);
                json_t *failure = json_object_get(task, "failure"), *exit_code = json_object_get(task, "exitCode");
                assert_string_equal(member(task, "status"), outcomes[i].status);
                if (strcmp(outcomes[i].status, "completed"))
                        assert_string_equal(member(task, "endReason"), outcomes[i].type);
                if (outcomes[i].exit_code == NONE)
                        assert_true(json_is_null(exit_code));
                else
                        assert_int_equal(json_integer_value(exit_code), outcomes[i].exit_code);
                assert_int_equal(failure != NULL, outcomes[i].stage != NULL);
                if (!failure)
                        continue;
                assert_string_equal(member(failure, "stage"), outcomes[i].stage);
                assert_string_equal(member(failure, "category"), outcomes[i].category);
                assert_string_equal(member(failure, "type"), outcomes[i].type);
                assert_true(json_equal(json_object_get(failure, "exitCode"), exit_code));
        }
}

/* Turns whose program ended with exit code 0, by what it had printed. */
static const struct {
        const char *agent, *output, *status, *type;
} endings[] = {
        {"claude", "{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"Done.\"}\n", "completed", NULL},
        {"claude", "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"result\":\"\"}\n", "failed",
         "agent_error"},
        {"claude", "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"I begin.\"}]}}\n",
         "failed", "no_result"},
        {"claude", "{\"type\":\"result\",\"subtype\":\"succ", "failed", "no_result"},
        {"claude", "", "failed", "no_result"},
        {"codex", "{\"type\":\"turn.started\"}\n", "failed", "no_result"},
        {"codex", "{\"type\":\"turn.failed\"}\n", "failed", "agent_error"},
        {"codex", "{\"type\":\"error\",\"message\":\"stream disconnected\"}\n", "failed", "no_result"},
        {"gemini", "{\"type\":\"init\",\"session_id\":\"g\"}\n", "failed", "no_result"},
        {"gemini", "{\"type\":\"result\",\"status\":\"success\"}\n", "completed", NULL},
        /* Programs of which it is not known how they end. */
        {"grok", "{\"type\":\"assistant\",\"message\":{\"content\":[]}}\n", "completed", NULL},
        {"kimi", "{\"role\":\"assistant\",\"content\":\"Done.\"}\n", "completed", NULL},
};

static void exit_code_zero_is_no_success_where_the_agent_did_not_say_that_it_is_done(void **state)
{
        struct world *world = *state;

        for (size_t i = 0; i < COUNT_OF(endings); i++) {
                auto_free char *id = world_task(world, world->dev, "main", "x"),
                               *sql = text_format("UPDATE turns SET agent = '%s', stream_format = '%s'",
                                                  endings[i].agent, agent_find_known(endings[i].agent)->format->name);
                world_sql(world, sql);
                world_end(world, id, endings[i].output, RUNNER_EXITED, 0);
                auto_json *task = GET(world->dev, .taskId = id);
                assert_string_equal(member(task, "status"), endings[i].status);
                if (endings[i].type)
                        assert_string_equal(member(json_object_get(task, "failure"), "type"), endings[i].type);
        }
}

static void output_that_cannot_be_read_has_not_said_that_the_turn_is_over(void **state)
{
        struct world *world = *state;
        static const char *const agents_of[][2] = {{"claude", "failed"}, {"shell", "completed"}};
        const struct runner_exit exit = {.reason = RUNNER_EXITED, .finished_at = 1};

        for (size_t i = 0; i < COUNT_OF(agents_of); i++) {
                auto_free char *id = world_task(world, world->dev, "main", "x"), *output = turn_path_output(1),
                               *within = path_join(output, "in-the-way"),
                               *sql = text_format("UPDATE turns SET agent = '%s', stream_format = '%s', started_at = 5",
                                                  agents_of[i][0], agent_find_known(agents_of[i][0])->format->name);
                struct turn_outcome outcome;
                auto_error error = {0};
                world_sql(world, sql);
                world_record_file(world, id, within, "", 0);
                auto_store_turn turn = world_turn(world, id);
                turn_outcome_of_exit(&exit, &outcome);
                assert_true(turn_end(&world->runtime, &turn, &outcome, &error));
                auto_json *task = GET(world->dev, .taskId = id);
                assert_string_equal(member(task, "status"), agents_of[i][1]);
        }
        /* The clock was set back meanwhile. */
        assert_int_equal(world_number(world, "SELECT min(duration_ms) FROM usage_ledger"), 0);
}

static void who_was_disabled_starts_nothing_that_waited(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");

        world_sql(world, "UPDATE users SET is_disabled = 1 WHERE name = 'dev'");
        auto_store_turn turn = world_turn(world, id);
        const struct store_job job = {.kind = "launch", .task = turn.task, .turn = turn.rid};
        assert_true(launch_run(&world->runtime, world->db, &job));
        auto_json *task = GET(world->admin, .taskId = id);
        assert_string_equal(member(task, "status"), "failed");
        assert_string_equal(member(json_object_get(task, "failure"), "type"), "permission_denied");
}

static void a_speed_that_is_not_allowed_any_more_is_not_launched(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");

        world_sql(world, "UPDATE tasks SET agent = 'codex', speed = 'fast'; UPDATE turns SET agent = 'codex'");
        auto_store_turn turn = world_turn(world, id);
        const struct store_job job = {.kind = "launch", .task = turn.task, .turn = turn.rid};
        assert_true(launch_run(&world->runtime, world->db, &job));
        auto_json *task = GET(world->dev, .taskId = id);
        assert_string_equal(member(task, "status"), "failed");
        assert_string_equal(member(json_object_get(task, "failure"), "stage"), "launch");
        assert_string_equal(member(json_object_get(task, "failure"), "type"), "speed_not_allowed");
}

static void a_turn_ends_once_and_is_accounted_for(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");
        auto_store_turn turn = world_turn(world, id);
        auto_error error = {0};

        world_end(world, id, "said\n", RUNNER_EXITED, 0);
        struct turn_outcome late;
        turn_outcome_of_failure(&late, "failed", "late", "agent", "too late");
        assert_true(turn_end(&world->runtime, &turn, &late, &error));
        auto_store_task task = world_stored(world, id);
        assert_string_equal(task.status, "completed");
        assert_int_equal(world_number(world, "SELECT count(*) FROM usage_ledger WHERE agent = 'shell'"), 1);
        assert_int_equal(world_number(world, "SELECT count(*) FROM jobs"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)

int run_turn_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(as_many_tasks_run_as_there_are_slots_and_the_others_wait_in_turn),
                TEST(a_follow_up_of_an_old_task_waits_behind_those_that_waited_before_it),
                TEST(a_new_slot_goes_to_who_waits_and_not_to_who_comes),
                TEST(a_finished_task_goes_on_with_a_new_turn),
                TEST(a_staged_task_starts_with_both_texts_as_one_turn),
                TEST(a_staged_task_may_be_started_without_more_and_a_finished_one_not),
                TEST(a_busy_task_takes_no_follow_up),
                TEST(a_follow_up_with_a_key_is_delivered_once),
                TEST(who_may_not_change_a_task_does_not_continue_it),
                TEST(a_task_does_not_go_on_in_an_environment_that_is_disabled_or_gone),
                TEST(every_way_of_ending_has_its_status_type_stage_category_and_exit_code),
                TEST(exit_code_zero_is_no_success_where_the_agent_did_not_say_that_it_is_done),
                TEST(output_that_cannot_be_read_has_not_said_that_the_turn_is_over),
                TEST(who_was_disabled_starts_nothing_that_waited),
                TEST(a_speed_that_is_not_allowed_any_more_is_not_launched),
                TEST(a_turn_ends_once_and_is_accounted_for),
        };

        return cmocka_run_group_tests_name("turns", tests, NULL, NULL);
}
