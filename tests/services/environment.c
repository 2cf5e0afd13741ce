#include "tests/services/suites.h"
#include "tests/cmocka.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/environment.h"
#include "server/store/environment.h"

/* Longer than any change takes to be seen, on a machine with much to do. */
#define PATIENCE_MS 20000

struct fixture {
        char root[64];
        char *setup, *folder;
        struct store *store;
        struct environments *environments;
};

static int set_up(void **state)
{
        struct fixture *fixture = memory_new(sizeof *fixture);
        auto_error error = {0};

        strcpy(fixture->root, "/tmp/longshore-environment-XXXXXX");
        assert_non_null(mkdtemp(fixture->root));
        fixture->setup = path_join(fixture->root, "setup");
        fixture->folder = path_join(fixture->setup, "environments");
        fixture->store = store_open(fixture->root, &error);
        assert_non_null(fixture->store);
        *state = fixture;
        return 0;
}

static int tear_down(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        if (fixture->environments)
                environments_close(fixture->environments);
        store_close(fixture->store);
        assert_true(path_remove_tree(fixture->root, &error));
        free(fixture->setup);
        free(fixture->folder);
        free(fixture);
        return 0;
}

static void open_registry(struct fixture *fixture)
{
        auto_error error = {0};

        fixture->environments = environments_open(fixture->store, fixture->setup, &error);
        assert_string_equal(error.message, "");
        assert_non_null(fixture->environments);
}

static char *folder_of(struct fixture *fixture, const char *name)
{
        return path_join(fixture->folder, name);
}

static char *file_of(struct fixture *fixture, const char *name)
{
        return text_format("%s/%s/environment.json", fixture->folder, name);
}

/* Writes as an editor that renames does. */
static void put(struct fixture *fixture, const char *name, const char *content)
{
        auto_error error = {0};
        auto_free char *folder = folder_of(fixture, name), *file = file_of(fixture, name);

        assert_true(path_make_folder(folder, 0700, &error));
        assert_true(path_write(file, content, strlen(content), 0600, &error));
}

static void write_in_place(struct fixture *fixture, const char *name, const char *content)
{
        auto_free char *file = file_of(fixture, name);
        auto_fd opened = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

        assert_true(opened >= 0);
        assert_int_equal(write(opened, content, strlen(content)), strlen(content));
}

/* Waits until the environment is there and its description (or else what it is broken by) begins with the text; NULL
 * waits until it is gone. */
static void wait_for(struct fixture *fixture, const char *name, const char *wanted)
{
        int64_t deadline = clock_monotonic() + PATIENCE_MS;

        for (;;) {
                uint64_t generation = environments_generation(fixture->environments);
                auto_environment *found = environment_find(fixture->environments, name);
                const char *text = !found                 ? NULL
                                   : found->broken_reason ? found->broken_reason
                                                          : found->file.description;
                if (wanted ? found && text && !strncmp(text, wanted, strlen(wanted)) : !found)
                        return;
                if (!environments_wait(fixture->environments, generation, deadline - clock_monotonic()))
                        fail_msg("%s did not become %s, it is %s", name, wanted ? wanted : "gone", text ? text : "-");
        }
}

static const struct environment *find(struct fixture *fixture, const char *name)
{
        const struct environment *found = environment_find(fixture->environments, name);

        assert_non_null(found);
        return found;
}

static void missing_folders_are_made_and_nothing_in_them(void **state)
{
        struct fixture *fixture = *state;
        struct stat info;

        open_registry(fixture);
        assert_int_equal(stat(fixture->setup, &info), 0);
        assert_int_equal(info.st_mode & 07777, 0700);
        assert_int_equal(stat(fixture->folder, &info), 0);
        assert_int_equal(info.st_mode & 07777, 0700);
        assert_int_equal(rmdir(fixture->folder), 0);
}

static void an_empty_object_is_an_environment_of_defaults(void **state)
{
        struct fixture *fixture = *state;

        put(fixture, "demo", "{}");
        open_registry(fixture);
        auto_environment *demo = find(fixture, "demo");
        assert_null(demo->broken_reason);
        assert_null(demo->file.description);
        assert_string_equal(demo->file.status, "active");
        assert_string_equal(demo->file.image, "longshore/task:1");
        assert_string_equal(demo->file.defaultAgent, "shell");
        assert_string_equal(demo->file.network, "bridge");
        assert_int_equal(demo->file.repositories.count, 0);
        assert_int_equal(demo->file.limits->memoryMb, 4096);
        assert_int_equal(demo->file.limits->cpusPercent, 200);
        assert_int_equal(demo->file.limits->pids, 512);
        assert_int_equal(demo->file.limits->fileSizeMb, 0);
        assert_int_equal(demo->file.limits->turnMinutes, 120);
        assert_null(demo->file.environment);
        assert_true(demo->file.shareTasks);
        assert_non_null(strstr(demo->id, "env-"));
        auto_environment *same = environment_find_rid(fixture->environments, demo->rid);
        assert_ptr_equal(same, demo);
        assert_null(environment_find_rid(fixture->environments, demo->rid + 1));
        assert_null(environment_find_rid(fixture->environments, 0));
        assert_null(environment_find(fixture->environments, "other"));
}

static void every_member_is_read(void **state)
{
        struct fixture *fixture = *state;

        put(fixture, "demo",
            "{\"description\": \"Ours\", \"status\": \"disabled\", \"image\": \"our/image:2\", \"defaultAgent\": "
            "\"shell\","
            " \"repositories\": [{\"url\": \"https://host/team/app.git/\"},"
            " {\"name\": \"lib\", \"url\": \"https://host/x\", \"branch\": \"dev\", \"readOnly\": true, \"locked\": "
            "true}],"
            " \"limits\": {\"memoryMb\": 64, \"fileSizeMb\": 10}, \"network\": \"none\","
            " \"environment\": {\"KEY_1\": \"value\"}, \"shareTasks\": false}");
        open_registry(fixture);
        auto_environment *demo = find(fixture, "demo");
        assert_null(demo->broken_reason);
        assert_string_equal(demo->file.status, "disabled");
        assert_string_equal(demo->file.image, "our/image:2");
        assert_int_equal(demo->file.repositories.count, 2);
        const struct environment_repository *repositories = demo->file.repositories.items;
        assert_string_equal(repositories[0].name, "app");
        assert_null(repositories[0].branch);
        assert_false(repositories[0].readOnly);
        assert_string_equal(repositories[1].name, "lib");
        assert_string_equal(repositories[1].branch, "dev");
        assert_true(repositories[1].readOnly && repositories[1].locked);
        assert_int_equal(demo->file.limits->memoryMb, 64);
        assert_int_equal(demo->file.limits->fileSizeMb, 10);
        assert_int_equal(demo->file.limits->pids, 512);
        assert_string_equal(document_get_string(demo->file.environment, "KEY_1"), "value");
        assert_false(demo->file.shareTasks);
}

static void a_reason_never_repeats_what_the_file_holds(void **state)
{
        struct fixture *fixture = *state;

        put(fixture, "demo", "{\"environment\": {\"TOKEN\": \"hunter2\" \"hunter3\"}}");
        open_registry(fixture);
        auto_environment *demo = find(fixture, "demo");
        assert_string_equal(demo->broken_reason, "environment.json: not valid JSON: '}' expected (line 1, column 45)");
}

static const struct {
        const char *content, *reason;
} mistakes[] = {
        {"", "environment.json: not valid JSON"},
        {"[]", "environment.json: the input must be an object"},
        {"{\"status\":\"active\",\"status\":\"disabled\"}", "environment.json: not valid JSON: duplicate"},
        {"{\"statsu\":\"active\"}", "environment.json: statsu is not known; did you mean status?"},
        {"{\"status\":\"on\"}", "environment.json: status must be one of: active, disabled"},
        {"{\"limits\":{\"memory\":64}}", "environment.json: limits.memory is not known; did you mean memoryMb?"},
        {"{\"limits\":{\"memoryMb\":63}}", "environment.json: limits.memoryMb must be from 64 to 1048576"},
        {"{\"limits\":{\"cpusPercent\":6401}}", "environment.json: limits.cpusPercent must be from 10 to 6400"},
        {"{\"limits\":{\"turnMinutes\":0}}", "environment.json: limits.turnMinutes must be from 1 to 10080"},
        {"{\"limits\":null}", "environment.json: limits must be an object"},
        {"{\"network\":\"lan\"}", "environment.json: network must be one of: bridge, none, host"},
        {"{\"defaultAgent\":\"none\"}",
         "environment.json: defaultAgent: none is neither a known agent nor one of the environment's own (agents)"},
        {"{\"image\":\"a b\"}", "environment.json: image must be the name of an image"},
        {"{\"environment\":{\"1A\":\"x\"}}", "environment.json: environment: the name 1A must be letters"},
        {"{\"environment\":{\"A\":1}}", "environment.json: environment.A must be a string"},
        {"{\"repositories\":[{}]}", "environment.json: repositories[0].url is required"},
        {"{\"repositories\":[{\"url\":\"https://h/x\",\"name\":\"../x\"}]}",
         "environment.json: repositories[0].name must be a plain folder name"},
        {"{\"repositories\":[{\"url\":\"https://h/a/.git\"}]}", "environment.json: repositories[0].name is required"},
        {"{\"repositories\":[{\"url\":\"https://user:secret@h/a\"}]}",
         "environment.json: repositories[0].url: The address of the git repository"},
        {"{\"repositories\":[{\"url\":\"https://h/a\",\"branch\":\"a..b\"}]}",
         "environment.json: repositories[0].branch: "},
        {"{\"repositories\":[{\"url\":\"https://h/a/x\"},{\"url\":\"https://h/b/x.git\"}]}",
         "environment.json: repositories[1].name is x, as repositories[0] is"},
};

static void a_mistake_disables_its_environment_alone_and_is_explained(void **state)
{
        struct fixture *fixture = *state;

        put(fixture, "good", "{\"description\":\"good\"}");
        for (size_t i = 0; i < COUNT_OF(mistakes); i++) {
                auto_free char *name = text_format("broken-%zu", i);
                put(fixture, name, mistakes[i].content);
        }
        open_registry(fixture);
        for (size_t i = 0; i < COUNT_OF(mistakes); i++) {
                auto_error error = {0};
                auto_free char *name = text_format("broken-%zu", i);
                auto_environment *broken = find(fixture, name);
                assert_non_null(broken->broken_reason);
                if (strncmp(broken->broken_reason, mistakes[i].reason, strlen(mistakes[i].reason)))
                        assert_string_equal(broken->broken_reason, mistakes[i].reason);
                assert_string_equal(broken->file.status, "disabled");
                assert_int_equal(broken->file.limits->pids, 512);
                assert_false(environment_check_active(broken, &error));
                assert_int_equal(error.code, ERROR_ENVIRONMENT_DISABLED);
                assert_non_null(strstr(error.message, mistakes[i].reason));
        }
        auto_error error = {0};
        auto_environment *good = find(fixture, "good");
        assert_true(environment_check_active(good, &error));
}

static void a_disabled_environment_starts_nothing(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        put(fixture, "off", "{\"status\":\"disabled\"}");
        open_registry(fixture);
        auto_environment *off = find(fixture, "off");
        assert_false(environment_check_active(off, &error));
        assert_int_equal(error.code, ERROR_ENVIRONMENT_DISABLED);
        assert_string_equal(error.message, "The environment off is disabled.");
}

static void a_name_that_is_not_allowed_is_shown_as_broken_and_has_no_identity(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};
        static const char *const names[] = {"my env", "-x", "a\xff", "_",
                                            "a234567890123456789012345678901234567890123456789012345678901234x"};

        for (size_t i = 0; i < COUNT_OF(names); i++)
                put(fixture, names[i], "{}");
        put(fixture, ".hidden", "{}");
        put(fixture, "A.b_c-d", "{}");
        auto_free char *plain = folder_of(fixture, "README");
        assert_true(path_write(plain, "x", 1, 0600, &error));
        open_registry(fixture);
        for (size_t i = 0; i < COUNT_OF(names); i++) {
                auto_environment *broken = find(fixture, strcmp(names[i], "a\xff") ? names[i] : "a\xef\xbf\xbd");
                assert_non_null(strstr(broken->broken_reason, "the folder's name is not allowed"));
                assert_int_equal(broken->rid, 0);
                assert_string_equal(broken->id, "");
        }
        assert_null(environment_find(fixture->environments, ".hidden"));
        assert_null(environment_find(fixture->environments, "README"));
        auto_environment *good = find(fixture, "A.b_c-d");
        assert_null(good->broken_reason);
}

static void links_are_not_followed(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *linked = folder_of(fixture, "linked"), *secret = file_of(fixture, "secret");

        put(fixture, "real", "{}");
        put(fixture, "secret", "{}");
        auto_free char *real = folder_of(fixture, "real");
        assert_int_equal(symlink(real, linked), 0);
        assert_int_equal(unlink(secret), 0);
        assert_int_equal(symlink("/etc/passwd", secret), 0);
        open_registry(fixture);
        wait_for(fixture, "linked", "there is no regular file environment.json");
        wait_for(fixture, "secret", "there is no regular file environment.json");
}

static void a_changed_file_is_taken_up(void **state)
{
        struct fixture *fixture = *state;

        put(fixture, "demo", "{\"description\":\"one\"}");
        open_registry(fixture);
        auto_environment *before = find(fixture, "demo");
        put(fixture, "demo", "{\"description\":\"two\"}");
        wait_for(fixture, "demo", "two");
        write_in_place(fixture, "demo", "{\"description\":\"three\"}");
        wait_for(fixture, "demo", "three");
        write_in_place(fixture, "demo", "{");
        wait_for(fixture, "demo", "environment.json: not valid JSON");
        write_in_place(fixture, "demo", "{\"description\":\"four\"}");
        wait_for(fixture, "demo", "four");
        auto_environment *after = find(fixture, "demo");
        assert_string_equal(before->file.description, "one");
        assert_int_equal(after->rid, before->rid);
        assert_string_equal(after->id, before->id);
}

static void folders_come_and_go(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        open_registry(fixture);
        auto_free char *folder = folder_of(fixture, "demo"), *other = folder_of(fixture, "other");
        assert_int_equal(mkdir(folder, 0700), 0);
        wait_for(fixture, "demo", "there is no regular file environment.json");
        write_in_place(fixture, "demo", "{\"description\":\"here\"}");
        wait_for(fixture, "demo", "here");
        assert_int_equal(rename(folder, other), 0);
        wait_for(fixture, "other", "here");
        wait_for(fixture, "demo", NULL);
        write_in_place(fixture, "other", "{\"description\":\"still watched\"}");
        wait_for(fixture, "other", "still watched");
        assert_true(path_remove_tree(other, &error));
        wait_for(fixture, "other", NULL);
}

static void a_name_that_comes_back_is_another_environment(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        put(fixture, "demo", "{\"description\":\"first\"}");
        put(fixture, "kept", "{}");
        open_registry(fixture);
        auto_environment *first = find(fixture, "demo"), *kept = find(fixture, "kept");
        auto_free char *folder = folder_of(fixture, "demo");
        assert_true(path_remove_tree(folder, &error));
        wait_for(fixture, "demo", NULL);
        assert_null(environment_find_rid(fixture->environments, first->rid));
        put(fixture, "demo", "{\"description\":\"second\"}");
        wait_for(fixture, "demo", "second");
        auto_environment *second = find(fixture, "demo"), *still = find(fixture, "kept");
        assert_int_not_equal(second->rid, first->rid);
        assert_string_not_equal(second->id, first->id);
        assert_int_equal(still->rid, kept->rid);
        assert_string_equal(first->file.description, "first");
}

static void an_environment_without_its_file_keeps_its_identity(void **state)
{
        struct fixture *fixture = *state;

        put(fixture, "demo", "{\"description\":\"one\"}");
        open_registry(fixture);
        auto_environment *before = find(fixture, "demo");
        auto_free char *file = file_of(fixture, "demo");
        assert_int_equal(unlink(file), 0);
        wait_for(fixture, "demo", "there is no regular file environment.json");
        put(fixture, "demo", "{\"description\":\"two\"}");
        wait_for(fixture, "demo", "two");
        auto_environment *after = find(fixture, "demo");
        assert_int_equal(after->rid, before->rid);
}

static void identities_outlive_the_process_and_removals_meanwhile_are_noticed(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};
        struct store_environment *rows;
        size_t count;

        put(fixture, "gone", "{}");
        put(fixture, "kept", "{}");
        open_registry(fixture);
        auto_environment *before = find(fixture, "kept");
        environments_close(fixture->environments);
        fixture->environments = NULL;
        auto_free char *gone = folder_of(fixture, "gone");
        assert_true(path_remove_tree(gone, &error));
        open_registry(fixture);
        auto_environment *after = find(fixture, "kept");
        assert_string_equal(after->id, before->id);
        struct store_db *db = store_reader_open(fixture->store, &error);
        assert_true(store_environment_list(db, &rows, &count, &error));
        assert_int_equal(count, 1);
        assert_string_equal(rows[0].id, before->id);
        store_environment_clear(&rows[0]);
        free(rows);
        store_reader_close(db);
}

static void a_setup_folder_that_cannot_be_read_changes_nothing(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        put(fixture, "demo", "{\"description\":\"one\"}");
        open_registry(fixture);
        auto_environment *before = find(fixture, "demo");
        auto_free char *away = path_join(fixture->root, "away");
        assert_int_equal(rename(fixture->setup, away), 0);
        assert_false(environments_reload(fixture->environments, &error));
        assert_int_equal(error.code, ERROR_UNAVAILABLE);
        auto_environment *still = find(fixture, "demo");
        assert_int_equal(still->rid, before->rid);
        assert_int_equal(rename(away, fixture->setup), 0);
        write_in_place(fixture, "demo", "{\"description\":\"two\"}");
        wait_for(fixture, "demo", "two");
        write_in_place(fixture, "demo", "{\"description\":\"three\"}");
        wait_for(fixture, "demo", "three");
        auto_environment *after = find(fixture, "demo");
        assert_int_equal(after->rid, before->rid);
}

static void a_reading_on_request_needs_no_watch(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        open_registry(fixture);
        put(fixture, "demo", "{\"description\":\"now\"}");
        uint64_t generation = environments_generation(fixture->environments);
        assert_true(environments_reload(fixture->environments, &error));
        assert_true(environments_generation(fixture->environments) > generation);
        auto_environment *demo = find(fixture, "demo");
        assert_string_equal(demo->file.description, "now");
}

#define VIEWS (UINT64_C(1) << PERMISSION_TASKS_VIEW)
#define CREATES (UINT64_C(1) << PERMISSION_TASKS_CREATE)
#define READS_DETAILS (UINT64_C(1) << PERMISSION_ENVIRONMENTS_VIEW_DETAILS)

/* A person with one binding, in the environment. */
static struct grants *grants_in(int64_t environment, uint64_t permissions)
{
        struct grants *grants = memory_new(sizeof *grants + sizeof grants->environments[0]);

        grants->count = 1;
        grants->environments[0].environment = environment;
        grants->environments[0].permissions = permissions;
        return grants;
}

static void an_environment_that_is_not_seen_is_as_if_it_did_not_exist(void **state)
{
        struct fixture *fixture = *state;
        auto_error hidden = {0}, absent = {0}, none = {0};

        put(fixture, "open", "{}");
        put(fixture, "closed", "{}");
        open_registry(fixture);
        auto_environment *open_one = find(fixture, "open");
        auto_free struct grants *grants = grants_in(open_one->rid, VIEWS);
        struct actor actor = {.grants = grants};
        struct services services = {.environments = fixture->environments};
        struct call call = {.services = &services, .actor = &actor};
        assert_null(environment_require(&call, "closed", &hidden));
        assert_null(environment_require(&call, "nowhere", &absent));
        assert_int_equal(hidden.code, ERROR_ENVIRONMENT_NOT_FOUND);
        assert_int_equal(absent.code, ERROR_ENVIRONMENT_NOT_FOUND);
        assert_string_equal(hidden.message, absent.message);
        auto_environment *seen = environment_require(&call, "open", &none);
        assert_ptr_equal(seen, open_one);
}

/* What list_environments answers somebody who is bound in the environment called demo. */
static char *list_for(struct fixture *fixture, uint64_t permissions)
{
        auto_error error = {0};
        auto_environment *demo = find(fixture, "demo");
        auto_free struct grants *grants = grants_in(demo->rid, permissions);
        struct actor actor = {.grants = grants};
        struct services services = {.environments = fixture->environments};
        struct call call = {.services = &services, .actor = &actor};
        json_t *result;

        assert_true(environment_list(&call, &result, &error));
        char *printed = document_print(result);
        json_decref(result);
        return printed;
}

static void the_list_tells_each_person_what_concerns_them(void **state)
{
        struct fixture *fixture = *state;

        put(fixture, "demo",
            "{\"description\": \"Try it\", \"repositories\": [{\"url\": \"https://host/app\", \"branch\": "
            "\"dev\"}]}");
        put(fixture, "other", "{}");
        open_registry(fixture);
        auto_free char *viewer = list_for(fixture, VIEWS), *creator = list_for(fixture, VIEWS | CREATES),
                       *manager = list_for(fixture, READS_DETAILS);
        assert_string_equal(viewer, "{\"environments\":[{\"name\":\"demo\",\"description\":\"Try it\",\"status\":"
                                    "\"active\",\"repositories\":[{\"name\":\"app\",\"branch\":\"dev\"}],"
                                    "\"defaultAgent\":\"shell\",\"agents\":[\"shell\"],\"canCreateTasks\":false}]}");
        assert_non_null(strstr(creator, "\"canCreateTasks\":true"));
        assert_null(strstr(creator, "https://host/app"));
        assert_non_null(strstr(manager, "\"url\":\"https://host/app\""));
}

static void the_list_tells_why_an_environment_is_disabled(void **state)
{
        struct fixture *fixture = *state;

        put(fixture, "demo", "{\"imagee\":\"x\"}");
        open_registry(fixture);
        auto_free char *list = list_for(fixture, VIEWS | CREATES);
        assert_non_null(strstr(list,
                               "\"status\":\"disabled\",\"statusReason\":\"environment.json: imagee is not known; "
                               "did you mean image?\""));
        assert_non_null(strstr(list, "\"canCreateTasks\":false"));
}

static void *read_many_times(void *context)
{
        for (int i = 0; i < 2000; i++) {
                auto_environment *demo = environment_find(context, "demo");
                auto_environment *same = demo ? environment_find_rid(context, demo->rid) : NULL;
                if (!demo || !same || strncmp(same->file.description, "text ", 5))
                        return context;
        }
        return NULL;
}

static void readers_are_not_disturbed_by_changes(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};
        pthread_t threads[2];
        void *failed;

        put(fixture, "demo", "{\"description\":\"text 0\"}");
        open_registry(fixture);
        for (size_t i = 0; i < COUNT_OF(threads); i++)
                pthread_create(&threads[i], NULL, read_many_times, fixture->environments);
        for (int i = 0; i < 20; i++) {
                auto_free char *content = text_format("{\"description\":\"text %d\"}", i);
                put(fixture, "demo", content);
                assert_true(environments_reload(fixture->environments, &error));
        }
        for (size_t i = 0; i < COUNT_OF(threads); i++) {
                pthread_join(threads[i], &failed);
                assert_null(failed);
        }
}

static void tests_and_the_app_server_are_read_and_checked(void **state)
{
        struct fixture *fixture = *state;
        static const struct {
                const char *content, *reason;
        } wrong[] = {
                {"{\"tests\":[{\"name\":\"a\",\"command\":\"x\"},{\"name\":\"a\",\"command\":\"y\"}]}",
                 "tests[1].name is a"},
                {"{\"tests\":[{\"name\":\"a\",\"command\":\"x\",\"parameters\":[{\"name\":\"A-B\"}]}]}",
                 "tests[0].parameters[0].name"},
                {"{\"tests\":[{\"name\":\"a\"}]}", "tests[0].command"},
                {"{\"appServer\":{\"command\":\"x\"}}", "appServer.port"},
                {"{\"appServer\":{\"command\":\"x\",\"port\":80,\"readiness\":{\"path\":\"health\"}}}",
                 "appServer.readiness.path"},
                {"{\"network\":\"host\",\"appServer\":{\"command\":\"x\",\"port\":80}}", "network"},
        };

        put(fixture, "good",
            "{\"tests\":[{\"name\":\"unit tests\",\"command\":\"make "
            "test\",\"timeoutSeconds\":60,\"parameters\":[{\"name\":"
            "\"ONLY\",\"label\":\"Only\",\"default\":\"all\"}]}],\"appServer\":{\"command\":\"./"
            "serve\",\"port\":8080}}");
        for (size_t i = 0; i < COUNT_OF(wrong); i++) {
                auto_free char *name = text_format("wrong%zu", i);
                put(fixture, name, wrong[i].content);
        }
        open_registry(fixture);
        auto_environment *good = environment_find(fixture->environments, "good");
        assert_null(good->broken_reason);
        const struct environment_test *test = good->file.tests.items;
        assert_int_equal(good->file.tests.count, 1);
        assert_string_equal(test->name, "unit tests");
        assert_int_equal(test->timeoutSeconds, 60);
        assert_int_equal(test->parameters.count, 1);
        assert_int_equal(good->file.appServer->port, 8080);
        assert_null(good->file.appServer->readiness->path);
        assert_int_equal(good->file.appServer->readiness->timeoutSeconds, 60);
        for (size_t i = 0; i < COUNT_OF(wrong); i++) {
                auto_free char *name = text_format("wrong%zu", i);
                auto_environment *broken = environment_find(fixture->environments, name);
                if (!broken->broken_reason || !strstr(broken->broken_reason, wrong[i].reason))
                        fail_msg("row %zu: %s", i, broken->broken_reason ? broken->broken_reason : "is taken");
        }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int run_environment_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(missing_folders_are_made_and_nothing_in_them),
                TEST(an_empty_object_is_an_environment_of_defaults),
                TEST(every_member_is_read),
                TEST(tests_and_the_app_server_are_read_and_checked),
                TEST(a_mistake_disables_its_environment_alone_and_is_explained),
                TEST(a_reason_never_repeats_what_the_file_holds),
                TEST(a_disabled_environment_starts_nothing),
                TEST(a_name_that_is_not_allowed_is_shown_as_broken_and_has_no_identity),
                TEST(links_are_not_followed),
                TEST(a_changed_file_is_taken_up),
                TEST(folders_come_and_go),
                TEST(a_name_that_comes_back_is_another_environment),
                TEST(an_environment_without_its_file_keeps_its_identity),
                TEST(identities_outlive_the_process_and_removals_meanwhile_are_noticed),
                TEST(a_setup_folder_that_cannot_be_read_changes_nothing),
                TEST(a_reading_on_request_needs_no_watch),
                TEST(an_environment_that_is_not_seen_is_as_if_it_did_not_exist),
                TEST(the_list_tells_each_person_what_concerns_them),
                TEST(the_list_tells_why_an_environment_is_disabled),
                TEST(readers_are_not_disturbed_by_changes),
        };

        return cmocka_run_group_tests_name("environment", tests, NULL, NULL);
}
