/* The command line: how it is read, and its commands without a server. */
#include <sys/stat.h>

#include "server/services/setting.h"
#include "tests/admin/fixture.h"
#include "tests/admin/suites.h"

static void expect_usage(struct fixture *fixture, const char *words, const char *message)
{
        auto_ran ran = run(fixture, words);
        auto_free char *line = text_format("longshored: %s\n", message);

        assert_int_equal(ran.status, 2);
        assert_string_equal(text_string(&ran.errors), line);
        assert_string_equal(text_string(&ran.out), "");
}

static void a_wrong_command_line_ends_with_2_and_says_what_would_be_right(void **state)
{
        struct fixture *fixture = *state;

        expect_usage(fixture, "", "there is no command ; see longshored --help");
        expect_usage(fixture, "srve", "there is no command srve; did you mean serve?");
        expect_usage(fixture, "user|ad", "there is no command user ad; did you mean user add?");
        expect_usage(fixture, "user|add", "name is required: The new user's name.");
        expect_usage(fixture, "user|add|a b", "name must be 1 to 64 letters, digits, or one of . _ - @ +");
        expect_usage(fixture, "user|add|ann|bob", "bob is one argument too many");
        expect_usage(fixture, "user|add|ann|--rule|x", "--rule is not known here; see longshored --help");
        expect_usage(fixture, "user|add|ann|--role", "--role needs a value");
        expect_usage(fixture, "user|add|ann|--password|x",
                     "a password on the command line is seen by others: use --password-stdin");
        expect_usage(fixture, "key|add|ann", "name is required: What the key is for, to tell it from others.");
        expect_usage(fixture, "key|add|ann|--name|x|--expires-days|soon", "expiresDays must be an integer");
        expect_usage(fixture, "serve|--port|70000", "PORT must be from 0 to 65535");
        assert_int_not_equal(access(fixture->data, F_OK), 0);
}

static void help_tells_of_every_setting(void **state)
{
        auto_ran ran = run(*state, "--help");
        auto_ran one = run(*state, "key|add|--help");

        assert_int_equal(ran.status, 0);
        for (size_t i = 0; i < settings_table.count; i++)
                assert_non_null(strstr(text_string(&ran.out), settings_table.rows[i].name));
        assert_int_equal(one.status, 0);
        assert_non_null(strstr(text_string(&one.out), "longshored key add [user]\n"));
        assert_non_null(strstr(text_string(&one.out), "--expires-days"));
}

static void a_user_and_a_key_are_made_without_a_server(void **state)
{
        struct fixture *fixture = *state;
        struct stat info;
        auto_json *user = run_json(fixture, "user|add|ann|--role|Server Admin");
        auto_json *key = run_json(fixture, "key|add|ann|--name=laptop|--expires-days|3");
        auto_json *keys = run_json(fixture, "key|list|ann");
        auto_json *bindings = run_json(fixture, "access|list");

        assert_string_equal(document_get_string(user, "name"), "ann");
        assert_memory_equal(document_get_string(key, "key"), "lsk_", 4);
        json_t *listed = json_array_get(json_object_get(keys, "keys"), 0);
        assert_string_equal(document_get_string(listed, "name"), "laptop");
        assert_string_equal(document_get_string(listed, "expiresAt"), document_get_string(key, "expiresAt"));
        json_t *binding = json_array_get(json_object_get(bindings, "bindings"), 0);
        assert_string_equal(document_get_string(binding, "scope"), "server");
        assert_int_equal(stat(fixture->data, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0700);
}

static void a_failure_ends_with_1_and_its_reason(void **state)
{
        struct fixture *fixture = *state;
        auto_ran words = run(fixture, "user|disable|nobody");
        auto_ran json = run(fixture, "--json|user|disable|nobody");

        assert_int_equal(words.status, 1);
        assert_string_equal(text_string(&words.errors), "longshored: there is no user nobody\n");
        assert_int_equal(json.status, 1);
        assert_string_equal(text_string(&json.out),
                            "{\"error\":\"user_not_found\",\"message\":\"there is no user nobody\"}\n");
}

static void a_password_comes_by_standard_input(void **state)
{
        struct fixture *fixture = *state;
        auto_ran none = run(fixture, "user|add|ann|--password-stdin");
        auto_ran shorter = run_with_input(fixture, "short\n", "user|add|ann|--password-stdin");
        auto_ran good = run_with_input(fixture, "correct horse\n", "user|add|ann|--password-stdin");
        auto_ran changed = run_with_input(fixture, "battery staple\n", "user|password|ann|--password-stdin");
        auto_json *users = run_json(fixture, "user|list");

        assert_int_equal(none.status, 2);
        assert_int_equal(shorter.status, 2);
        assert_int_equal(good.status, 0);
        assert_int_equal(changed.status, 0);
        json_t *user = json_array_get(json_object_get(users, "users"), 0);
        assert_true(json_is_true(json_object_get(user, "hasPassword")));
}

static void lists_are_tables_in_words(void **state)
{
        struct fixture *fixture = *state;
        auto_ran none = run(fixture, "user|list");
        auto_json *user = run_json(fixture, "user|add|ann");
        auto_ran one = run(fixture, "user|list");

        assert_string_equal(text_string(&none.out), "no users\n");
        assert_memory_equal(text_string(&one.out), "name  id ", 9);
        assert_non_null(strstr(text_string(&one.out), "\nann   user-"));
}

static void the_sources_of_a_setting_are_told(void **state)
{
        struct fixture *fixture = *state;
        auto_json *flag = run_json(fixture, "--port|4000|setting|get|PORT");
        auto_json *stored = run_json(fixture, "setting|set|port|4001");
        auto_ran pinned = run(fixture, "--port|4000|setting|set|PORT|4002");

        assert_string_equal(document_get_string(flag, "source"), "flag");
        assert_string_equal(document_get_string(stored, "source"), "stored");
        assert_int_equal(pinned.status, 1);
        assert_non_null(strstr(text_string(&pinned.errors), "PORT is pinned by a flag"));
}

static void the_doctor_finds_what_is_broken_and_makes_nothing(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *words = text_format("--json|doctor|--docker-host|unix://%s/none.sock", fixture->root);
        auto_ran ran = run(fixture, words);
        auto_error error = {0};

        assert_int_equal(ran.status, 1);
        auto_json *report = document_parse(text_string(&ran.out), ran.out.length, &error);
        assert_true(json_is_false(json_object_get(report, "healthy")));
        json_t *engine = json_array_get(json_object_get(report, "checks"), 0);
        assert_string_equal(document_get_string(engine, "check"), "engine");
        assert_string_equal(document_get_string(engine, "status"), "failed");
        assert_int_not_equal(access(fixture->data, F_OK), 0);
}

static void the_doctor_runs_although_the_store_is_damaged(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *path = text_format("%s/store.db", fixture->data);
        auto_ran made = run(fixture, "user|list");

        assert_int_equal(made.status, 0);
        write_file(path, "this is no database, and long enough that SQLite does not take it for an empty one");
        auto_ran ran = run(fixture, "doctor");
        assert_int_equal(ran.status, 1);
        assert_non_null(strstr(text_string(&ran.out), "the store cannot be opened"));
        assert_non_null(strstr(text_string(&ran.errors), "file is not a database"));
}

static void the_version_is_printed(void **state)
{
        auto_ran ran = run(*state, "version");
        auto_ran migrated = run(*state, "migrate");

        assert_string_equal(text_string(&ran.out), "longshored " LONGSHORE_VERSION "\n");
        assert_int_equal(migrated.status, 0);
}

int run_command_line_tests(void)
{
#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, fixture_open, fixture_close)
        const struct CMUnitTest tests[] = {
                WITH_FIXTURE(a_wrong_command_line_ends_with_2_and_says_what_would_be_right),
                WITH_FIXTURE(help_tells_of_every_setting),
                WITH_FIXTURE(a_user_and_a_key_are_made_without_a_server),
                WITH_FIXTURE(a_failure_ends_with_1_and_its_reason),
                WITH_FIXTURE(a_password_comes_by_standard_input),
                WITH_FIXTURE(lists_are_tables_in_words),
                WITH_FIXTURE(the_sources_of_a_setting_are_told),
                WITH_FIXTURE(the_doctor_finds_what_is_broken_and_makes_nothing),
                WITH_FIXTURE(the_doctor_runs_although_the_store_is_damaged),
                WITH_FIXTURE(the_version_is_printed),
        };

        return cmocka_run_group_tests_name("command line", tests, NULL, NULL);
}
