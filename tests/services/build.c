/* Builds of images: who may, what goes in, and, with a real engine, what comes out. */
#include "tests/services/suites.h"
#include "tests/services/world.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "docker/image.h"
#include "server/base/clock.h"
#include "server/base/path.h"
#include "server/services/build.h"
#include "server/services/build_context.h"
#include "server/services/builder_parts.h"

#define TOKEN "hunter2hunter2"
#define PATIENCE_MS 60000

static struct call call_of(struct world *world, const struct actor *actor)
{
        return (struct call){.services = &world->services,
                             .db = world->db,
                             .actor = actor,
                             .source = "rest",
                             .now = world->now += 1000};
}

static json_t *start(struct world *world, const struct actor *actor, const char *environment, struct error *error)
{
        struct call call = call_of(world, actor);
        json_t *result = NULL;

        return build_start(&call, &(struct build_start_input){environment, true}, &result, error) ? result : NULL;
}

static json_t *get(struct world *world, const struct actor *actor, const char *id, const char *environment,
                   struct error *error)
{
        struct call call = call_of(world, actor);
        json_t *result = NULL;

        return build_get(&call, &(struct build_get_input){id, environment}, &result, error) ? result : NULL;
}

static json_t *cancel(struct world *world, const struct actor *actor, const char *id, struct error *error)
{
        struct call call = call_of(world, actor);
        json_t *result = NULL;

        return build_cancel(&call, &(struct build_get_input){.buildId = id}, &result, error) ? result : NULL;
}

static json_t *list(struct world *world, const struct actor *actor, int64_t limit, const char *cursor,
                    struct error *error)
{
        struct call call = call_of(world, actor);
        json_t *result = NULL;

        return build_list(&call, &(struct build_list_input){"main", limit, cursor}, &result, error) ? result : NULL;
}

static json_t *output(struct world *world, const char *id, int64_t offset, int64_t bytes)
{
        struct call call = call_of(world, world->viewer);
        auto_error error = {0};
        json_t *result = NULL;

        if (!build_output(&call, &(struct build_output_input){id, NULL, offset, bytes}, &result, &error))
                fail_msg("%s", error.message);
        return result;
}

/* Writes a file below the folder of the environment main. */
static void write_file(struct world *world, const char *name, const char *content)
{
        auto_free char *path = text_format("%s/environments/main/%s", world->setup, name);
        auto_free char *folder = text_format("%.*s", (int)(strrchr(path, '/') - path), path);
        auto_error error = {0};

        assert_true(path_make_folder(folder, 0700, &error));
        assert_true(path_write(path, content, strlen(content), 0600, &error));
}

static void reload(struct world *world)
{
        auto_error error = {0};

        if (!environments_reload(world->services.environments, &error))
                fail_msg("%s", error.message);
}

static void set_up(struct world *world, const char *script)
{
        write_file(world, "setup.sh", script);
        reload(world);
}

/* The id of a new build of main. */
static char *new_build(struct world *world)
{
        auto_error error = {0};
        auto_json *result = start(world, world->admin, "main", &error);

        if (!result)
                fail_msg("%s", error.message);
        return text_copy(member(json_object_get(result, "build"), "buildId"));
}

static void only_who_may_build_starts_and_cancels_a_build(void **state)
{
        struct world *world = *state;
        auto_error denied = {0}, nothing = {0}, hidden = {0}, busy = {0}, foreign = {0}, unread = {0}, by_task = {0};
        struct actor task = *world->admin;

        assert_null(start(world, world->admin, "main", &nothing));
        assert_code(nothing, "nothing_to_build");
        set_up(world, "true\n");
        assert_null(start(world, world->dev, "main", &denied));
        assert_code(denied, "permission_denied");
        assert_null(start(world, world->outsider, "main", &hidden));
        assert_code(hidden, "environment_not_found");
        task.credential = CREDENTIAL_TASK;
        assert_null(start(world, &task, "main", &by_task));
        assert_code(by_task, "permission_denied");
        auto_free char *id = new_build(world);
        assert_null(start(world, world->admin, "main", &busy));
        assert_code(busy, "build_in_progress");
        assert_string_equal(member(busy.details, "buildId"), id);
        error_clear(&denied);
        assert_null(cancel(world, world->viewer, id, &denied));
        assert_code(denied, "permission_denied");
        assert_null(get(world, world->outsider, id, NULL, &unread));
        assert_code(unread, "build_not_found");
        assert_null(get(world, world->admin, id, "other", &foreign));
        assert_code(foreign, "build_not_found");
        auto_json *seen = must(get(world, world->viewer, id, "main", &(struct error){0}));
        assert_string_equal(member(json_object_get(seen, "build"), "status"), "queued");
        auto_json *page = output(world, id, 0, 1000);
        assert_string_equal(member(page, "content"), "");
        assert_false(json_is_true(json_object_get(page, "isComplete")));
        auto_json *ended = must(cancel(world, world->admin, id, &(struct error){0}));
        assert_string_equal(member(json_object_get(ended, "build"), "status"), "cancelled");
        assert_string_equal(member(json_object_get(ended, "build"), "cancelRequestedBy"), "admin");
        auto_json *again = must(cancel(world, world->admin, id, &(struct error){0}));
        assert_true(json_equal(ended, again));
        assert_int_equal(world_number(world, "SELECT count(*) FROM audit WHERE action LIKE 'environment.build%'"), 2);
}

static void builds_are_listed_newest_first_in_pages(void **state)
{
        struct world *world = *state;
        auto_error wrong = {0};
        char *ids[3];

        set_up(world, "true\n");
        for (size_t i = 0; i < COUNT_OF(ids); i++) {
                ids[i] = new_build(world);
                auto_json *ended = must(cancel(world, world->admin, ids[i], &(struct error){0}));
        }
        auto_json *first = must(list(world, world->viewer, 2, NULL, &(struct error){0}));
        auto_json *second = must(list(world, world->viewer, 2, member(first, "nextCursor"), &(struct error){0}));
        const json_t *one = json_object_get(first, "builds"), *two = json_object_get(second, "builds");
        assert_int_equal(json_array_size(one), 2);
        assert_int_equal(json_array_size(two), 1);
        assert_string_equal(member(json_array_get(one, 0), "buildId"), ids[2]);
        assert_string_equal(member(json_array_get(one, 1), "buildId"), ids[1]);
        assert_string_equal(member(json_array_get(two, 0), "buildId"), ids[0]);
        assert_true(json_is_null(json_object_get(second, "nextCursor")));
        assert_null(list(world, world->viewer, 2, "t12", &wrong));
        assert_code(wrong, "invalid_cursor");
        for (size_t i = 0; i < COUNT_OF(ids); i++)
                free(ids[i]);
}

/* Whether list_environments tells that the person may create tasks in main. */
static bool can_create(struct world *world, const struct actor *actor)
{
        struct call call = call_of(world, actor);
        auto_json *result = NULL;
        const json_t *environment;
        size_t i;

        assert_true(environment_list(&call, &result, &(struct error){0}));
        json_array_foreach(json_object_get(result, "environments"), i, environment)
        {
                if (!strcmp(member(environment, "name"), "main"))
                        return json_is_true(json_object_get(environment, "canCreateTasks"));
        }
        fail_msg("there is no environment main");
        return false;
}

static void an_environment_that_was_never_built_takes_no_task(void **state)
{
        struct world *world = *state;
        auto_error refused = {0};

        assert_true(can_create(world, world->dev));
        set_up(world, "true\n");
        assert_false(can_create(world, world->dev));
        assert_null(world_create(world, world->dev, NEW_TASK(.environment = "main", .instructions = "x"), &refused));
        assert_code(refused, "environment_not_built");
        assert_non_null(strstr(refused.message, "setup.sh"));
        auto_free char *id = new_build(world);
        world_sql(world, "UPDATE builds SET state = 'succeeded', image = 'sha256:1'");
        assert_true(can_create(world, world->dev));
        auto_free char *task = world_task(world, world->dev, "main", "x");
        auto_json *seen = must(get(world, world->viewer, id, NULL, &(struct error){0}));
        assert_true(json_is_true(json_object_get(json_object_get(seen, "build"), "inUse")));
}

static void old_builds_are_forgotten_with_their_output(void **state)
{
        struct world *world = *state;
        struct builder builder = {.services = &world->services};
        auto_error gone = {0}, error = {0};

        set_up(world, "true\n");
        auto_free char *first = new_build(world), *folder = build_path_folder(world->root, first);
        assert_true(path_make_folder(folder, 0700, &error));
        auto_json *ended = must(cancel(world, world->admin, first, &(struct error){0}));
        world_sql(world, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) "
                         "INSERT INTO builds (id, environment, state, is_fresh, created_at) "
                         "SELECT 'build-' || i, b.environment, 'cancelled', 0, 1 FROM n, builds b");
        build_records_sweep(&builder, world->db);
        assert_null(get(world, world->admin, first, NULL, &gone));
        assert_code(gone, "build_not_found");
        assert_int_equal(access(folder, F_OK), -1);
        assert_int_equal(world_number(world, "SELECT count(*) FROM builds"), BUILDS_KEPT);
}

/* Makes the context; NULL or the code it was refused with. */
static const char *context_of(struct world *world, char hash[2 * SECRET_HASH_SIZE + 1])
{
        auto_environment *environment = environment_find(world->services.environments, "main");
        auto_build_context context = {.file = -1};
        auto_error error = {0};

        if (!build_context_make(environments_folder(world->services.environments), environment, "agent", world->root,
                                &context, &error))
                return error_kind(error.code)->code;
        if (hash)
                strcpy(hash, context.inputs_hash);
        return "";
}

static char *path_in_main(struct world *world, const char *name)
{
        return text_format("%s/environments/main/%s", world->setup, name);
}

static void the_same_files_make_the_same_context_and_links_are_not_followed(void **state)
{
        struct world *world = *state;
        char one[2 * SECRET_HASH_SIZE + 1], two[2 * SECRET_HASH_SIZE + 1];
        auto_free char *link = path_in_main(world, "build/link"), *file = path_in_main(world, "build/a");
        auto_environment *before = environment_find(world->services.environments, "main");

        assert_null(before->build_source);
        set_up(world, "true\n");
        write_file(world, "build/a", "content");
        assert_int_equal(symlink("/etc/shadow", link), 0);
        assert_string_equal(context_of(world, one), "");
        assert_int_equal(utimensat(AT_FDCWD, file, (struct timespec[2]){{1, 0}, {1, 0}}, 0), 0);
        assert_string_equal(context_of(world, two), "");
        assert_string_equal(one, two);
        write_file(world, "build/a", "contenT");
        assert_string_equal(context_of(world, two), "");
        assert_string_not_equal(one, two);
}

static void a_context_has_limits(void **state)
{
        struct world *world = *state;
        auto_free char *large = path_in_main(world, "build/large"), *fifo = path_in_main(world, "build/fifo"),
                       *many = path_in_main(world, "build/many"), *deep = path_in_main(world, "build/deep");
        auto_free char *script = path_in_main(world, "setup.sh");
        auto_error error = {0};

        set_up(world, "true\n");
        write_file(world, "build/large", "");
        assert_int_equal(truncate(large, BUILD_CONTEXT_MAXIMUM), 0);
        assert_string_equal(context_of(world, NULL), "too_large");
        assert_int_equal(unlink(large), 0);
        assert_int_equal(mkfifo(fifo, 0600), 0);
        assert_string_equal(context_of(world, NULL), "invalid_input");
        assert_int_equal(unlink(fifo), 0);
        assert_true(path_make_folder(many, 0700, &error));
        for (int i = 0; i < BUILD_CONTEXT_ENTRIES_MAXIMUM; i++) {
                auto_free char *name = text_format("%s/%d", many, i);
                auto_fd made = open(name, O_CREAT | O_WRONLY, 0600);
                assert_true(made >= 0);
        }
        assert_string_equal(context_of(world, NULL), "too_large");
        assert_true(path_remove_tree(many, &error));
        auto_text path = TEXT_WITH_MAXIMUM(4096);
        text_append_string(&path, deep);
        for (int i = 0; i < BUILD_CONTEXT_DEPTH_MAXIMUM; i++)
                text_append_string(&path, "/d");
        assert_true(path_make_folder(text_string(&path), 0700, &error));
        assert_string_equal(context_of(world, NULL), "too_large");
        assert_true(path_remove_tree(deep, &error));
        assert_string_equal(context_of(world, NULL), "");
        assert_int_equal(unlink(script), 0);
        assert_int_equal(symlink("/etc/passwd", script), 0);
        assert_string_equal(context_of(world, NULL), "unavailable");
}

static void an_images_name_is_one_that_engines_take(void **state)
{
        static const char *const cases[][2] = {
                {"main", "longshore-env/main:b-1"},
                {"My..Own_-Env-", "longshore-env/my.own-env:b-1"},
                {"9.a", "longshore-env/9.a:b-1"},
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                auto_free char *reference = build_image_reference(cases[i][0], "b-1");
                assert_string_equal(reference, cases[i][1]);
        }
}

/* With a real engine. */

static int open_builder(void **state)
{
        auto_error error = {0};

        world_open(state);
        struct world *world = *state;
        world->services.docker = docker_new(getenv("LONGSHORE_TEST_DOCKER_HOST"), &error);
        assert_non_null(world->services.docker);
        world_environment(world, "main", "{\"network\": \"none\"}");
        assert_non_null(builder_start(&world->services, &error));
        return 0;
}

static int close_builder(void **state)
{
        struct world *world = *state;

        if (world->services.builder)
                builder_stop(world->services.builder);
        /* What the tests have made is waste once the environment is gone. */
        world_sql(world, "UPDATE environments SET removed_at = 1");
        struct builder sweeper = {.services = &world->services};
        build_images_sweep(&sweeper, world->db);
        docker_free(world->services.docker);
        return world_close(state);
}

static json_t *wait_over(struct world *world, const char *id)
{
        int64_t until = clock_monotonic() + PATIENCE_MS;

        for (;;) {
                auto_json *result = must(get(world, world->viewer, id, NULL, &(struct error){0}));
                const json_t *build = json_object_get(result, "build");
                if (strcmp(member(build, "status"), "queued") && strcmp(member(build, "status"), "running"))
                        return json_incref(json_object_get(result, "build"));
                if (clock_monotonic() > until)
                        fail_msg("build %s does not end", id);
                usleep(20000);
        }
}

static void wait_output(struct world *world, const char *id, const char *words)
{
        int64_t until = clock_monotonic() + PATIENCE_MS;

        for (;;) {
                auto_json *page = output(world, id, 0, 512000);
                if (strstr(member(page, "content"), words))
                        return;
                if (clock_monotonic() > until)
                        fail_msg("build %s does not print %s", id, words);
                usleep(20000);
        }
}

static void a_build_makes_an_image_and_its_output_is_kept_whole_and_shown_masked(void **state)
{
        struct world *world = *state;
        auto_text kept = TEXT_WITH_MAXIMUM(65536), shown = TEXT_WITH_MAXIMUM(65536);
        auto_docker_image image = {0};
        auto_error error = {0};

        world_credentials(world, "https://bot:" TOKEN "@git.example\n");
        set_up(world, "echo said " TOKEN " aloud\ncp build/word /usr/share/word\n");
        write_file(world, "build/word", "x");
        auto_free char *id = new_build(world);
        auto_json *build = wait_over(world, id);
        assert_string_equal(member(build, "status"), "succeeded");
        assert_true(docker_image_inspect(world->services.docker, member(build, "imageName"), &image, &error));
        assert_string_equal(image.id, member(build, "image"));
        assert_string_equal(member(image.labels, LABEL_BUILD), id);
        auto_environment *environment = environment_find(world->services.environments, "main");
        auto_free char *used = build_image(world->db, environment, &error);
        assert_string_equal(used, image.id);
        auto_free char *folder = build_path_folder(world->root, id), *path = path_join(folder, BUILD_LOG);
        assert_true(path_read(path, 65536, &kept, NULL, &error));
        assert_non_null(strstr(text_string(&kept), "\nsaid " TOKEN " aloud\n"));
        /* A page boundary in every place of the value. */
        for (int64_t offset = 0;;) {
                auto_json *page = output(world, id, offset, 7);
                text_append_string(&shown, member(page, "content"));
                if (json_is_true(json_object_get(page, "isComplete")))
                        break;
                offset = json_integer_value(json_object_get(page, "nextOffset"));
        }
        assert_int_equal(shown.length, kept.length);
        assert_null(strstr(text_string(&shown), TOKEN));
        assert_non_null(strstr(text_string(&shown), "\nsaid ************** aloud\n"));
}

static void a_failing_step_is_told_with_its_exit_code(void **state)
{
        struct world *world = *state;
        auto_error error = {0};

        set_up(world, "echo before; exit 7\n");
        auto_free char *id = new_build(world);
        auto_json *build = wait_over(world, id);
        assert_string_equal(member(build, "status"), "failed");
        assert_string_equal(member(build, "endReason"), "image_build_failed");
        assert_int_equal(json_integer_value(json_object_get(build, "exitCode")), 7);
        assert_non_null(strstr(member(build, "message"), "non-zero code: 7"));
        assert_false(json_is_true(json_object_get(build, "inUse")));
        auto_environment *environment = environment_find(world->services.environments, "main");
        assert_null(build_image(world->db, environment, &error));
        assert_code(error, "environment_not_built");
}

static void a_base_image_that_is_not_there_is_named(void **state)
{
        struct world *world = *state;

        world_environment(world, "main", "{\"network\": \"none\", \"image\": \"longshore/no-such:1\"}");
        set_up(world, "true\n");
        auto_free char *id = new_build(world);
        auto_json *build = wait_over(world, id);
        assert_string_equal(member(build, "endReason"), "image_not_found");
        assert_non_null(strstr(member(build, "message"), "longshore/no-such:1"));
}

static void a_running_build_is_cancelled(void **state)
{
        struct world *world = *state;

        set_up(world, "echo begun; exec sleep 1000\n");
        auto_free char *id = new_build(world);
        wait_output(world, id, "\nbegun\n");
        auto_json *asked = must(cancel(world, world->admin, id, &(struct error){0}));
        auto_json *build = wait_over(world, id);
        assert_string_equal(member(build, "status"), "cancelled");
        assert_string_equal(member(build, "cancelRequestedBy"), "admin");
        auto_free char *next = new_build(world);
        wait_output(world, next, "\nbegun\n");
}

static void a_build_that_takes_too_long_is_ended(void **state)
{
        struct world *world = *state;

        world->services.builder->time_limit_ms = 3000;
        set_up(world, "exec sleep 1000\n");
        auto_free char *id = new_build(world);
        auto_json *build = wait_over(world, id);
        assert_string_equal(member(build, "status"), "failed");
        assert_string_equal(member(build, "endReason"), "time_limit");
}

static void a_build_ends_with_its_server_and_one_that_waited_is_made_by_the_next(void **state)
{
        struct world *world = *state;
        auto_error error = {0};

        set_up(world, "echo begun; exec sleep 1000\n");
        auto_free char *id = new_build(world);
        wait_output(world, id, "\nbegun\n");
        builder_stop(world->services.builder);
        auto_json *ended = wait_over(world, id);
        assert_string_equal(member(ended, "status"), "failed");
        assert_string_equal(member(ended, "endReason"), "server_restart");
        set_up(world, "true\n");
        auto_free char *waiting = new_build(world);
        assert_non_null(builder_start(&world->services, &error));
        auto_json *made = wait_over(world, waiting);
        assert_string_equal(member(made, "status"), "succeeded");
}

int run_build_tests(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(only_who_may_build_starts_and_cancels_a_build, world_open, world_close),
                cmocka_unit_test_setup_teardown(builds_are_listed_newest_first_in_pages, world_open, world_close),
                cmocka_unit_test_setup_teardown(an_environment_that_was_never_built_takes_no_task, world_open,
                                                world_close),
                cmocka_unit_test_setup_teardown(old_builds_are_forgotten_with_their_output, world_open, world_close),
                cmocka_unit_test_setup_teardown(the_same_files_make_the_same_context_and_links_are_not_followed,
                                                world_open, world_close),
                cmocka_unit_test_setup_teardown(a_context_has_limits, world_open, world_close),
                cmocka_unit_test(an_images_name_is_one_that_engines_take),
        };

        return cmocka_run_group_tests_name("services: builds", tests, NULL, NULL);
}

int run_build_engine_tests(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(a_build_makes_an_image_and_its_output_is_kept_whole_and_shown_masked,
                                                open_builder, close_builder),
                cmocka_unit_test_setup_teardown(a_failing_step_is_told_with_its_exit_code, open_builder, close_builder),
                cmocka_unit_test_setup_teardown(a_base_image_that_is_not_there_is_named, open_builder, close_builder),
                cmocka_unit_test_setup_teardown(a_running_build_is_cancelled, open_builder, close_builder),
                cmocka_unit_test_setup_teardown(a_build_that_takes_too_long_is_ended, open_builder, close_builder),
                cmocka_unit_test_setup_teardown(a_build_ends_with_its_server_and_one_that_waited_is_made_by_the_next,
                                                open_builder, close_builder),
        };

        return cmocka_run_group_tests_name("services: builds, with an engine", tests, NULL, NULL);
}
