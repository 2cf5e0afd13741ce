#include <dirent.h>
#include <sys/stat.h>

#include "server/base/path.h"
#include "server/store/meta.h"
#include "tests/admin/fixture.h"
#include "tests/admin/suites.h"

static void fill_data(struct fixture *fixture)
{
        static const char *const files[][2] = {
                {"records/1-a/log.txt", "said"},     {"setup/environments/demo/environment.json", "{}"},
                {"setup/environments/.hidden", "h"}, {"key", "the key"},
                {"git-credentials", "token"},        {"config.json", "{\"IDLE_STOP_MINUTES\": 9}"},
        };
        auto_json *user = run_json(fixture, "user|add|ann|--role|Viewer");

        for (size_t i = 0; i < COUNT_OF(files); i++) {
                auto_free char *path = path_join(fixture->data, files[i][0]);
                write_file(path, files[i][1]);
        }
}

static char *content_of(const char *folder, const char *name)
{
        auto_free char *path = path_join(folder, name);
        struct text text = TEXT_WITH_MAXIMUM(1000);
        auto_error error = {0};

        return path_read(path, 1000, &text, NULL, &error) ? text_take(&text) : NULL;
}

static void expect_content(const char *folder, const char *name, const char *content)
{
        auto_free char *found = content_of(folder, name);

        if (content) {
                assert_non_null(found);
                assert_string_equal(found, content);
        } else {
                assert_null(found);
        }
}

static void restore_into(struct fixture *fixture, const char *words)
{
        auto_ran ran = run(fixture, words);

        if (ran.status)
                fail_msg("%s", text_string(&ran.errors));
}

static void round_trip(struct fixture *fixture)
{
        auto_free char *file = root_path(fixture, "all.tar"), *other = root_path(fixture, "other");
        auto_free char *backup = text_format("backup|%s", file),
                       *restore = text_format("--data|%s|restore|%s", other, file);
        auto_free char *list = text_format("--data|%s|user|list", other);
        struct stat info;

        auto_json *made = run_json(fixture, backup);
        assert_int_equal(stat(file, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
        assert_int_equal(document_get_integer(made, "bytes", 0), info.st_size);
        restore_into(fixture, restore);
        expect_content(other, "records/1-a/log.txt", "said");
        expect_content(other, "setup/environments/demo/environment.json", "{}");
        expect_content(other, "setup/environments/.hidden", "h");
        expect_content(other, "config.json", "{\"IDLE_STOP_MINUTES\": 9}");
        expect_content(other, "key", NULL);
        expect_content(other, "git-credentials", NULL);
        expect_content(other, "manifest.json", NULL);
        auto_json *users = run_json(fixture, list);
        assert_string_equal(document_get_string(json_array_get(json_object_get(users, "users"), 0), "name"), "ann");
        assert_int_equal(stat(other, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0700);
}

static void a_backup_without_a_server_is_restored(void **state)
{
        fill_data(*state);
        round_trip(*state);
}

static void a_backup_of_a_running_server_is_restored(void **state)
{
        fill_data(*state);
        start_server(*state);
        round_trip(*state);
}

/* The id of the store in the folder, made when it has none; the caller's. */
static char *server_id_of(const char *folder)
{
        auto_error error = {0};
        struct store *store = store_open(folder, &error);

        assert_non_null(store);
        char *id = store_server_id(store, &error);
        store_close(store);
        assert_non_null(id);
        return id;
}

static void what_is_restored_is_a_store_of_its_own_and_says_how_to_find_the_original_s_containers(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *file = root_path(fixture, "all.tar"), *other = root_path(fixture, "other");
        auto_free char *backup = text_format("backup|%s", file),
                       *restore = text_format("--data|%s|restore|%s", other, file);

        fill_data(fixture);
        auto_free char *original = server_id_of(fixture->data);
        auto_json *made = run_json(fixture, backup);
        auto_ran ran = run(fixture, restore);
        assert_int_equal(ran.status, 0);
        auto_free char *filter = text_format("docker ps --all --filter label=longshore.server=%s", original);
        assert_non_null(strstr(text_string(&ran.out), filter));
        auto_free char *copy = server_id_of(other), *still = server_id_of(fixture->data), *again = server_id_of(other);
        assert_string_not_equal(copy, original);
        assert_string_equal(still, original);
        assert_string_equal(again, copy);
}

static void the_key_goes_along_only_when_it_is_asked_for(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *file = root_path(fixture, "all.tar"), *other = root_path(fixture, "other");
        auto_free char *backup = text_format("backup|%s|--with-key", file);
        auto_free char *restore = text_format("--data|%s|restore|%s", other, file);

        fill_data(fixture);
        auto_json *made = run_json(fixture, backup);
        restore_into(fixture, restore);
        expect_content(other, "key", "the key");
        expect_content(other, "git-credentials", "token");
}

static void a_backup_never_replaces_a_file(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *file = root_path(fixture, "mine"), *backup = text_format("backup|%s", file);

        fill_data(fixture);
        write_file(file, "precious");
        auto_ran ran = run(fixture, backup);
        assert_int_equal(ran.status, 1);
        assert_non_null(strstr(text_string(&ran.errors), "exists already"));
        expect_content(fixture->root, "mine", "precious");
}

static void a_folder_that_holds_something_is_never_restored_into(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *file = root_path(fixture, "all.tar"), *backup = text_format("backup|%s", file);
        auto_free char *restore = text_format("restore|%s", file);

        fill_data(fixture);
        auto_json *made = run_json(fixture, backup);
        auto_ran ran = run(fixture, restore);
        assert_int_equal(ran.status, 1);
        assert_non_null(strstr(text_string(&ran.errors), "is not empty"));
}

static size_t entries_in(const char *folder)
{
        DIR *listing = opendir(folder);
        size_t count = 0;

        while (readdir(listing))
                count++;
        closedir(listing);
        return count - 2;
}

static void what_is_no_backup_leaves_nothing_behind(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *text = root_path(fixture, "text"), *tar = root_path(fixture, "tar");
        auto_free char *of_text = text_format("restore|%s", text), *of_tar = text_format("restore|%s", tar);
        auto_free char *command = text_format("tar -cf %s -C %s text", tar, fixture->root);

        write_file(text, "this is no archive");
        assert_int_equal(system(command), 0);
        auto_ran first = run(fixture, of_text), second = run(fixture, of_tar), third = run(fixture, "restore|/nowhere");
        assert_int_equal(first.status, 1);
        assert_non_null(strstr(text_string(&first.errors), "tar failed: "));
        assert_int_equal(second.status, 1);
        assert_non_null(strstr(text_string(&second.errors), "the file is not a backup: it has no manifest.json"));
        assert_int_equal(third.status, 1);
        assert_int_equal(entries_in(fixture->root), 2);
}

static void a_damaged_store_is_not_restored(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *stage = root_path(fixture, "stage"), *tar = root_path(fixture, "tar");
        auto_free char *manifest = path_join(stage, "manifest.json"), *store = path_join(stage, "store.db");
        auto_free char *command = text_format("tar -cf %s -C %s .", tar, stage),
                       *restore = text_format("restore|%s", tar);

        write_file(manifest, "{\"format\": 1}");
        write_file(store, "this is no database, and long enough that SQLite does not take it for an empty one");
        assert_int_equal(system(command), 0);
        auto_ran ran = run(fixture, restore);
        assert_int_equal(ran.status, 1);
        assert_non_null(strstr(text_string(&ran.errors), "not a database"));
        assert_int_equal(entries_in(fixture->root), 2);
}

int run_backup_tests(void)
{
#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, fixture_open, fixture_close)
        const struct CMUnitTest tests[] = {
                WITH_FIXTURE(a_backup_without_a_server_is_restored),
                WITH_FIXTURE(what_is_restored_is_a_store_of_its_own_and_says_how_to_find_the_original_s_containers),
                WITH_FIXTURE(a_backup_of_a_running_server_is_restored),
                WITH_FIXTURE(the_key_goes_along_only_when_it_is_asked_for),
                WITH_FIXTURE(a_backup_never_replaces_a_file),
                WITH_FIXTURE(a_folder_that_holds_something_is_never_restored_into),
                WITH_FIXTURE(what_is_no_backup_leaves_nothing_behind),
                WITH_FIXTURE(a_damaged_store_is_not_restored),
        };

        return cmocka_run_group_tests_name("backup", tests, NULL, NULL);
}
