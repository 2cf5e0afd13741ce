#include "tests/services/suites.h"
#include "tests/services/world.h"

/* What list_tasks tells whom. */

/* The names of the listed tasks, newest first, with a blank between. */
static char *names_of(const json_t *list)
{
        struct text names = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        size_t i;
        json_t *task;

        json_array_foreach(json_object_get(list, "tasks"), i, task)
        {
                text_printf(&names, "%s%s", i ? " " : "", member(task, "name"));
        }
        return text_take(&names);
}

static void make(struct world *world, const struct actor *actor, const char *environment, const char *name, int shared)
{
        auto_error error = {0};
        auto_json *made = must(
                world_create(world, actor,
                             (struct task_create_input){
                                     .environment = environment, .instructions = "x", .name = name, .shared = shared},
                             &error));
}

/* In the order of making: a of dev in main, b of admin in main, c private of dev in closed, d of outsider in other,
 * e private of admin in main, f of dev in other. */
static void make_all(struct world *world)
{
        make(world, world->dev, "main", "a", 1);
        make(world, world->admin, "main", "b", 1);
        make(world, world->dev, "closed", "c", 0);
        make(world, world->outsider, "other", "d", 1);
        make(world, world->admin, "main", "e", 0);
        make(world, world->dev, "other", "f", 1);
        world_sql(world, "UPDATE tasks SET status = 'completed' WHERE name IN ('a', 'd', 'e')");
        world_sql(world, "UPDATE tasks SET group_id = 'g-1-abc' WHERE name IN ('a', 'b', 'f')");
        world_sql(world, "INSERT INTO pins (user, task, is_pinned, snoozed_until, version) "
                         "SELECT u.rid, t.rid, t.name IN ('a', 'f'), iif(t.name = 'f', 4102444800000, NULL), 1 "
                         "FROM users u, tasks t WHERE u.name = 'dev' AND t.name IN ('a', 'b', 'f')");
        world_sql(world, "INSERT INTO pins (user, task, is_pinned, snoozed_until, version) "
                         "SELECT u.rid, t.rid, 1, 1, 1 FROM users u, tasks t WHERE u.name = 'admin' AND t.name = 'd'");
}

static void every_filter_narrows_and_every_person_sees_what_is_theirs(void **state)
{
        struct world *world = *state;
        const struct {
                const struct actor *actor;
                struct task_list_input input;
                const char *names;
        } cases[] = {
                {world->dev, {.includeSnoozed = true}, "f d c b a"},
                {world->dev, {0}, "d c b a"},
                {world->viewer, {0}, "b a"},
                {world->outsider, {0}, "f d"},
                {world->admin, {0}, "f e d c b a"},
                {&actor_local, {0}, "f e d c b a"},
                {world->dev, {.environment = "main"}, "b a"},
                {world->admin, {.environment = "main"}, "e b a"},
                {world->viewer, {.environment = "closed"}, ""},
                {world->dev, {.environment = "closed"}, "c"},
                {world->dev, {.status = "completed"}, "d a"},
                {world->dev, {.status = "completed", .environment = "main"}, "a"},
                {world->dev, {.status = "failed"}, ""},
                {world->dev, {.groupId = "g-1-abc"}, "b a"},
                {world->dev, {.groupId = "g-1-abc", .includeSnoozed = true}, "f b a"},
                {world->viewer, {.groupId = "g-1-abc"}, "b a"},
                {world->dev, {.groupId = "g-1-abc", .status = "completed"}, "a"},
                {world->dev, {.createdByMe = true}, "c a"},
                {world->dev, {.createdByMe = true, .includeSnoozed = true, .environment = "other"}, "f"},
                {world->dev, {.createdByMe = true, .createdByMyTeams = true}, "c a"},
                {world->dev, {.createdByMyTeams = true}, "d c a"},
                {world->viewer, {.createdByMyTeams = true}, ""},
                {world->outsider, {.createdByMyTeams = true}, "f d"},
                {world->outsider, {.createdByMyTeams = true, .status = "completed"}, "d"},
                {world->dev, {.pinned = 1}, "a"},
                {world->dev, {.pinned = 1, .includeSnoozed = true}, "f a"},
                {world->dev, {.pinned = NOT_PINNED}, "d c b"},
                {world->dev, {.pinned = NOT_PINNED, .createdByMe = true}, "c"},
                {world->admin, {.pinned = 1}, "d"},
                {world->admin, {.pinned = NOT_PINNED, .environment = "main", .status = "completed"}, "e a"},
        };

        make_all(world);
        world_team(world, "team", "dev", "outsider");
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                auto_error error = {0};
                auto_json *list = must(world_list(world, cases[i].actor, cases[i].input, &error));
                auto_free char *names = names_of(list);
                if (strcmp(names, cases[i].names))
                        fail_msg("case %zu: %s, not %s", i, names, cases[i].names);
                assert_int_equal(document_get_integer(list, "total", -1),
                                 json_array_size(json_object_get(list, "tasks")));
                assert_true(json_is_null(json_object_get(list, "nextCursor")));
                assert_true(json_is_null(json_object_get(list, "nextOffset")));
        }
}

static void an_environment_that_cannot_be_listed_is_refused(void **state)
{
        struct world *world = *state;
        auto_error error = {0};

        assert_null(world_list(world, world->outsider, (struct task_list_input){.environment = "main"}, &error));
        assert_code(error, "environment_not_found");
        assert_null(world_list(world, world->dev, (struct task_list_input){.environment = "none"}, &error));
        assert_code(error, "environment_not_found");
}

static void view_any_in_one_environment_shows_private_tasks_there_alone(void **state)
{
        struct world *world = *state;

        make_all(world);
        make(world, world->admin, "other", "g", 0);
        world_person(world, "keeper");
        world_bind(world, "keeper", "Environment Admin", "main");
        world_bind(world, "keeper", "Viewer", "closed");
        world_bind(world, "keeper", "Viewer", "other");
        struct actor *keeper = world_actor(world, "keeper");
        auto_json *list = LIST(keeper);
        auto_free char *names = names_of(list);
        actor_free(keeper);
        assert_string_equal(names, "f e d b a");
}

static void who_sees_nothing_gets_an_empty_list(void **state)
{
        struct world *world = *state;

        make_all(world);
        world_person(world, "nobody");
        struct actor *nobody = world_actor(world, "nobody");
        auto_json *list = LIST(nobody, .createdByMe = true), *all = LIST(nobody);
        actor_free(nobody);
        assert_int_equal(document_get_integer(list, "total", -1), 0);
        assert_int_equal(document_get_integer(all, "total", -1), 0);
}

static void a_cursor_goes_on_exactly_while_tasks_are_made(void **state)
{
        struct world *world = *state;
        auto_text seen = TEXT_WITH_MAXIMUM(1000);
        auto_free char *cursor = NULL;

        for (int i = 0; i < 10; i++) {
                auto_free char *name = text_format("t%d", i);
                make(world, world->dev, "main", name, 1);
        }
        do {
                auto_json *page = LIST(world->dev, .limit = 3, .cursor = cursor);
                auto_free char *names = names_of(page);
                text_printf(&seen, "%s|", names);
                assert_true(document_get_integer(page, "total", -1) >= 10);
                free(cursor);
                cursor = text_copy(document_get_string(page, "nextCursor"));
                make(world, world->dev, "main", "late", 1);
        } while (cursor);
        assert_string_equal(seen.data, "t9 t8 t7|t6 t5 t4|t3 t2 t1|t0|");
}

static void offsets_walk_a_short_list(void **state)
{
        struct world *world = *state;
        auto_text seen = TEXT_WITH_MAXIMUM(1000);
        json_t *next;
        int64_t offset = 0;

        for (int i = 0; i < 7; i++) {
                auto_free char *name = text_format("t%d", i);
                make(world, world->dev, "main", name, 1);
        }
        do {
                auto_json *page = LIST(world->dev, .limit = 3, .offset = offset);
                auto_free char *names = names_of(page);
                text_printf(&seen, "%s|", names);
                next = json_object_get(page, "nextOffset");
                assert_int_equal(json_is_null(next), json_is_null(json_object_get(page, "nextCursor")));
                assert_int_equal(document_get_integer(page, "total", -1), 7);
                offset = json_integer_value(next);
        } while (offset);
        assert_string_equal(seen.data, "t6 t5 t4|t3 t2 t1|t0|");
        auto_json *exact = LIST(world->dev, .limit = 7);
        assert_true(json_is_null(json_object_get(exact, "nextCursor")));
}

static void a_cursor_that_is_none_of_ours_is_refused(void **state)
{
        struct world *world = *state;
        static const char *const cursors[] = {"",    "t",   "x1", "t-1",  "t0",
                                              "t1 ", "t1!", "1",  "t +1", "tzzzzzzzzzzzzzzzzzzzz"};

        for (size_t i = 0; i < COUNT_OF(cursors); i++) {
                auto_error error = {0};
                auto_json *list = world_list(world, world->dev, (struct task_list_input){.cursor = cursors[i]}, &error);
                if (list)
                        fail_msg("the cursor '%s' was accepted", cursors[i]);
                assert_code(error, "invalid_cursor");
        }
}

static bool add_many(struct store_db *db, void *context, struct error *error)
{
        struct store_task_new task = {.status = "completed",
                                      .type = "manual",
                                      .agent = "shell",
                                      .source = "mcp",
                                      .branches = "{}",
                                      .environment = *(int64_t *)context,
                                      .is_shared = true,
                                      .created_at = 1};
        char id[ID_SIZE];
        int64_t rid;

        task.id = id;
        for (int i = 0; i < 10000; i++) {
                id_new_task(1, id);
                if (!store_task_add(db, &task, &rid, error))
                        return false;
        }
        return true;
}

static void the_total_is_exact_up_to_ten_thousand_and_then_at_least_that(void **state)
{
        struct world *world = *state;
        int64_t environment = world_number(world, "SELECT rid FROM environments WHERE name = 'main'");
        auto_error error = {0};

        assert_true(store_write(world->services.store, add_many, &environment, &error));
        auto_json *exact = LIST(world->dev, .limit = 2);
        assert_int_equal(document_get_integer(exact, "total", -1), 10000);
        assert_null(json_object_get(exact, "totalAtLeast"));
        assert_true(json_is_null(json_object_get(json_array_get(json_object_get(exact, "tasks"), 0), "createdBy")));
        make(world, world->dev, "main", "one more", 1);
        auto_json *more = LIST(world->dev, .limit = 2);
        assert_true(json_is_null(json_object_get(more, "total")));
        assert_int_equal(document_get_integer(more, "totalAtLeast", -1), 10000);
        auto_json *mine = LIST(world->dev, .createdByMe = true);
        assert_int_equal(document_get_integer(mine, "total", -1), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)

int run_list_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(every_filter_narrows_and_every_person_sees_what_is_theirs),
                TEST(an_environment_that_cannot_be_listed_is_refused),
                TEST(view_any_in_one_environment_shows_private_tasks_there_alone),
                TEST(who_sees_nothing_gets_an_empty_list),
                TEST(a_cursor_goes_on_exactly_while_tasks_are_made),
                TEST(offsets_walk_a_short_list),
                TEST(a_cursor_that_is_none_of_ours_is_refused),
                TEST(the_total_is_exact_up_to_ten_thousand_and_then_at_least_that),
        };

        return cmocka_run_group_tests_name("lists", tests, NULL, NULL);
}
