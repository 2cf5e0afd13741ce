#include "tests/services/suites.h"
#include "tests/services/world.h"

#include <sys/stat.h>
#include <unistd.h>

#include "server/base/path.h"
#include "server/services/fork.h"
#include "server/services/task_draft.h"
#include "server/services/task_paths.h"
#include "server/services/tree_copy.h"

static json_t *fork_of(struct world *world, const struct actor *actor, struct task_fork_input input,
                       struct error *error)
{
        auto_json *arguments = json_pack("{s:s, s:s*}", "taskId", input.taskId, "instructions", input.instructions);
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        call.arguments = arguments;
        return task_fork(&call, &input, &result, error) ? result : NULL;
}

#define FORK(...) ((struct task_fork_input){__VA_ARGS__})

static void a_fork_has_the_conversation_and_the_files_and_goes_its_own_way(void **state)
{
        struct world *world = *state;
        auto_error error = {0};
        auto_free char *source = world_task(world, world->dev, "main", "first");

        world_end(world, source, "said\n", RUNNER_EXITED, 0);
        json_decref(must(world_follow_up(
                world, world->dev,
                (struct task_follow_up_input){.taskId = source, .instructions = "later", .deliverInMinutes = 5},
                &error)));
        world_output_file(world, source, "note.txt", "note", 4);
        auto_json *made = must(fork_of(world, world->dev, FORK(.taskId = source), &error));
        const char *id = member(made, "taskId");
        assert_string_equal(member(made, "sourceTaskId"), source);
        assert_string_equal(member(made, "status"), "completed");
        auto_json *task = GET(world->dev, .taskId = id);
        assert_string_equal(member(json_object_get(task, "latestResponse"), "content"), "said\n");
        assert_null(json_object_get(task, "scheduledFollowUps"));
        assert_int_equal(document_get_integer(json_object_get(task, "usage"), "inputTokens", -1), 0);
        auto_json *note = READ(world->dev, .taskId = id, .path = "note.txt");
        assert_string_equal(member(note, "content"), "note");
        json_decref(must(world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = id, .instructions = "other"}, &error)));
        auto_store_turn turn = world_turn(world, id);
        assert_int_equal(turn.ordinal, 2);
        auto_store_task untouched = world_stored(world, source);
        assert_string_equal(untouched.status, "completed");
        assert_int_equal(world_number(world, "SELECT count(*) FROM audit WHERE action = 'task.fork'"), 1);
}

static void a_fork_goes_on_at_once_and_a_retry_makes_no_second(void **state)
{
        struct world *world = *state;
        auto_error error = {0};
        auto_free char *source = world_task(world, world->dev, "main", "first");

        assert_null(fork_of(world, world->dev, FORK(.taskId = source), &error));
        assert_code(error, "task_busy");
        error_clear(&error);
        world_end(world, source, "said\n", RUNNER_EXITED, 0);
        struct task_fork_input input = FORK(.taskId = source, .instructions = "go on", .name = "Mine",
                                            .requestId = "2b1f0b0a-0000-4000-8000-000000000001");
        auto_json *made = must(fork_of(world, world->dev, input, &error)),
                  *again = must(fork_of(world, world->dev, input, &error));
        assert_string_equal(member(made, "taskId"), member(again, "taskId"));
        assert_string_equal(member(made, "status"), "running");
        assert_string_equal(member(made, "name"), "Mine");
        assert_int_equal(world_number(world, "SELECT count(*) FROM tasks"), 2);
        auto_free char *markers = path_join(world->root, "forks");
        assert_int_equal(rmdir(markers), 0); /* nothing is left in it */
}

static void a_fork_needs_sight_of_the_task_and_the_right_to_make_one(void **state)
{
        struct world *world = *state;
        auto_free char *source = world_task(world, world->dev, "closed", "private"),
                       *shared = world_task(world, world->dev, "main", "open");

        world_end(world, source, "", RUNNER_EXITED, 0);
        world_end(world, shared, "", RUNNER_EXITED, 0);
        auto_error hidden = {0}, denied = {0}, foreign = {0}, held = {0};
        assert_null(fork_of(world, world->viewer, FORK(.taskId = source), &hidden));
        assert_code(hidden, "task_not_found");
        assert_null(fork_of(world, world->viewer, FORK(.taskId = shared), &denied));
        assert_code(denied, "permission_denied");
        assert_null(fork_of(world, world->outsider, FORK(.taskId = shared), &foreign));
        assert_code(foreign, "task_not_found");
        auto_store_task task = world_stored(world, shared);
        assert_true(runtime_try_lock_task(&world->runtime, task.rid));
        assert_null(fork_of(world, world->dev, FORK(.taskId = shared), &held));
        assert_code(held, "task_source_busy");
        runtime_unlock_task(&world->runtime, task.rid);
}

static void what_a_dead_process_left_of_a_fork_is_removed(void **state)
{
        struct world *world = *state;
        auto_error error = {0};
        auto_free char *kept = world_task(world, world->dev, "main", "x");
        static const char lost[] = "1700000000000-aaaaaaaaa";
        const char *ids[] = {kept, lost};

        for (size_t i = 0; i < COUNT_OF(ids); i++) {
                auto_free char *marker = text_format("%s/forks/%s", world->root, ids[i]);
                assert_true(path_make_folder(marker, 0700, &error));
                world_output_file(world, ids[i], "note.txt", "note", 4);
        }
        task_draft_sweep(&world->services, world->db);
        auto_free char *lost_folder = task_path_folder(world->root, lost),
                       *kept_folder = task_path_folder(world->root, kept), *markers = path_join(world->root, "forks");
        assert_int_equal(access(lost_folder, F_OK), -1);
        assert_int_equal(access(kept_folder, F_OK), 0);
        assert_int_equal(rmdir(markers), 0);
}

static void a_tree_is_copied_without_following_or_joining_anything(void **state)
{
        struct world *world = *state;
        auto_error error = {0};
        auto_free char *from = path_join(world->root, "from"), *to = path_join(world->root, "to"),
                       *command = text_format("set -e; mkdir -p %1$s/a/b; cd %1$s; echo x > a/b/one; ln a/b/one two; "
                                              "ln -s /etc link; mkfifo pipe; chmod 4751 two; touch -d @1000000000 a; "
                                              "chown 64500:64500 a/b; head -c 5000000 /dev/zero > large",
                                              from);
        struct stat one, two, link, folder;

        assert_int_equal(system(command), 0);
        assert_true(tree_copy(from, to, &error));
        auto_free char *check = text_format("cd %s && test ! -e pipe && test $(readlink link) = /etc && "
                                            "cmp large ../from/large && test $(stat -c %%Y a) = 1000000000",
                                            to);
        assert_int_equal(system(check), 0);
        auto_free char *first = path_join(to, "a/b/one"), *second = path_join(to, "two"),
                       *third = path_join(to, "link"), *fourth = path_join(to, "a/b");
        assert_int_equal(stat(first, &one) | stat(second, &two) | lstat(third, &link) | stat(fourth, &folder), 0);
        assert_int_not_equal(one.st_ino, two.st_ino);
        assert_int_equal(two.st_mode & 07777, 04751);
        assert_true(S_ISLNK(link.st_mode));
        assert_int_equal(folder.st_uid, 64500);
        assert_false(tree_copy(from, to, &error));
}

/* A task of the administrator's holds copies of a private one; so does what is copied from it. */
static void a_fork_withholds_what_its_source_withholds(void **state)
{
        struct world *world = *state;
        auto_error error = {0}, denied = {0};
        auto_free char *secret = world_task(world, world->admin, "main", "x"),
                       *source = world_task(world, world->admin, "main", "x");

        world_end(world, source, "said\n", RUNNER_EXITED, 0);
        auto_free char *sql =
                text_format("UPDATE tasks SET is_shared = 0 WHERE id = '%s'; INSERT INTO task_sources "
                            "SELECT rid, '%s' FROM tasks WHERE id = '%s'; UPDATE tasks SET has_sources = 1 "
                            "WHERE id = '%s'",
                            secret, secret, source, source);
        world_sql(world, sql);
        auto_json *made = must(fork_of(world, world->admin, FORK(.taskId = source), &error));
        const char *id = member(made, "taskId");
        auto_json *whole = GET(world->admin, .taskId = id), *withheld = GET(world->dev, .taskId = id);
        assert_null(json_object_get(whole, "contentWithheld"));
        assert_true(json_is_true(json_object_get(withheld, "contentWithheld")));
        assert_null(fork_of(world, world->dev, FORK(.taskId = source), &denied));
        assert_code(denied, "content_withheld");
}

int run_fork_tests(void)
{
        const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)
                TEST(a_fork_has_the_conversation_and_the_files_and_goes_its_own_way),
                TEST(a_fork_goes_on_at_once_and_a_retry_makes_no_second),
                TEST(a_fork_needs_sight_of_the_task_and_the_right_to_make_one),
                TEST(a_fork_withholds_what_its_source_withholds),
                TEST(what_a_dead_process_left_of_a_fork_is_removed),
                TEST(a_tree_is_copied_without_following_or_joining_anything),
#undef TEST
        };

        return cmocka_run_group_tests_name("forks", tests, NULL, NULL);
}
