#include <inttypes.h>

#include "server/base/clock.h"
#include "server/services/slot.h"
#include "server/services/spend.h"
#include "tests/services/suites.h"
#include "tests/services/world.h"

/* Who gets a slot, and who has to wait for what. */

#define HOUR_MS INT64_C(3600000)
/* An agent of the environment's own whose output is read as Claude Code's. */
#define OWN_AGENT                                                                                                      \
        "\"defaultAgent\": \"mine\", \"agents\": [{\"name\": \"mine\", \"command\": [\"/bin/mine\"], "                 \
        "\"format\": \"claude-json\"}]"

static void set(json_t *flags)
{
        auto_json *owned = flags;
        auto_error error = {0};

        assert_true(settings_load(NULL, NULL, owned, &error));
}

static void assert_status(struct world *world, const char *id, const char *status)
{
        auto_store_task task = world_stored(world, id);

        assert_string_equal(task.status, status);
}

static void assert_waits_for(struct world *world, const char *id, const char *reason)
{
        auto_json *task = GET(world->admin, .taskId = id);

        assert_string_equal(member(task, "status"), "queued");
        assert_string_equal(member(json_object_get(task, "queuedFor"), "reason"), reason);
}

static bool fill(struct store_db *db, void *context, struct error *error)
{
        struct world *world = context;

        return slot_fill(&world->services, db, clock_now(), error);
}

static void give_slots(struct world *world)
{
        auto_error error = {0};

        assert_true(store_write(world->services.store, fill, world, &error));
}

static char *task_in(struct world *world, const struct actor *actor, const char *environment)
{
        return world_task(world, actor, environment, "x");
}

static void nobody_starves_behind_another_s_queue(void **state)
{
        struct world *world = *state;

        world_concurrency(2);
        auto_free char *first = task_in(world, world->dev, "main"), *second = task_in(world, world->dev, "main"),
                       *third = task_in(world, world->dev, "main"), *fourth = task_in(world, world->dev, "main"),
                       *other = task_in(world, world->admin, "main");
        assert_waits_for(world, third, "slots");
        world_end(world, first, "", RUNNER_EXITED, 0);
        assert_status(world, other, "running");
        assert_status(world, third, "queued");
        world_end(world, other, "", RUNNER_EXITED, 0);
        assert_status(world, third, "running");
        assert_status(world, fourth, "queued");
        world_end(world, second, "", RUNNER_EXITED, 0);
        assert_status(world, fourth, "running");
}

static void a_person_s_limit_holds_back_only_that_person(void **state)
{
        struct world *world = *state;

        set(json_pack("{s:i}", "TASK_CONCURRENCY_PER_USER", 1));
        auto_free char *one = task_in(world, world->dev, "main"), *two = task_in(world, world->dev, "other"),
                       *admin = task_in(world, world->admin, "main");
        assert_status(world, one, "running");
        assert_status(world, admin, "running");
        assert_waits_for(world, two, "user_limit");
        world_end(world, one, "", RUNNER_EXITED, 0);
        assert_status(world, two, "running");
}

static void an_environment_s_limit_holds_back_only_its_tasks(void **state)
{
        struct world *world = *state;

        set(json_pack("{s:i}", "TASK_CONCURRENCY_PER_ENVIRONMENT", 2));
        world_environment(world, "main", "{\"defaultAgent\": \"shell\", \"limits\": {\"concurrentTasks\": 1}}");
        auto_free char *one = task_in(world, world->dev, "main"), *two = task_in(world, world->admin, "main"),
                       *three = task_in(world, world->dev, "other"), *four = task_in(world, world->dev, "other"),
                       *five = task_in(world, world->dev, "other");
        assert_status(world, one, "running");
        assert_waits_for(world, two, "environment_limit");
        assert_status(world, four, "running");
        assert_waits_for(world, five, "environment_limit");
        world_end(world, three, "", RUNNER_EXITED, 0);
        assert_status(world, five, "running");
        assert_status(world, two, "queued");
}

static void an_agent_s_limit_holds_back_only_its_tasks(void **state)
{
        struct world *world = *state;

        set(json_pack("{s:i}", "TASK_CONCURRENCY_PER_AGENT", 1));
        world_environment(world, "other", "{" OWN_AGENT "}");
        auto_free char *one = task_in(world, world->dev, "main"), *two = task_in(world, world->admin, "main"),
                       *own = task_in(world, world->dev, "other");
        assert_status(world, one, "running");
        assert_status(world, own, "running");
        assert_waits_for(world, two, "agent_limit");
}

static void what_waits_starts_when_a_limit_is_raised(void **state)
{
        struct world *world = *state;

        set(json_pack("{s:i}", "TASK_CONCURRENCY_PER_USER", 1));
        auto_free char *one = task_in(world, world->dev, "main"), *two = task_in(world, world->dev, "main"),
                       *three = task_in(world, world->dev, "main");
        assert_status(world, one, "running");
        set(json_pack("{s:i}", "TASK_CONCURRENCY_PER_USER", 3));
        give_slots(world);
        assert_status(world, two, "running");
        assert_status(world, three, "running");
}

/* Ends the task's turn at a usage limit that is over after so many ms; 0: the provider does not tell. */
static void end_at_limit(struct world *world, const char *id, int64_t resets_in)
{
        auto_free char *event =
                resets_in ? text_format("{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\","
                                        "\"resetsAt\":%" PRId64 ",\"rateLimitType\":\"five_hour\"}}\n",
                                        (clock_now() + resets_in) / 1000)
                          : text_copy("");
        auto_free char *output = text_format("%s{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,"
                                             "\"api_error_type\":\"rate_limit_error\",\"result\":\"429\"}\n",
                                             event);

        world_sql(world, "UPDATE turns SET stream_format = 'claude-json'");
        world_end_exit(world, id, output,
                       &(struct runner_exit){.reason = RUNNER_EXITED, .code = 1, .finished_at = clock_now()});
        assert_status(world, id, "failed");
}

static void open_own_agent(struct world *world)
{
        world_environment(world, "main", "{" OWN_AGENT "}");
}

static void a_told_usage_limit_holds_back_the_account_until_its_end(void **state)
{
        struct world *world = *state;

        open_own_agent(world);
        auto_free char *limited = task_in(world, world->dev, "main");
        end_at_limit(world, limited, HOUR_MS);
        auto_free char *one = task_in(world, world->dev, "main"), *two = task_in(world, world->admin, "main"),
                       *three = task_in(world, world->dev, "main"), *other = task_in(world, world->dev, "other");
        assert_status(world, other, "running");
        assert_waits_for(world, one, "account_limit");
        auto_json *task = GET(world->admin, .taskId = two);
        assert_true(json_is_string(json_object_get(json_object_get(task, "queuedFor"), "until")));
        give_slots(world);
        assert_status(world, one, "queued");
        world_sql(world, "UPDATE account_limits SET resets_at = 1");
        give_slots(world);
        assert_status(world, one, "running");
        assert_status(world, two, "running");
        assert_status(world, three, "running");
}

static void after_an_untold_limit_one_turn_is_tried_at_first(void **state)
{
        struct world *world = *state;

        open_own_agent(world);
        auto_free char *limited = task_in(world, world->dev, "main");
        end_at_limit(world, limited, 0);
        int64_t wait = world_number(world, "SELECT resets_at FROM account_limits") - clock_now();
        assert_in_range(wait, 14 * 60000, 15 * 60000);
        auto_free char *one = task_in(world, world->dev, "main"), *two = task_in(world, world->dev, "main"),
                       *three = task_in(world, world->dev, "main");
        world_sql(world, "UPDATE account_limits SET resets_at = 1");
        give_slots(world);
        assert_status(world, one, "running");
        assert_waits_for(world, two, "account_limit");
        end_at_limit(world, one, 0);
        assert_status(world, two, "queued");
        wait = world_number(world, "SELECT resets_at FROM account_limits") - clock_now();
        assert_in_range(wait, 29 * 60000, 30 * 60000);
        world_sql(world, "UPDATE account_limits SET resets_at = 1");
        give_slots(world);
        assert_status(world, two, "running");
        assert_status(world, three, "queued");
        world_end(world, two, "{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"done\"}\n", RUNNER_EXITED, 0);
        assert_int_equal(world_number(world, "SELECT count(*) FROM account_limits"), 0);
        assert_status(world, three, "running");
}

static void a_limit_that_the_clock_left_far_ahead_holds_nobody_back(void **state)
{
        struct world *world = *state;

        open_own_agent(world);
        auto_free char *limited = task_in(world, world->dev, "main");
        end_at_limit(world, limited, 0);
        auto_free char *one = task_in(world, world->dev, "main");
        assert_waits_for(world, one, "account_limit");
        world_sql(world, "UPDATE account_limits SET resets_at = resets_at + 365 * 86400000");
        give_slots(world);
        assert_status(world, one, "running");
        end_at_limit(world, one, 0);
        int64_t wait = world_number(world, "SELECT resets_at FROM account_limits") - clock_now();
        assert_in_range(wait, 29 * 60000, 30 * 60000);
}

static void those_that_ran_at_the_same_time_do_not_make_the_wait_longer(void **state)
{
        struct world *world = *state;

        open_own_agent(world);
        auto_free char *one = task_in(world, world->dev, "main"), *two = task_in(world, world->dev, "main"),
                       *three = task_in(world, world->dev, "main");
        end_at_limit(world, one, 0);
        end_at_limit(world, two, 0);
        assert_int_equal(world_number(world, "SELECT attempts FROM account_limits"), 1);
        end_at_limit(world, three, HOUR_MS);
        assert_int_equal(world_number(world, "SELECT is_told FROM account_limits"), 1);
}

static void spend(struct world *world, const char *person, const char *environment, int64_t usd)
{
        auto_free char *sql = text_format(
                "INSERT INTO usage_ledger (at, task_id, turn_ordinal, environment_id, user_id, agent, duration_ms, "
                "input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_micros) SELECT %" PRId64
                ", 'gone', (SELECT count(*) FROM usage_ledger), e.id, u.id, 'shell', 0, 0, 0, 0, 0, %" PRId64
                " FROM environments e, users u WHERE e.name = '%s' AND u.name = '%s'",
                clock_now(), usd * 1000000, environment, person);

        world_sql(world, sql);
}

static void refuse(struct world *world, const struct actor *actor, const char *environment, const char *limit)
{
        auto_error error = {0};
        struct task_create_input input = NEW_TASK(.environment = environment, .instructions = "x");

        assert_null(world_create(world, actor, input, &error));
        assert_code(error, "spend_limit_reached");
        assert_string_equal(member(error.details, "limit"), limit);
}

static void nothing_starts_beyond_a_spend_limit(void **state)
{
        struct world *world = *state;

        world->now = clock_now();
        set(json_pack("{s:i, s:i}", "SPEND_LIMIT_USER_USD", 5, "SPEND_LIMIT_ENVIRONMENT_USD", 8));
        auto_free char *before = task_in(world, world->dev, "main");
        world_end(world, before, "", RUNNER_EXITED, 0);
        spend(world, "dev", "main", 4);
        auto_free char *below = task_in(world, world->dev, "main");
        spend(world, "dev", "main", 1);
        assert_status(world, below, "running");
        refuse(world, world->dev, "main", "user");
        refuse(world, world->dev, "other", "user");
        auto_free char *other = task_in(world, world->admin, "main");
        spend(world, "admin", "main", 3);
        refuse(world, world->admin, "main", "environment");
        auto_free char *elsewhere = task_in(world, world->admin, "other");
        auto_error error = {0};
        assert_null(world_follow_up(world, world->dev,
                                    (struct task_follow_up_input){.taskId = before, .instructions = "more"}, &error));
        assert_code(error, "spend_limit_reached");
        auto_json *staged = must(world_create(
                world, world->dev, NEW_TASK(.environment = "main", .instructions = "x", .staged = true), &error));
        auto_error starting = {0};
        assert_null(world_change(world, world->dev, WORLD_START, member(staged, "taskId"), NULL, &starting));
        assert_code(starting, "spend_limit_reached");
}

static void what_waited_when_the_limit_was_reached_is_held(void **state)
{
        struct world *world = *state;

        world->now = clock_now();
        set(json_pack("{s:i, s:i}", "SPEND_LIMIT_USER_USD", 5, "TASK_CONCURRENCY", 1));
        auto_free char *runs = task_in(world, world->dev, "main"), *waits = task_in(world, world->dev, "main");
        spend(world, "dev", "main", 5);
        world_end(world, runs, "", RUNNER_EXITED, 0);
        assert_waits_for(world, waits, "user_spend_limit");
        world_sql(world, "UPDATE spending SET day = day - 40");
        give_slots(world);
        assert_status(world, waits, "running");
}

static void a_task_takes_no_turn_beyond_its_own_limit(void **state)
{
        struct world *world = *state;
        auto_error error = {0};

        set(json_pack("{s:i}", "SPEND_LIMIT_TASK_USD", 2));
        auto_free char *id = task_in(world, world->dev, "main");
        world_end(world, id, "", RUNNER_EXITED, 0);
        world_sql(world, "UPDATE tasks SET cost_micros = 2000000");
        assert_null(world_follow_up(world, world->dev,
                                    (struct task_follow_up_input){.taskId = id, .instructions = "more"}, &error));
        assert_code(error, "spend_limit_reached");
        assert_string_equal(member(error.details, "limit"), "task");
}

static void periods_end_where_days_and_months_do(void **state)
{
        int64_t july_31 = 0, august = 0, august_1 = 0, september = 0, last = 0;

        (void)state;
        assert_true(clock_parse("2026-07-31T23:59:59.999Z", &july_31) && clock_parse("2026-08-01T00:00:00Z", &august) &&
                    clock_parse("2026-08-01T10:00:00Z", &august_1) && clock_parse("2026-09-01T00:00:00Z", &september) &&
                    clock_parse("2026-08-31T10:00:00Z", &last));
        assert_int_equal(spend_period_end(july_31), august);
        assert_int_equal(spend_period_end(august_1), september);
        assert_int_equal(spend_period_end(last), september);
        set(json_pack("{s:s}", "SPEND_PERIOD", "day"));
        assert_int_equal(spend_period_end(july_31), august);
        assert_int_equal(spend_period_end(last), september);
        assert_int_equal(spend_period_end(august), august + 24 * HOUR_MS);
}

static void people_see_what_they_spent(void **state)
{
        struct world *world = *state;

        world->now = clock_now();
        set(json_pack("{s:i}", "SPEND_LIMIT_USER_USD", 5));
        spend(world, "dev", "main", 3);
        struct call call = world_call(world, world->dev);
        auto_json *found = NULL;
        auto_error error = {0};
        assert_true(spend_get(&call, &found, &error));
        json_t *user = json_object_get(found, "user");
        assert_true(json_number_value(json_object_get(user, "spentUsd")) == 3.0);
        assert_true(json_number_value(json_object_get(user, "limitUsd")) == 5.0);
}

#define IN_A_WORLD(test) cmocka_unit_test_setup_teardown(test, world_open, world_close)

int run_limit_tests(void)
{
        const struct CMUnitTest tests[] = {
                IN_A_WORLD(nobody_starves_behind_another_s_queue),
                IN_A_WORLD(a_person_s_limit_holds_back_only_that_person),
                IN_A_WORLD(an_environment_s_limit_holds_back_only_its_tasks),
                IN_A_WORLD(an_agent_s_limit_holds_back_only_its_tasks),
                IN_A_WORLD(what_waits_starts_when_a_limit_is_raised),
                IN_A_WORLD(a_told_usage_limit_holds_back_the_account_until_its_end),
                IN_A_WORLD(after_an_untold_limit_one_turn_is_tried_at_first),
                IN_A_WORLD(a_limit_that_the_clock_left_far_ahead_holds_nobody_back),
                IN_A_WORLD(those_that_ran_at_the_same_time_do_not_make_the_wait_longer),
                IN_A_WORLD(nothing_starts_beyond_a_spend_limit),
                IN_A_WORLD(what_waited_when_the_limit_was_reached_is_held),
                IN_A_WORLD(a_task_takes_no_turn_beyond_its_own_limit),
                IN_A_WORLD(periods_end_where_days_and_months_do),
                IN_A_WORLD(people_see_what_they_spent),
        };

        return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
