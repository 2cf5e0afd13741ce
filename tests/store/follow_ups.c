/* Follow-ups in the store: their order, and that nothing is changed or delivered twice. */
#include "server/store/environment.h"
#include "server/store/follow_up.h"
#include "server/store/query.h"
#include "server/store/task.h"
#include "server/store/turn.h"
#include "tests/store/fixture.h"
#include "tests/store/suites.h"

/* A task with one turn, and what a test does with it in one piece of work. */
struct scene {
        int64_t task, turn;
        bool (*act)(struct store_db *db, const struct scene *scene, struct error *error);
};

static bool set_scene(struct store_db *db, void *context, struct error *error)
{
        struct scene *scene = context;
        struct store_task_new task = {.id = "1700000000000-aaaaaaaaa",
                                      .status = "completed",
                                      .type = "manual",
                                      .agent = "shell",
                                      .source = "rest",
                                      .branches = "{}",
                                      .is_shared = true,
                                      .created_at = 1};
        struct store_turn_new turn = {.kind = "initial",
                                      .origin = "rest",
                                      .state = "staged",
                                      .agent = "shell",
                                      .shown = "x",
                                      .submitted_at = 1};
        auto_store_environment environment = {0};
        int64_t ordinal;

        if (!store_environment_ensure(db, "main", 1, &environment, error))
                return false;
        task.environment = environment.rid;
        if (!store_task_add(db, &task, &scene->task, error))
                return false;
        turn.task = scene->task;
        return store_turn_add(db, &turn, &scene->turn, &ordinal, error) && scene->act(db, scene, error);
}

static bool add(struct store_db *db, const struct scene *scene, const char *id, int64_t deliver_at, int64_t *rid,
                struct error *error)
{
        struct store_follow_up_new new = {.id = id,
                                          .state = deliver_at ? "scheduled" : "queued",
                                          .kind = "follow_up",
                                          .origin = "rest",
                                          .instructions = id,
                                          .task = scene->task,
                                          .submitted_at = 1,
                                          .deliver_at = deliver_at};

        return store_follow_up_add(db, &new, rid, error);
}

static bool list_in_order(struct store_db *db, const struct scene *scene, struct error *error)
{
        static const char *const order[] = {"a", "b", "soon", "late"};
        auto_store_follow_ups list = {0};
        struct store_follow_up_counts counts;
        int64_t rid, soon;
        bool is_done;

        assert_true(add(db, scene, "late", 900, &rid, error) && add(db, scene, "a", 0, &rid, error) &&
                    add(db, scene, "soon", 500, &soon, error) && add(db, scene, "b", 0, &rid, error));
        assert_true(store_follow_up_list(db, scene->task, 10, 0, &list, error));
        assert_int_equal(list.count, COUNT_OF(order));
        for (size_t i = 0; i < COUNT_OF(order); i++)
                assert_string_equal(list.items[i].id, order[i]);
        assert_true(store_follow_up_count(db, scene->task, &counts, error));
        assert_int_equal(counts.queued, 2);
        assert_int_equal(counts.scheduled, 2);
        assert_int_equal(counts.next_at, 500);
        /* One that falls due stands behind those that are queued. */
        assert_true(store_follow_up_queue(db, soon, scene->task, &is_done, error) && is_done);
        assert_true(store_follow_up_queue(db, soon, scene->task, &is_done, error) && !is_done);
        auto_store_follow_ups after = {0};
        assert_true(store_follow_up_list(db, scene->task, 1, 2, &after, error));
        assert_string_equal(after.items[0].id, "soon");
        return true;
}

static bool change_once(struct store_db *db, const struct scene *scene, struct error *error)
{
        struct store_follow_up_edit edit = {.instructions = "other"};
        auto_store_follow_up found = {0};
        bool is_done, is_found;
        int64_t rid;

        assert_true(add(db, scene, "a", 0, &rid, error));
        assert_true(store_follow_up_attach(db, rid, 0, "f.txt", 3, "up-1", error));
        assert_true(store_follow_up_change(db, rid, 1, &edit, &is_done, error) && is_done);
        assert_true(store_follow_up_change(db, rid, 1, &edit, &is_done, error) && !is_done);
        assert_true(store_follow_up_deliver(db, rid, scene->turn, &is_done, error) && is_done);
        assert_true(store_follow_up_deliver(db, rid, scene->turn, &is_done, error) && !is_done);
        assert_true(store_follow_up_remove(db, rid, 3, &is_done, error) && !is_done);
        assert_true(store_follow_up_find(db, "a", &found, &is_found, error) && is_found);
        assert_string_equal(found.state, "delivered");
        assert_string_equal(found.instructions, "");
        assert_int_equal(found.turn, scene->turn);
        auto_store_attachments files = {0};
        bool is_used;
        assert_true(store_attachment_list(db, scene->turn, &files, error));
        assert_int_equal(files.count, 1);
        assert_true(store_upload_is_used(db, "up-1", &is_used, error) && is_used);
        return true;
}

static bool take_what_is_due(struct store_db *db, const struct scene *scene, struct error *error)
{
        struct store_follow_up_due due[2];
        size_t count;
        int64_t rid;

        assert_true(add(db, scene, "c", 30, &rid, error) && add(db, scene, "a", 10, &rid, error) &&
                    add(db, scene, "b", 20, &rid, error) && add(db, scene, "d", 40, &rid, error));
        assert_true(store_follow_up_list_due(db, 30, due, 2, &count, error));
        assert_int_equal(count, 2);
        assert_true(store_follow_up_list_due(db, 9, due, 2, &count, error));
        assert_int_equal(count, 0);
        return true;
}

static void play(void **state, bool (*act)(struct store_db *db, const struct scene *scene, struct error *error))
{
        struct fixture *fixture = *state;
        struct scene scene = {.act = act};

        fixture_write(fixture, set_scene, &scene);
}

static void queued_ones_come_in_their_order_and_scheduled_ones_by_their_time(void **state)
{
        play(state, list_in_order);
}

static void a_follow_up_is_changed_by_its_version_and_delivered_once(void **state)
{
        play(state, change_once);
}

static void what_is_due_comes_soonest_first_and_no_more_than_asked_for(void **state)
{
        play(state, take_what_is_due);
}

int run_follow_up_tests(void)
{
        const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
                TEST(queued_ones_come_in_their_order_and_scheduled_ones_by_their_time),
                TEST(a_follow_up_is_changed_by_its_version_and_delivered_once),
                TEST(what_is_due_comes_soonest_first_and_no_more_than_asked_for),
#undef TEST
        };

        return cmocka_run_group_tests_name("follow-ups", tests, NULL, NULL);
}
