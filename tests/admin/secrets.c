/* Secrets and accounts on the command line, with a server and without. */
#include "server/base/path.h"
#include "tests/admin/fixture.h"
#include "tests/admin/suites.h"

#define VALUE "the-value-itself"

static void expect_refused(struct ran ran, int status, const char *words)
{
        auto_ran owned = ran;

        assert_int_equal(owned.status, status);
        assert_non_null(strstr(text_string(&owned.errors), words));
}

static void a_secret_comes_by_standard_input_or_a_file_never_as_an_argument(void **state)
{
        struct fixture *fixture = *state;
        auto_json *user = run_json(fixture, "user|add|ann");
        auto_free char *file = root_path(fixture, "cert"),
                       *words = text_format("secret|set|CERT|--user|ann|--as|file|--path|tls/x|--file|%s", file);

        write_file(file, "line one\nline two\n");
        auto_ran set = run_with_input(fixture, VALUE "\n", "--json|secret|set|TOKEN|--user|ann");
        auto_json *from_file = run_json(fixture, words);
        assert_int_equal(set.status, 0);
        assert_null(strstr(text_string(&set.out), VALUE));
        assert_string_equal(document_get_string(from_file, "path"), "tls/x");
        expect_refused(run(fixture, "secret|set|TOKEN|--user|ann|--value|x"), 2, "seen by others");
        expect_refused(run_with_input(fixture, "", "secret|set|TOKEN|--user|ann"), 2, "no value came");
        expect_refused(run_with_input(fixture, "\xff\xfe\n", "secret|set|TOKEN|--user|ann"), 2, "UTF-8");
        expect_refused(run_with_input(fixture, "x\n", "secret|set|token|--user|ann"), 2, "capital letter");
        expect_refused(run_with_input(fixture, "x\n", "secret|set|TOKEN"), 1, "environment or user");
        expect_refused(run_with_input(fixture, "x\n", "secret|set|TOKEN|--environment|none"), 1, "no environment");
        expect_refused(run(fixture, "secret|set|TOKEN|--user|ann|--file|/nowhere"), 2, "/nowhere");
        auto_ran listed = run(fixture, "secret|list");
        assert_non_null(strstr(text_string(&listed.out), "TOKEN"));
        assert_non_null(strstr(text_string(&listed.out), "CERT"));
        assert_null(strstr(text_string(&listed.out), VALUE));
        assert_non_null(user);
}

static void secrets_change_at_once_in_the_running_server(void **state)
{
        struct fixture *fixture = *state;

        start_server(fixture);
        auto_json *user = run_json(fixture, "user|add|ann");
        auto_ran set = run_with_input(fixture, VALUE "\n", "--json|secret|set|TOKEN|--user|ann");
        auto_json *listed = run_json(fixture, "secret|list|--user|ann");
        assert_int_equal(set.status, 0);
        assert_int_equal(json_array_size(json_object_get(listed, "secrets")), 1);
        auto_json *removed = run_json(fixture, "secret|rm|TOKEN|--user|ann");
        expect_refused(run(fixture, "secret|rm|TOKEN|--user|ann"), 1, "no secret TOKEN");
        expect_refused(run_with_input(fixture, "x\n", "account|set|nobody|--variable|KEY"), 1, "no agent nobody");
        expect_refused(run_with_input(fixture, "x\n", "account|set|shell|--variable|KEY"), 1, "needs no account");
        auto_json *accounts = run_json(fixture, "account|list");
        assert_int_equal(json_array_size(json_object_get(accounts, "accounts")), 0);
        assert_non_null(user);
        assert_non_null(removed);
}

static void a_store_whose_key_is_lost_takes_no_secret_until_the_old_are_given_up(void **state)
{
        struct fixture *fixture = *state;
        auto_json *user = run_json(fixture, "user|add|ann");
        auto_free char *key = path_join(fixture->data, "key");
        auto_ran set = run_with_input(fixture, VALUE "\n", "secret|set|TOKEN|--user|ann");

        assert_int_equal(set.status, 0);
        assert_int_equal(unlink(key), 0);
        expect_refused(run_with_input(fixture, VALUE "\n", "secret|set|TOKEN|--user|ann"), 1, key);
        auto_json *forgotten = run_json(fixture, "secret|forget");
        auto_ran again = run_with_input(fixture, VALUE "\n", "secret|set|TOKEN|--user|ann");
        assert_int_equal(again.status, 0);
        assert_int_equal(access(key, F_OK), 0);
        assert_int_equal(document_get_integer(forgotten, "forgotten", 0), 1);
        assert_non_null(user);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int run_secret_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(a_secret_comes_by_standard_input_or_a_file_never_as_an_argument),
                TEST(secrets_change_at_once_in_the_running_server),
                TEST(a_store_whose_key_is_lost_takes_no_secret_until_the_old_are_given_up),
        };

        return cmocka_run_group_tests_name("secrets", tests, NULL, NULL);
}
