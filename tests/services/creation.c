#include "tests/services/suites.h"
#include "tests/services/world.h"

#include <pthread.h>

#define REQUEST "3f0f9b0e-6f3c-4c0e-9d8a-1f8c2b7a9e01"

static void a_created_task_is_told_whole(void **state)
{
        struct world *world = *state;
        auto_error error = {0};
        auto_json *made = must(world_create(
                world, world->dev, NEW_TASK(.environment = "main", .instructions = "echo", .name = "First"), &error));
        static const char *const members[] = {"taskId", "name",     "environment", "agent",   "status",
                                              "url",    "isPinned", "task",        "warnings"};

        assert_int_equal(json_object_size(made), COUNT_OF(members));
        for (size_t i = 0; i < COUNT_OF(members); i++)
                assert_non_null(json_object_get(made, members[i]));
        assert_true(id_is_task(member(made, "taskId")));
        assert_string_equal(member(made, "name"), "First");
        assert_string_equal(member(made, "environment"), "main");
        assert_string_equal(member(made, "agent"), "shell");
        assert_string_equal(member(made, "status"), "running");
        auto_free char *url = text_format("http://127.0.0.1:3000/task.html?id=%s", member(made, "taskId"));
        assert_string_equal(member(made, "url"), url);
        assert_true(json_is_false(json_object_get(made, "isPinned")));
        assert_int_equal(json_array_size(json_object_get(made, "warnings")), 0);
        assert_true(json_is_array(json_object_get(made, "warnings")));
        assert_string_equal(member(json_object_get(made, "task"), "taskId"), member(made, "taskId"));
}

static void a_task_is_made_with_its_turn_its_job_and_its_audit_row(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "echo 'what to do'");
        auto_store_turn turn = world_turn(world, id);

        assert_int_equal(turn.ordinal, 1);
        assert_int_equal(turn.conversation_index, 1);
        assert_string_equal(turn.kind, "initial");
        assert_string_equal(turn.origin, "mcp");
        assert_string_equal(turn.state, "launching");
        assert_string_equal(turn.sender_name, "dev");
        assert_string_equal(turn.shown, "echo 'what to do'");
        assert_null(turn.given);
        assert_int_equal(world_number(world, "SELECT count(*) FROM jobs WHERE kind = 'launch'"), 1);
        assert_int_equal(world_number(world, "SELECT count(*) FROM prompt_parts WHERE kind = 'instructions' AND "
                                             "body = 'echo ''what to do'''"),
                         1);
        auto_free char *audit =
                text_format("SELECT count(*) FROM audit WHERE action = 'task.create' AND user_name = 'dev' "
                            "AND credential = 'api_key' AND target = '%s'",
                            id);
        assert_int_equal(world_number(world, audit), 1);
}

static json_t *map(const char *name, const char *value)
{
        return json_pack("{s:s}", name, value);
}

static void what_cannot_be_created_is_refused_by_name(void **state)
{
        struct world *world = *state;
        auto_json *unknown = map("nowhere", "dev"), *locked = map("fixed", "dev"), *bad = map("app", "a..b");
        const struct {
                const struct actor *actor;
                struct task_create_input input;
                const char *code, *named;
        } cases[] = {
                {world->dev, NEW_TASK(.instructions = "x"), "invalid_input", "environment"},
                {world->dev, NEW_TASK(.environment = "main"), "invalid_input", "instructions"},
                {world->dev, NEW_TASK(.environment = "main", .instructions = " \n\t"), "invalid_input", "instructions"},
                {world->dev, NEW_TASK(.environment = "main", .instructions = "x", .agent = "none"), "invalid_agent",
                 "none"},
                {world->dev, NEW_TASK(.environment = "main", .instructions = "x", .branches = unknown),
                 "unknown_repository", "nowhere"},
                {world->dev, NEW_TASK(.environment = "main", .instructions = "x", .branches = locked),
                 "branch_selection_not_allowed", "fixed"},
                {world->dev, NEW_TASK(.environment = "main", .instructions = "x", .branches = bad), "invalid_branch",
                 "branches.app"},
                {world->dev, NEW_TASK(.environment = "off", .instructions = "x"), "environment_disabled", "off"},
                {world->viewer, NEW_TASK(.environment = "main", .instructions = "x"), "permission_denied", "main"},
                {world->outsider, NEW_TASK(.environment = "main", .instructions = "x"), "environment_not_found", ""},
                {world->dev, NEW_TASK(.environment = "absent", .instructions = "x"), "environment_not_found", ""},
        };

        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                auto_error error = {0};
                auto_json *made = world_create(world, cases[i].actor, cases[i].input, &error);
                assert_null(made);
                assert_code(error, cases[i].code);
                assert_non_null(strstr(error.message, cases[i].named));
        }
        assert_int_equal(world_number(world, "SELECT count(*) FROM tasks"), 0);
        assert_int_equal(world_number(world, "SELECT count(*) FROM audit WHERE action LIKE 'task%'"), 0);
}

static void a_hidden_environment_and_an_absent_one_look_alike(void **state)
{
        struct world *world = *state;
        auto_error hidden = {0}, absent = {0};

        assert_null(
                world_create(world, world->outsider, NEW_TASK(.environment = "main", .instructions = "x"), &hidden));
        assert_null(
                world_create(world, world->outsider, NEW_TASK(.environment = "none", .instructions = "x"), &absent));
        assert_string_equal(hidden.message, absent.message);
}

static void branches_are_kept_and_a_locked_one_may_be_named(void **state)
{
        struct world *world = *state;
        auto_error error = {0};
        auto_json *branches = json_pack("{s:s, s:s}", "app", "dev/x", "fixed", "stable");
        auto_json *made = must(world_create(
                world, world->dev, NEW_TASK(.environment = "main", .instructions = "x", .branches = branches), &error));

        assert_true(json_equal(json_object_get(json_object_get(made, "task"), "branches"), branches));
}

static bool is_shared(struct world *world, const char *environment, int shared)
{
        auto_error error = {0};
        auto_json *made = must(world_create(
                world, world->dev,
                (struct task_create_input){.environment = environment, .instructions = "x", .shared = shared}, &error));

        return json_is_true(json_object_get(json_object_get(made, "task"), "shared"));
}

static void sharing_is_the_environments_unless_it_is_chosen(void **state)
{
        struct world *world = *state;

        assert_true(is_shared(world, "main", -1));
        assert_false(is_shared(world, "closed", -1));
        assert_false(is_shared(world, "main", 0));
        assert_true(is_shared(world, "closed", 1));
}

static void the_same_request_gives_the_same_task_as_it_is_now(void **state)
{
        struct world *world = *state;
        auto_error error = {0};
        struct task_create_input input = NEW_TASK(.environment = "main", .instructions = "x", .requestId = REQUEST);
        auto_json *first = must(world_create(world, world->dev, input, &error));

        world_end(world, member(first, "taskId"), "done\n", RUNNER_EXITED, 0);
        world_environment(world, "main", "{\"status\": \"disabled\"}");
        auto_json *again = must(world_create(world, world->dev, input, &error));
        assert_string_equal(member(again, "taskId"), member(first, "taskId"));
        assert_string_equal(member(again, "status"), "completed");
        assert_int_equal(world_number(world, "SELECT count(*) FROM tasks"), 1);
        assert_int_equal(world_number(world, "SELECT count(*) FROM audit WHERE action = 'task.create'"), 1);
}

static void a_request_id_with_other_arguments_is_a_conflict_of_one_person_alone(void **state)
{
        struct world *world = *state;
        auto_error error = {0};
        struct task_create_input input = NEW_TASK(.environment = "other", .instructions = "x", .requestId = REQUEST);
        auto_json *first = must(world_create(world, world->dev, input, &error));
        auto_json *others = must(world_create(world, world->outsider, input, &error));

        assert_string_not_equal(member(others, "taskId"), member(first, "taskId"));
        input.instructions = "y";
        assert_null(world_create(world, world->dev, input, &error));
        assert_code(error, "idempotency_conflict");
        assert_int_equal(world_number(world, "SELECT count(*) FROM tasks"), 2);
}

static void a_refusal_uses_no_request_id_up(void **state)
{
        struct world *world = *state;
        auto_error error = {0};
        struct task_create_input input = NEW_TASK(.environment = "off", .instructions = "x", .requestId = REQUEST);

        assert_null(world_create(world, world->dev, input, &error));
        assert_int_equal(world_number(world, "SELECT count(*) FROM receipts"), 0);
        world_environment(world, "off", "{}");
        auto_json *made = must(world_create(world, world->dev, input, &error));
        assert_string_equal(member(made, "status"), "running");
}

#define THREADS 20

struct racer {
        struct world *world;
        struct call call;
        char id[ID_SIZE];
};

static bool race_work(struct store_db *db, void *context, struct error *error)
{
        struct racer *racer = context;
        auto_json *result = NULL;

        racer->call.db = db;
        if (!task_create(&racer->call, &NEW_TASK(.environment = "main", .instructions = "x", .requestId = REQUEST),
                         &result, error))
                return false;
        strcpy(racer->id, document_get_string(result, "taskId"));
        return true;
}

static void *race(void *context)
{
        struct racer *racer = context;
        auto_error error = {0};

        if (!store_write(racer->world->services.store, race_work, racer, &error))
                racer->id[0] = '\0';
        return NULL;
}

static void twenty_calls_at_once_with_one_request_id_make_one_task(void **state)
{
        struct world *world = *state;
        struct racer racers[THREADS] = {0};
        pthread_t threads[THREADS];
        auto_json *arguments = json_pack("{s:s}", "requestId", REQUEST);

        for (size_t i = 0; i < THREADS; i++) {
                racers[i] = (struct racer){.world = world,
                                           .call = {.services = &world->services,
                                                    .actor = world->dev,
                                                    .arguments = arguments,
                                                    .source = "mcp",
                                                    .now = world->now}};
                assert_int_equal(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
        }
        for (size_t i = 0; i < THREADS; i++)
                pthread_join(threads[i], NULL);
        for (size_t i = 0; i < THREADS; i++)
                assert_string_equal(racers[i].id, racers[0].id);
        assert_true(id_is_task(racers[0].id));
        assert_int_equal(world_number(world, "SELECT count(*) FROM tasks"), 1);
        assert_int_equal(world_number(world, "SELECT count(*) FROM jobs"), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)

int run_creation_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(a_created_task_is_told_whole),
                TEST(a_task_is_made_with_its_turn_its_job_and_its_audit_row),
                TEST(what_cannot_be_created_is_refused_by_name),
                TEST(a_hidden_environment_and_an_absent_one_look_alike),
                TEST(branches_are_kept_and_a_locked_one_may_be_named),
                TEST(sharing_is_the_environments_unless_it_is_chosen),
                TEST(the_same_request_gives_the_same_task_as_it_is_now),
                TEST(a_request_id_with_other_arguments_is_a_conflict_of_one_person_alone),
                TEST(a_refusal_uses_no_request_id_up),
                TEST(twenty_calls_at_once_with_one_request_id_make_one_task),
        };

        return cmocka_run_group_tests_name("task creation", tests, NULL, NULL);
}
