#include "tests/services/suites.h"
#include "tests/services/world.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "server/base/path.h"
#include "server/services/model.h"
#include "server/services/parameter.h"
#include "server/services/prompt.h"
#include "server/services/secret_store.h"
#include "server/services/template.h"

static void write_setup(struct world *world, const char *name, const char *content)
{
        auto_error error = {0};
        auto_free char *path = text_format("%s/environments/main/%s", world->setup, name),
                       *folder = text_format("%s/environments/main/templates", world->setup);

        assert_true(path_make_folder(folder, 0700, &error));
        assert_true(path_write(path, content, strlen(content), 0600, &error));
}

static const char template[] =
        "{\"title\":\"Fix a bug\",\"description\":\"Finds it too\",\"instructions\":\"Fix {{where}} with {{how}}; "
        "{{other}}\","
        "\"parameters\":[{\"name\":\"where\",\"required\":true},{\"name\":\"how\",\"type\":\"select\","
        "\"options\":[\"care\",\"haste\"],\"default\":\"care\"},{\"name\":\"many\",\"type\":\"select\",\"multiSelect\":"
        "true,"
        "\"options\":[\"a\",\"b\"]}]}";

static void a_template_is_listed_with_its_parameters(void **state)
{
        struct world *world = *state;
        auto_error error = {0};
        struct call call = {.services = &world->services, .db = world->db, .actor = world->viewer};
        struct template_list_input input = {"main"};
        json_t *result;

        write_setup(world, "templates/fix.json", template);
        write_setup(world, "templates/broken.json", "{\"title\":7}");
        write_setup(world, "templates/notes.txt", "no template");
        assert_true(template_list(&call, &input, &result, &error));
        auto_json *owned = result;
        json_t *templates = json_object_get(owned, "templates"), *fix = json_array_get(templates, 1);
        assert_int_equal(json_array_size(templates), 2);
        assert_string_equal(member(json_array_get(templates, 0), "brokenReason"), "title must be a string");
        assert_string_equal(member(fix, "name"), "fix");
        assert_string_equal(member(fix, "title"), "Fix a bug");
        json_t *how = json_array_get(json_object_get(fix, "parameters"), 1);
        assert_string_equal(member(how, "default"), "care");
        assert_true(json_is_true(json_object_get(how, "optionsEnforced")));
        call.actor = world->outsider;
        assert_false(template_list(&call, &input, &result, &error));
        assert_code(error, "environment_not_found");
}

static void expect_render(struct world *world, const char *values, const char *rendered, const char *code)
{
        auto_error error = {0};
        auto_json *map = document_parse(values, strlen(values), &error);
        auto_free char *text = template_render(&world->services, "main", "fix", map, &error);

        if (rendered)
                assert_string_equal(text, rendered);
        else
                assert_code(error, code);
}

static void a_templates_values_are_checked_and_put_in_place(void **state)
{
        struct world *world = *state;
        auto_error error = {0};

        write_setup(world, "templates/fix.json", template);
        expect_render(world, "{\"where\":\"the {{how}} parser\"}", "Fix the {{how}} parser with care; {{other}}", NULL);
        expect_render(world, "{\"where\":\"x\",\"how\":\"haste\",\"many\":\"a,b\"}", "Fix x with haste; {{other}}",
                      NULL);
        expect_render(world, "{\"where\":\"x\",\"many\":\" a , b\"}", "Fix x with care; {{other}}", NULL);
        expect_render(world, "{\"where\":\"x\",\"many\":\"a,,b\"}", NULL, "invalid_parameter");
        expect_render(world, "{\"where\":\"x\",\"many\":\"a, \"}", NULL, "invalid_parameter");
        expect_render(world, "{}", NULL, "missing_required_parameter");
        expect_render(world, "{\"where\":\"x\",\"how\":\"luck\"}", NULL, "invalid_parameter");
        expect_render(world, "{\"where\":\"x\",\"many\":\"a,c\"}", NULL, "invalid_parameter");
        expect_render(world, "{\"where\":\"x\",\"when\":\"now\"}", NULL, "unknown_parameter");
        assert_null(template_render(&world->services, "main", "../fix", NULL, &error));
        assert_code(error, "template_not_found");
}

static void a_value_is_of_its_parameters_type(void **state)
{
        static const struct {
                const char *type, *good[4], *bad[6];
        } types[] = {
                {"number", {"0", "-12.50", "1e6", "2E-3"}, {"nan", " 1", "0x10", "1.", "e5", "--1"}},
                {"date",
                 {"2026-12-31", "2028-02-29"},
                 {"2026-13-01", "2026-02-30", "31.12.2026", "2026-12-31T00:00:00Z"}},
                {"boolean", {"true", "false"}, {"yes", "True", "1"}},
        };
        auto_error error = {0};

        (void)state;
        for (size_t i = 0; i < COUNT_OF(types); i++) {
                const struct parameter parameter = {.name = "p", .type = types[i].type, .required = true};
                for (size_t j = 0; j < COUNT_OF(types[i].good) && types[i].good[j]; j++) {
                        auto_json *values = json_pack("{s:s}", "p", types[i].good[j]);
                        auto_free char *value = parameter_value(&parameter, values, &error);
                        assert_string_equal(value, types[i].good[j]);
                }
                for (size_t j = 0; j < COUNT_OF(types[i].bad) && types[i].bad[j]; j++) {
                        auto_json *values = json_pack("{s:s}", "p", types[i].bad[j]);
                        if (parameter_value(&parameter, values, &error))
                                fail_msg("%s", types[i].bad[j]);
                        assert_code(error, "invalid_parameter");
                        error_clear(&error);
                }
        }
}

static void expect_choice(struct world *world, const char *agent, struct model_choice choice, const char *code)
{
        auto_error error = {0};
        auto_environment *environment = environment_find(world->services.environments, "main");
        bool is_good = model_check(&world->services, world->db, environment, world->dev->user, agent, &choice, &error);

        if (code) {
                assert_false(is_good);
                assert_code(error, code);
        } else {
                assert_true(is_good);
        }
}

static void a_choice_of_model_is_checked_against_the_catalogue(void **state)
{
        struct world *world = *state;
        auto_free char *path = path_join(world->services.data_folder, "models.json");
        static const char own[] = "{\"shell\":{\"default\":\"m1\",\"models\":[{\"id\":\"m1\",\"efforts\":[\"low\"]}]},"
                                  "\"codex\":{\"default\":\"c1\",\"models\":[{\"id\":\"c1\",\"speeds\":[\"fast\"]}]}}";
        auto_error error = {0};

        expect_choice(world, "shell", (struct model_choice){0}, NULL);
        expect_choice(world, "shell", (struct model_choice){.model = "gpt"}, "invalid_model");
        assert_true(path_write(path, own, strlen(own), 0600, &error));
        expect_choice(world, "shell", (struct model_choice){.model = "m1", .effort = "low"}, NULL);
        expect_choice(world, "shell", (struct model_choice){.model = "m2"}, "invalid_model");
        expect_choice(world, "shell", (struct model_choice){.effort = "high"}, "invalid_reasoning_effort");
        expect_choice(world, "shell", (struct model_choice){.speed = "standard"}, "invalid_speed");
        expect_choice(world, "codex", (struct model_choice){.speed = "standard"}, NULL);
        expect_choice(world, "codex", (struct model_choice){.speed = "ultrafast"}, "invalid_speed");
        expect_choice(world, "codex", (struct model_choice){.speed = "fast"}, "speed_not_allowed");
}

static void expect_fast(struct world *world, const char *environment, const char *code)
{
        world_environment(world, "main", environment);
        expect_choice(world, "codex", (struct model_choice){.speed = "fast"}, code);
        expect_choice(world, "codex", (struct model_choice){.speed = "standard"}, NULL);
}

static void set_endpoint(struct world *world, const struct actor *actor, const char *environment)
{
        struct call call = world_call(world, actor);
        const struct secret_set_input input = {.name = "OPENAI_BASE_URL",
                                               .value = "https://host/v1",
                                               .environment = environment,
                                               .as = "variable",
                                               .tasks = true};
        auto_json *result = NULL;
        auto_error error = {0};

        if (!secret_set(&call, &input, &result, &error))
                fail_msg("%s", error.message);
}

static void an_endpoint_of_ones_own_offers_no_speed_wherever_it_is_told(void **state)
{
        static const char own[] = "{\"codex\":{\"default\":\"c1\",\"models\":[{\"id\":\"c1\",\"speeds\":[\"fast\"]}]}}";
        static const char declaring[] = "{\"secrets\": [{\"name\": \"OPENAI_BASE_URL\"}]}";
        struct world *world = *state;
        auto_free char *path = path_join(world->services.data_folder, "models.json");
        auto_json *flags = json_pack("{s:s}", "CODEX_SPEED", "fast");
        auto_error error = {0};

        assert_true(path_write(path, own, strlen(own), 0600, &error));
        assert_true(settings_load(NULL, NULL, flags, &error));
        expect_fast(world, "{\"environment\": {\"OPENAI_BASE_URL\": \"https://host/v1\"}}", "invalid_speed");
        expect_fast(world, "{\"environment\": {\"OPENAI_BASE_URL\": \"\"}}", NULL);
        set_endpoint(world, world->admin, "main");
        expect_fast(world, "{}", NULL);
        expect_fast(world, declaring, "invalid_speed");
        set_endpoint(world, world->dev, NULL);
        expect_fast(world, "{}", "invalid_speed");
        assert_true(settings_load(NULL, NULL, NULL, &error));
}

/* Told by a file that changes behind the back of its times. */
static void a_catalogue_is_read_again_only_when_it_changed(void **state)
{
        static const char *const contents[] = {"{\"shell\":{\"models\":[{\"id\":\"m1\"}]}}",
                                               "{\"shell\":{\"models\":[{\"id\":\"m2\"}]}}"};
        struct world *world = *state;
        auto_free char *path = path_join(world->services.data_folder, "models.json");
        auto_error error = {0};
        struct stat info;

        assert_true(path_write(path, contents[0], strlen(contents[0]), 0600, &error));
        expect_choice(world, "shell", (struct model_choice){.model = "m1"}, NULL);
        assert_int_equal(stat(path, &info), 0);
        auto_fd file = open(path, O_WRONLY | O_CLOEXEC);
        assert_int_equal(pwrite(file, contents[1], strlen(contents[1]), 0), strlen(contents[1]));
        assert_int_equal(futimens(file, (struct timespec[]){info.st_atim, info.st_mtim}), 0);
        expect_choice(world, "shell", (struct model_choice){.model = "m1"}, NULL);
        info.st_mtim.tv_sec++;
        assert_int_equal(futimens(file, (struct timespec[]){info.st_atim, info.st_mtim}), 0);
        expect_choice(world, "shell", (struct model_choice){.model = "m1"}, "invalid_model");
        expect_choice(world, "shell", (struct model_choice){.model = "m2"}, NULL);
}

static void a_choice_needs_its_agent_named_and_is_kept(void **state)
{
        struct world *world = *state;
        auto_free char *path = path_join(world->services.data_folder, "models.json");
        static const char own[] = "{\"shell\":{\"models\":[{\"id\":\"m1\"},{\"id\":\"m2\"}]}}";
        auto_error error = {0}, unnamed = {0};

        assert_true(path_write(path, own, strlen(own), 0600, &error));
        assert_null(world_create(world, world->dev, NEW_TASK(.environment = "main", .instructions = "x", .model = "m1"),
                                 &unnamed));
        assert_code(unnamed, "invalid_input");
        auto_json *made = must(world_create(
                world, world->dev,
                NEW_TASK(.environment = "main", .instructions = "x", .agent = "shell", .model = "m1", .staged = true),
                &error));
        assert_string_equal(member(json_object_get(made, "task"), "model"), "m1");
        auto_json *started = must(world_follow_up(
                world, world->dev,
                (struct task_follow_up_input){.taskId = member(made, "taskId"), .instructions = "y", .model = "m2"},
                &error));
        assert_string_equal(member(json_object_get(started, "task"), "model"), "m2");
}

static struct field_objects attachments_of(struct attachment_input *items, size_t count)
{
        return (struct field_objects){items, count};
}

static void files_wait_on_disk_until_they_are_delivered_or_dropped(void **state)
{
        struct world *world = *state;
        auto_error error = {0};
        struct attachment_input items[] = {{"a.txt", "hello", "utf8", NULL}, {"b.bin", "AAEC", "base64", NULL}};
        struct field_objects list = attachments_of(items, 2);
        struct handoff_input handoff = {"a session", "half done", "all of it"};
        struct stat info;

        struct call call = world_call(world, world->dev);
        struct upload *upload = upload_write(&call, &list, &handoff, &error);
        assert_non_null(upload);
        assert_int_equal(upload->count, 3);
        assert_int_equal(upload->files[1].size, 3);
        auto_free char *folder = text_format("%s/uploads/%s", world->services.data_folder, upload->id);
        assert_int_equal(stat(folder, &info), 0);
        upload_free(&world->services, upload, true);
        assert_int_equal(stat(folder, &info), 0);
        upload_sweep(&world->services, world->db);
        assert_int_not_equal(stat(folder, &info), 0);
}

static void bad_files_are_refused_and_leave_nothing(void **state)
{
        struct world *world = *state;
        struct attachment_input twice[] = {{"a", "1", "utf8", NULL}, {"a", "2", "utf8", NULL}};
        struct attachment_input broken[] = {{"a", "1", "utf8", NULL}, {"b", "not base64!", "base64", NULL}};
        struct field_objects lists[] = {attachments_of(twice, 2), attachments_of(broken, 2)};
        auto_free char *count = text_format("test -z \"$(ls -A %s/uploads 2>/dev/null)\"", world->services.data_folder);

        for (size_t i = 0; i < COUNT_OF(lists); i++) {
                auto_error error = {0};
                struct call call = world_call(world, world->dev);
                assert_null(upload_write(&call, &lists[i], NULL, &error));
                assert_code(error, "invalid_attachment");
        }
        assert_int_equal(system(count), 0);
}

static void delivered_files_replace_what_the_agent_put_in_their_way(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");
        auto_error error = {0};
        struct attachment_input items[] = {{"a.txt", "ours", "utf8", NULL}};
        struct field_objects list = attachments_of(items, 1);
        struct stat info;

        world_output_file(world, id, "victim", "untouched", 9);
        auto_free char *output = text_format("%s/tasks/%s/output", world->services.data_folder, id),
                       *victim = path_join(output, "victim"), *link = path_join(output, ATTACHMENTS_FOLDER),
                       *file = path_join(output, ATTACHMENTS_FOLDER "/a.txt");
        assert_int_equal(symlink(output, link), 0);
        struct call call = world_call(world, world->dev);
        struct upload *upload = upload_write(&call, &list, NULL, &error);
        struct store_attachment row = {.filename = text_copy("a.txt"), .upload = text_copy(upload->id), .size = 4};
        struct store_attachments rows = {&row, 1};
        assert_true(upload_deliver(&world->services, id, &rows, &error));
        assert_int_equal(lstat(link, &info), 0);
        assert_true(S_ISDIR(info.st_mode));
        assert_int_equal(unlink(file), 0);
        assert_int_equal(symlink(victim, file), 0);
        assert_true(upload_deliver(&world->services, id, &rows, &error));
        auto_text content = TEXT_WITH_MAXIMUM(100), kept = TEXT_WITH_MAXIMUM(100);
        assert_true(path_read(file, 100, &content, NULL, &error));
        assert_string_equal(text_string(&content), "ours");
        assert_true(path_read(victim, 100, &kept, NULL, &error));
        assert_string_equal(text_string(&kept), "untouched");
        upload_free(&world->services, upload, false);
        free(row.filename);
        free(row.upload);
}

static void a_script_gets_what_we_add_as_comments(void **state)
{
        struct handoff_input handoff = {"a session", "done\nleft", NULL};
        auto_prompt prompt = {.parts = {[PROMPT_INSTRUCTIONS] = "echo hi"}};

        (void)state;
        prompt_generate(&prompt, &handoff, NULL);
        auto_free char *shown = prompt_shown(&prompt), *given = prompt_given(&prompt, agent_find_known("shell"));
        assert_non_null(strstr(shown, "echo hi\n\n## Handoff context"));
        assert_non_null(strstr(given, "echo hi\n\n# ## Handoff context"));
        assert_non_null(strstr(given, "# left\n"));
}

static void a_task_is_renamed_shared_and_started(void **state)
{
        struct world *world = *state;
        auto_error error = {0}, again = {0};
        auto_json *made = must(world_create(
                world, world->dev, NEW_TASK(.environment = "main", .instructions = "x", .staged = true), &error));
        const char *id = member(made, "taskId");

        auto_json *renamed = must(world_change(world, world->dev, WORLD_RENAME, id, "A name", &error));
        assert_string_equal(member(json_object_get(renamed, "previousNames"), id), "x");
        assert_string_equal(member(json_object_get(renamed, "previousNameSources"), id), "generated");
        assert_string_equal(member(json_object_get(renamed, "task"), "name"), "A name");
        auto_json *hidden = must(world_change(world, world->dev, WORLD_UNSHARE, id, NULL, &error));
        assert_true(json_is_false(json_object_get(hidden, "shared")));
        assert_null(world_get(world, world->viewer, (struct task_get_input){.taskId = id}, &again));
        assert_code(again, "task_not_found");
        auto_json *started = must(world_change(world, world->dev, WORLD_START, id, NULL, &error));
        assert_string_equal(member(started, "status"), "running");
        assert_null(world_change(world, world->dev, WORLD_START, id, NULL, &again));
        assert_code(again, "conflict");
        assert_int_equal(world_number(world,
                                      "SELECT count(*) FROM audit WHERE action IN ('task.rename', 'task.unshare', "
                                      "'task.start')"),
                         3);
}

int run_submission_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(a_template_is_listed_with_its_parameters, world_open, world_close),
                cmocka_unit_test_setup_teardown(a_templates_values_are_checked_and_put_in_place, world_open,
                                                world_close),
                cmocka_unit_test(a_value_is_of_its_parameters_type),
                cmocka_unit_test_setup_teardown(a_choice_of_model_is_checked_against_the_catalogue, world_open,
                                                world_close),
                cmocka_unit_test_setup_teardown(an_endpoint_of_ones_own_offers_no_speed_wherever_it_is_told, world_open,
                                                world_close),
                cmocka_unit_test_setup_teardown(a_catalogue_is_read_again_only_when_it_changed, world_open,
                                                world_close),
                cmocka_unit_test_setup_teardown(a_choice_needs_its_agent_named_and_is_kept, world_open, world_close),
                cmocka_unit_test_setup_teardown(files_wait_on_disk_until_they_are_delivered_or_dropped, world_open,
                                                world_close),
                cmocka_unit_test_setup_teardown(bad_files_are_refused_and_leave_nothing, world_open, world_close),
                cmocka_unit_test_setup_teardown(delivered_files_replace_what_the_agent_put_in_their_way, world_open,
                                                world_close),
                cmocka_unit_test(a_script_gets_what_we_add_as_comments),
                cmocka_unit_test_setup_teardown(a_task_is_renamed_shared_and_started, world_open, world_close),
        };

        return cmocka_run_group_tests_name("submissions", tests, NULL, NULL);
}
