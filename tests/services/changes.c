#include "tests/services/suites.h"
#include "tests/services/world.h"

#include <sys/stat.h>
#include <unistd.h>

#include "server/base/path.h"
#include "server/services/changes.h"
#include "server/services/changes_parts.h"
#include "server/services/changes_save.h"
#include "server/services/changes_view.h"
#include "server/services/comment.h"
#include "server/services/write.h"

#define FROM "1111111111111111111111111111111111111111"
#define TO "2222222222222222222222222222222222222222"

static struct changes_set set_of(const char *first, const char *second)
{
        struct changes_set set = {.count = 2};
        const char *const names[] = {first, second};

        for (size_t i = 0; i < 2; i++)
                set.items[i] = (struct store_saved_change){
                        .repository = text_copy(names[i]), .state = text_copy("saved"), .is_whole = true};
        return set;
}

static void read_facts(struct changes_set *set, const char *facts, int64_t size)
{
        auto_free char *copy = text_copy(facts);

        changes_facts_read(set, copy, size);
}

static void what_a_container_tells_is_taken_only_where_it_can_know_it(void **state)
{
        CLEANUP(changes_set_clear) struct changes_set set = set_of("app", "lib");
        struct store_saved_change *app = &set.items[0], *lib = &set.items[1];

        (void)state;
        app->base = text_copy(FROM);
        read_facts(&set,
                   "noise\ntree\tother\t\t\t" TO "\tpack\t5\tyes\n"
                   "tree\tapp\t\tmain\tnonsense\tpack\t5\tyes\n"
                   "tree\tapp\t\tmain\t" TO "\tpack\t101\tyes\n"
                   "tree\tapp\t\tmain\t" TO "\tpack\t-1\tyes\n"
                   "tree\tapp\t\tmain\t" TO "\tsame\t0\tyes\n"
                   "gone\tapp\t\tmain\tno_such_reason\n"
                   "left\tapp\tadded\tx\tnot a number\nleft\tapp\tmodified\t7\tits\tname\n"
                   "tree\tapp\t" TO "\tmain\t" TO "\tpack\t60\tyes\n"
                   "tree\tapp\t\tmain\t" FROM "\tbase\t0\tyes\nleft\tapp\tadded\t7\ttoo late\n"
                   "tree\tlib\t" TO "\tma\x01\xff\t" TO "\tpack\t41\tyes\n"
                   "tree\tlib\t" TO "\t\xff\t" FROM "\tpack\t40\tno\n",
                   100);
        assert_true(set.is_told[0] && set.is_told[1]);
        assert_string_equal(app->base, FROM);
        assert_string_equal(app->tree, TO);
        assert_string_equal(app->branch, "main");
        assert_int_equal(set.offsets[0], 0);
        assert_int_equal(set.sizes[0], 60);
        assert_int_equal(json_array_size(set.left_out[0]), 1);
        assert_string_equal(member(json_array_get(set.left_out[0], 0), "path"), "its\tname");
        assert_string_equal(lib->base, TO);
        assert_string_equal(lib->tree, FROM);
        assert_null(lib->branch);
        assert_int_equal(set.offsets[1], 60);
        assert_false(lib->is_whole);
}

static void the_same_tree_keeps_what_is_known_of_it(void **state)
{
        CLEANUP(changes_set_clear) struct changes_set set = set_of("app", "lib");
        struct store_saved_change *app = &set.items[0], *lib = &set.items[1];

        (void)state;
        app->tree = text_copy(TO);
        app->from = text_copy(FROM);
        app->files = 3;
        lib->tree = text_copy(TO);
        lib->from = text_copy(FROM);
        read_facts(&set, "tree\tapp\t\tmain\t" TO "\tsame\t0\tyes\ngone\tlib\t\t\tbroken\n", 0);
        assert_string_equal(app->from, FROM);
        assert_int_equal(app->files, 3);
        assert_int_equal(set.sizes[0], 0);
        assert_string_equal(lib->state, "unavailable");
        assert_string_equal(lib->reason, "broken");
        assert_null(lib->from);
        assert_null(lib->tree);
}

/* A task whose turn has ended; what was saved of the repository app is made up. */
static char *saved_task(struct world *world, const json_t *files)
{
        char *task = world_task(world, world->dev, "main", "x");
        auto_free char *repository = changes_path_repository(world->services.data_folder, task, "app"),
                       *folder = path_join(repository, "lists"), *path = path_join(folder, FROM "-" TO ".json"),
                       *printed = document_print(files);
        auto_error error = {0};

        world_end(world, task, "done\n", RUNNER_EXITED, 0);
        auto_free char *sql = text_format(
                "INSERT INTO saved_changes (turn, repository, state, reason, kept_from, kept_to, files, is_whole) "
                "SELECT t.turn, 'app', 'saved', NULL, '" FROM "', '" TO "', %zu, 1 FROM tasks t WHERE t.id = '%s' "
                "UNION SELECT t.turn, 'fixed', 'unavailable', 'not_finished', NULL, NULL, NULL, 0 FROM tasks t "
                "WHERE t.id = '%s'",
                json_array_size(files), task, task);
        world_sql(world, sql);
        assert_true(path_make_folder(folder, 0700, &error));
        assert_true(path_write(path, printed, strlen(printed), 0600, &error));
        return task;
}

static json_t *list(struct world *world, const struct actor *actor, struct changes_list_input input,
                    struct error *error)
{
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        input.limit = input.limit ? input.limit : 25;
        return changes_list(&call, &input, &result, error) ? result : NULL;
}
#define CHANGED(actor, ...) must(list(world, actor, (struct changes_list_input){__VA_ARGS__}, &(struct error){0}))

static json_t *many_files(size_t count, size_t length)
{
        json_t *files = json_array();

        for (size_t i = 0; i < count; i++) {
                auto_free char *path = text_format("%03zu%*s", i, (int)length, "/x");
                json_array_append_new(files, json_pack("{s:s, s:s, s:i, s:i, s:b}", "path", path, "status", "added",
                                                       "additions", 1, "deletions", 0, "binary", 0));
        }
        return files;
}

static void pages_stay_small_and_leave_nothing_out(void **state)
{
        struct world *world = *state;
        auto_json *files = many_files(90, 2000);
        auto_free char *task = saved_task(world, files);
        size_t seen = 0, pages = 0;

        for (int64_t offset = 0; offset >= 0; pages++) {
                auto_json *page = CHANGED(world->viewer, .taskId = task, .offset = offset, .limit = 100);
                const json_t *told = json_object_get(page, "files");
                for (size_t i = 0; i < json_array_size(told); i++)
                        assert_int_equal(strtol(member(json_array_get(told, i), "filePath"), NULL, 10), seen++);
                offset = document_get_integer(page, "nextOffset", -1);
                assert_int_equal(json_is_true(json_object_get(page, "pageBounded")), offset >= 0);
                assert_int_equal(document_get_integer(page, "total", 0), 90);
                assert_true(json_is_true(json_object_get(page, "incomplete"))); /* of the other nothing is known */
        }
        assert_int_equal(seen, 90);
        assert_true(pages > 2);
        auto_json *one = CHANGED(world->viewer, .taskId = task, .repository = "fixed");
        assert_string_equal(member(one, "status"), "unavailable");
        assert_string_equal(member(one, "reason"), "not_finished");
        auto_error unknown = {0};
        assert_null(
                list(world, world->viewer, (struct changes_list_input){.taskId = task, .repository = "no"}, &unknown));
        assert_code(unknown, "not_found");
}

static void a_summary_lists_so_many_files_and_counts_the_rest(void **state)
{
        struct world *world = *state;
        auto_json *files = many_files(120, 10);
        auto_free char *task = saved_task(world, files);
        struct call dev = world_call(world, world->dev), viewer = world_call(world, world->viewer);
        auto_json *result = NULL, *other = NULL;
        auto_error error = {0};

        assert_true(review_summary(&dev, &(struct review_summary_input){task}, &result, &error));
        json_t *repository = json_array_get(json_object_get(result, "repositories"), 0);
        assert_string_equal(member(repository, "repository"), "app");
        assert_int_equal(json_array_size(json_object_get(repository, "files")), 50);
        assert_int_equal(document_get_integer(repository, "filesOmitted", 0), 70);
        assert_int_equal(document_get_integer(result, "filesOmitted", 0), 70);
        assert_true(json_is_true(json_object_get(json_object_get(result, "approval"), "mayApprove")));
        assert_non_null(member(json_object_get(repository, "branches"), "suggestedNewBranch"));
        assert_true(review_summary(&viewer, &(struct review_summary_input){task}, &other, &error));
        json_t *its = json_array_get(json_object_get(other, "repositories"), 0);
        assert_null(json_object_get(json_object_get(its, "branches"), "suggestedNewBranch"));
        assert_null(json_object_get(json_object_get(its, "branches"), "protection"));
        json_t *reasons = json_object_get(json_object_get(other, "approval"), "reasons");
        assert_string_equal(member(json_array_get(reasons, 0), "code"), "permission_denied");
}

static void a_fingerprint_is_the_same_until_something_changes(void **state)
{
        struct world *world = *state;
        auto_json *files = many_files(1, 10);
        auto_free char *task = saved_task(world, files);
        auto_error error = {0};
        auto_free char *first = changes_fingerprint(&world->services, task, &error),
                       *again = changes_fingerprint(&world->services, task, &error);

        assert_string_equal(first, again);
        world_sql(world, "UPDATE saved_changes SET kept_to = '" FROM "' WHERE repository = 'app'");
        auto_free char *other = changes_fingerprint(&world->services, task, &error);
        assert_string_not_equal(first, other);
        assert_null(changes_fingerprint(&world->services, "1796072972276-xxxxxxxxx", &error));
        assert_code(error, "task_not_found");
}

typedef bool panel(struct call *call, const char *task, json_t **result, struct error *error);

static bool files_panel(struct call *call, const char *task, json_t **result, struct error *error)
{
        return changes_list(call, &(struct changes_list_input){.taskId = task, .limit = 25}, result, error);
}

static bool diff_panel(struct call *call, const char *task, json_t **result, struct error *error)
{
        struct changes_read_input input = {.taskId = task, .repository = "fixed", .filePath = "x", .maxChars = 12000};

        return changes_read(call, &input, result, error);
}

static bool review_panel(struct call *call, const char *task, json_t **result, struct error *error)
{
        return review_summary(call, &(struct review_summary_input){task}, result, error);
}

static bool comment_panel(struct call *call, const char *task, json_t **result, struct error *error)
{
        return comment_list(call, &(struct comment_list_input){.taskId = task, .limit = 25}, result, error);
}

static panel *const panels[] = {files_panel, diff_panel, review_panel, comment_panel};

static void nothing_is_told_of_what_is_hidden_or_withheld(void **state)
{
        struct world *world = *state;
        auto_free char *secret = world_task(world, world->admin, "main", "x"),
                       *holder = world_task(world, world->admin, "main", "x"),
                       *sql = text_format("UPDATE tasks SET is_shared = 0 WHERE id = '%s'; INSERT INTO task_sources "
                                          "SELECT rid, '%s' FROM tasks WHERE id = '%s'; UPDATE tasks SET "
                                          "has_sources = 1 WHERE id = '%s'",
                                          secret, secret, holder, holder);

        world_end(world, holder, "done\n", RUNNER_EXITED, 0);
        world_sql(world, sql);
        for (size_t i = 0; i < COUNT_OF(panels); i++) {
                const char *const tasks[] = {secret, "1796072972276-xxxxxxxxx", holder};
                const char *const codes[] = {"task_not_found", "task_not_found", "content_withheld"};
                struct call whole = world_call(world, world->admin);
                auto_json *told = NULL;
                auto_error none = {0};
                for (size_t j = 0; j < COUNT_OF(tasks); j++) {
                        struct call call = world_call(world, world->dev);
                        auto_error error = {0};
                        json_t *result = NULL;
                        assert_false(panels[i](&call, tasks[j], &result, &error));
                        assert_code(error, codes[j]);
                }
                /* Nothing was saved: there is no diff to be read. */
                assert_true(panels[i](&whole, holder, &told, &none) || none.code == ERROR_NOT_FOUND);
        }
}

static void where_secret_values_cannot_be_told_a_panel_is_unavailable(void **state)
{
        struct world *world = *state;
        auto_json *files = many_files(1, 10);
        auto_free char *task = saved_task(world, files);
        auto_error error = {0};

        assert_int_equal(mkdir(world->credentials, 0700), 0);
        for (size_t i = 0; i < COUNT_OF(panels); i++) {
                struct call call = world_call(world, world->dev);
                auto_json *result = NULL;
                assert_true(panels[i](&call, task, &result, &error));
                assert_string_equal(member(result, "status"), "unavailable");
                assert_string_equal(member(result, "reason"), "secret_values_unavailable");
        }
        assert_true(path_remove_tree(world->credentials, &error));
}

static void nothing_to_save_is_empty_and_nothing_saved_yet_is_unavailable(void **state)
{
        struct world *world = *state;
        auto_free char *waiting = world_task(world, world->dev, "main", "x"),
                       *other = world_task(world, world->outsider, "other", "x");
        auto_json *first = CHANGED(world->dev, .taskId = waiting), *second = CHANGED(world->outsider, .taskId = other);

        assert_string_equal(member(first, "status"), "unavailable");
        assert_string_equal(member(first, "reason"), "not_saved");
        assert_string_equal(member(second, "status"), "empty");
}

typedef bool comment_work(struct call *call, const struct comment_input *input, json_t **result, struct error *error);

struct comment_call {
        comment_work *work;
        struct comment_input input;
};

static bool run_comment(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct comment_call *wanted = context;

        return wanted->work(call, &wanted->input, result, error);
}

static json_t *comment(struct world *world, const struct actor *actor, comment_work *work, struct comment_input input,
                       struct error *error)
{
        struct call call = world_call(world, actor);
        struct comment_call wanted = {work, input};
        json_t *result = NULL;

        return call_write(&call, run_comment, &wanted, &result, error) ? result : NULL;
}

static void only_who_may_change_a_task_comments_and_only_ones_own_is_changed(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "x");
        struct error errors[5] = {0};
        auto_error none = {0};

        auto_json *made = must(
                comment(world, world->dev, comment_add, (struct comment_input){task, NULL, "@viewer: look"}, &none));
        const char *id = member(made, "commentId");
        assert_null(comment(world, world->viewer, comment_add, (struct comment_input){task, NULL, "x"}, &errors[0]));
        assert_code(errors[0], "permission_denied");
        assert_null(comment(world, world->outsider, comment_add, (struct comment_input){task, NULL, "x"}, &errors[1]));
        assert_code(errors[1], "task_not_found");
        assert_null(comment(world, world->admin, comment_edit, (struct comment_input){task, id, "x"}, &errors[2]));
        assert_code(errors[2], "comment_not_found");
        assert_null(comment(world, world->admin, comment_remove, (struct comment_input){task, id, NULL}, &errors[3]));
        assert_code(errors[3], "comment_not_found");
        assert_null(comment(world, &actor_local, comment_add, (struct comment_input){task, NULL, "x"}, &errors[4]));
        assert_code(errors[4], "permission_denied");
        for (size_t i = 0; i < COUNT_OF(errors); i++)
                error_clear(&errors[i]);
        struct call call = world_call(world, world->viewer);
        auto_json *listed = NULL;
        assert_true(comment_panel(&call, task, &listed, &none));
        json_t *first = json_array_get(json_object_get(listed, "comments"), 0);
        assert_string_equal(member(json_object_get(first, "author"), "name"), "dev");
        assert_string_equal(json_string_value(json_array_get(json_object_get(first, "mentions"), 0)), "viewer");
        assert_true(json_is_false(json_object_get(first, "editable")));
}

static int64_t changes_told(struct world *world, const char *kind)
{
        auto_free char *sql = text_format("SELECT count(*) FROM task_changes WHERE kind = '%s'", kind);

        return world_number(world, sql);
}

static void watchers_are_told_of_comments_until_the_task_is_gone(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "x");
        auto_error error = {0};
        auto_json *made =
                must(comment(world, world->dev, comment_add, (struct comment_input){task, NULL, "a"}, &error));
        auto_json *edited = must(comment(world, world->dev, comment_edit,
                                         (struct comment_input){task, member(made, "commentId"), "b"}, &error));
        auto_json *second =
                must(comment(world, world->dev, comment_add, (struct comment_input){task, NULL, "c"}, &error));
        auto_json *removed = must(comment(world, world->dev, comment_remove,
                                          (struct comment_input){task, member(second, "commentId"), NULL}, &error));

        assert_int_equal(changes_told(world, "commented"), 4);
        auto_free char *sql = text_format("PRAGMA foreign_keys = ON; DELETE FROM tasks WHERE id = '%s'", task);
        world_sql(world, sql);
        assert_int_equal(changes_told(world, "commented"), 4);
        assert_int_equal(world_number(world, "SELECT count(*) FROM comments"), 0);
}

int run_change_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(what_a_container_tells_is_taken_only_where_it_can_know_it),
                cmocka_unit_test(the_same_tree_keeps_what_is_known_of_it),
#define TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)
                TEST(pages_stay_small_and_leave_nothing_out),
                TEST(a_summary_lists_so_many_files_and_counts_the_rest),
                TEST(a_fingerprint_is_the_same_until_something_changes),
                TEST(nothing_is_told_of_what_is_hidden_or_withheld),
                TEST(where_secret_values_cannot_be_told_a_panel_is_unavailable),
                TEST(nothing_to_save_is_empty_and_nothing_saved_yet_is_unavailable),
                TEST(only_who_may_change_a_task_comments_and_only_ones_own_is_changed),
                TEST(watchers_are_told_of_comments_until_the_task_is_gone),
#undef TEST
        };

        return cmocka_run_group_tests_name("changes", tests, NULL, NULL);
}
