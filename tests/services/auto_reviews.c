/* Reviews that an environment's settings ask for. */
#include "tests/services/suites.h"
#include "tests/services/world.h"

#include "server/services/auto_review.h"
#include "server/services/judge_pending.h"

#define JUDGED "{\"autoJudge\":{\"reviewers\":[{\"agent\":\"shell\"}],\"instructions\":\"look well\"}}"
#define VERIFIED "{\"verification\":{\"reviewers\":[{\"agent\":\"shell\"}],\"reviewLoop\":{\"maxRounds\":2}}}"
#define UNFIT "{\"verification\":{\"reviewers\":[{\"agent\":\"nobody\"}]}}"

static void advance(struct world *world, const char *task)
{
        auto_store_task stored = world_stored(world, task);
        bool is_again = false;
        auto_error error = {0};

        if (!auto_review_advance(&world->services, world->db, stored.rid, &error) ||
            !judge_pending_advance(&world->services, world->db, stored.rid, &is_again, &error))
                fail_msg("%s", error.message);
}

/* What the job does that the end of the turn left, if it left one. */
static void end(struct world *world, const char *task, int64_t code)
{
        world_sql(world, "DELETE FROM jobs WHERE kind = 'review'");
        world_end(world, task, "", RUNNER_EXITED, code);
        if (world_number(world, "SELECT count(*) FROM jobs WHERE kind = 'review'"))
                advance(world, task);
}

static char *variant_of(struct world *world, const char *task)
{
        auto_error error = {0};
        auto_json *made = must(world_create(world, world->dev, NEW_TASK(.sourceTaskId = task), &error));

        return text_copy(member(made, "taskId"));
}

static int64_t judges(struct world *world)
{
        return world_number(world, "SELECT count(*) FROM tasks WHERE is_judge");
}

static json_t *automatic(struct world *world, const char *task)
{
        struct call call = world_call(world, world->viewer);
        auto_json *result = NULL;
        auto_error error = {0};

        assert_true(
                judge_pending_automatic(&call, &(struct judge_pending_list_input){.taskId = task}, &result, &error));
        return json_incref(json_array_get(json_object_get(result, "requests"), 0));
}

static void a_group_is_judged_once_when_all_its_variants_are_finished(void **state)
{
        struct world *world = *state;

        world_environment(world, "main", JUDGED);
        auto_free char *one = world_task(world, world->dev, "main", "true"), *two = variant_of(world, one),
                       *three = variant_of(world, one);
        end(world, one, 0);
        end(world, two, 1);
        assert_int_equal(judges(world), 0);
        end(world, three, 0);
        assert_int_equal(judges(world), 1);
        assert_int_equal(world_number(world, "SELECT count(*) FROM judge_variants"), 2);
        assert_int_equal(world_number(world, "SELECT count(*) FROM judges WHERE instructions = 'look well'"), 1);
        auto_json *told = automatic(world, one);
        assert_string_equal(member(told, "origin"), "auto_judge");
        assert_string_equal(member(told, "status"), "launched");
        auto_error error = {0};
        auto_json *more = must(world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = two, .instructions = "more"}, &error));
        end(world, two, 0);
        assert_int_equal(judges(world), 1);
}

static void variants_that_the_person_does_not_see_are_left_out(void **state)
{
        struct world *world = *state;

        world_environment(world, "main", JUDGED);
        auto_free char *one = world_task(world, world->dev, "main", "true"), *two = variant_of(world, one),
                       *three = variant_of(world, one);
        auto_free char *sql = text_format("UPDATE tasks SET is_shared = 0, created_by = (SELECT rid FROM users WHERE "
                                          "name = 'admin') WHERE id = '%s'",
                                          three);
        world_sql(world, sql);
        end(world, one, 0);
        end(world, two, 0);
        end(world, three, 0);
        /* What the last one's job has asked for is left to a job of the first. */
        advance(world, one);
        assert_int_equal(judges(world), 1);
        assert_int_equal(world_number(world, "SELECT count(*) FROM judge_variants"), 2);
}

static void a_group_of_which_nothing_ended_well_is_not_judged(void **state)
{
        struct world *world = *state;

        world_environment(world, "main", JUDGED);
        auto_free char *one = world_task(world, world->dev, "main", "true"), *two = variant_of(world, one);
        end(world, one, 1);
        end(world, two, 1);
        auto_json *told = automatic(world, one);
        assert_string_equal(member(told, "reason"), "nothing_to_evaluate");
        assert_int_equal(judges(world), 0);
}

static void a_task_that_stands_alone_is_verified_once_with_its_loop(void **state)
{
        struct world *world = *state;

        world_environment(world, "main", VERIFIED);
        auto_free char *task = world_task(world, world->dev, "main", "true");
        end(world, task, 0);
        assert_int_equal(judges(world), 1);
        assert_int_equal(world_number(world, "SELECT max_rounds FROM review_loops"), 2);
        auto_json *told = automatic(world, task);
        assert_string_equal(member(told, "origin"), "verification");
        auto_error error = {0};
        auto_json *more = must(world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = task, .instructions = "more"}, &error));
        end(world, task, 0);
        assert_int_equal(judges(world), 1);
        auto_free char *failed = world_task(world, world->dev, "main", "true");
        end(world, failed, 1);
        assert_int_equal(judges(world), 1);
}

static void what_refuses_a_review_is_kept_and_not_tried_again(void **state)
{
        struct world *world = *state;

        world_environment(world, "main", UNFIT);
        auto_free char *task = world_task(world, world->dev, "main", "true");
        end(world, task, 0);
        auto_json *told = automatic(world, task);
        assert_string_equal(member(told, "status"), "cancelled");
        assert_string_equal(member(told, "reason"), "invalid_agent");
        assert_true(json_is_null(json_object_get(told, "groupId")));
        auto_error error = {0};
        auto_json *more = must(world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = task, .instructions = "more"}, &error));
        end(world, task, 0);
        assert_int_equal(world_number(world, "SELECT count(*) FROM judge_requests"), 1);
}

static void judges_and_orchestrators_are_left_out(void **state)
{
        struct world *world = *state;

        world_environment(world, "main", VERIFIED);
        auto_free char *task = world_task(world, world->dev, "main", "true");
        world_sql(world, "UPDATE tasks SET role = 'orchestrator'");
        end(world, task, 0);
        assert_int_equal(world_number(world, "SELECT count(*) FROM judge_requests"), 0);
}

static void settings_that_make_no_sense_disable_the_environment(void **state)
{
        struct world *world = *state;

        world_environment(world, "main", "{\"autoJudge\":{\"reviewers\":[]}}");
        auto_environment *environment = environment_find(world->services.environments, "main");
        assert_non_null(environment->broken_reason);
}

int run_auto_review_tests(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)
        const struct CMUnitTest tests[] = {
                TEST(a_group_is_judged_once_when_all_its_variants_are_finished),
                TEST(variants_that_the_person_does_not_see_are_left_out),
                TEST(a_group_of_which_nothing_ended_well_is_not_judged),
                TEST(a_task_that_stands_alone_is_verified_once_with_its_loop),
                TEST(what_refuses_a_review_is_kept_and_not_tried_again),
                TEST(judges_and_orchestrators_are_left_out),
                TEST(settings_that_make_no_sense_disable_the_environment),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
