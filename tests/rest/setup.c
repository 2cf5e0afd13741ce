/* The first administrator, made with the one-time code. */
#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/setup.h"
#include "server/services/setup_code.h"
#include "tests/rest/browser.h"

static int open_empty(void **state)
{
        int failed = rest_set_up_empty(state);
        struct rest_fixture *fixture = failed ? NULL : *state;
        auto_error error = {0};

        setup_limit_reset();
        if (failed)
                return failed;
        struct store_db *reader = store_reader_open(fixture->services.store, &error);
        assert_true(reader && setup_open(&fixture->services, reader, &error));
        store_reader_close(reader);
        return 0;
}

static char *code_in_file(const struct rest_fixture *fixture)
{
        auto_free char *path = path_join(fixture->root, SETUP_CODE_NAME);
        auto_text code = TEXT_WITH_MAXIMUM(64);
        auto_error error = {0};

        return path_read(path, 64, &code, NULL, &error) ? text_take(&code) : NULL;
}

static struct reply *set_up(struct rest_fixture *fixture, const char *code, const char *name)
{
        auto_free char *body =
                text_format("{\"code\":\"%s\",\"name\":\"%s\",\"password\":\"correct horse\"}", code, name);

        return ask(fixture->connection, "POST", "/setup", JSON_TYPE, body);
}

static void expect_needed(struct rest_fixture *fixture, const char *body)
{
        auto_reply *reply = ask(fixture->connection, "GET", "/setup", "", NULL);

        assert_int_equal(reply->status, 200);
        assert_string_equal(reply->body, body);
}

static void the_code_makes_one_administrator_with_a_session(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *code = code_in_file(fixture);
        auto_error error = {0};

        expect_needed(fixture, "{\"needed\":true}");
        auto_reply *reply = set_up(fixture, code, "ana");
        assert_int_equal(reply->status, 201);
        assert_null(strstr(reply->body, "\"token\""));
        struct browser_session session = browser_session_of(reply);
        auto_reply *shown = ask(fixture->connection, "GET", "/me", session.cookie, NULL);
        auto_json *me = document_parse(shown->body, shown->length, &error);
        assert_string_equal(document_get_string(me, "name"), "ana");
        assert_true(json_is_true(json_object_get(me, "isServerAdministrator")));
        assert_int_equal(browser_status(fixture, "POST", "/users", &session, "{\"name\":\"ben\"}"), 201);
        expect_needed(fixture, "{\"needed\":false}");
        assert_null(code_in_file(fixture));
        auto_reply *again = set_up(fixture, code, "eve");
        assert_int_equal(again->status, 409);
        browser_begin(fixture, "ana", "correct horse");
}

static void a_code_may_be_typed_in_small_letters_without_dashes(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *code = code_in_file(fixture);
        char typed[64], *end = typed;

        for (const char *letter = code; *letter; letter++)
                if (*letter != '-')
                        *end++ = (char)(*letter + 32);
        *end = '\0';
        auto_reply *reply = set_up(fixture, typed, "ana");
        assert_int_equal(reply->status, 201);
}

static void wrong_codes_are_limited_also_for_the_right_one(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *code = code_in_file(fixture);

        for (int i = 0; i < 10; i++) {
                auto_reply *wrong = set_up(fixture, "BCDF-BCDF-BCDF-BCDF", "ana");
                assert_int_equal(wrong->status, 403);
        }
        auto_reply *refused = set_up(fixture, code, "ana");
        assert_int_equal(refused->status, 429);
        assert_non_null(reply_header(refused, "Retry-After"));
        expect_needed(fixture, "{\"needed\":true}");
}

static void a_user_of_the_command_line_ends_it(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *code = code_in_file(fixture);
        auto_free char *key = rest_key(fixture, "ana", "Server Admin");

        assert_null(code_in_file(fixture));
        auto_reply *late = set_up(fixture, code, "eve");
        assert_int_equal(late->status, 409);
        expect_needed(fixture, "{\"needed\":false}");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_empty, rest_tear_down)

int run_setup_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(the_code_makes_one_administrator_with_a_session),
                TEST(a_code_may_be_typed_in_small_letters_without_dashes),
                TEST(wrong_codes_are_limited_also_for_the_right_one),
                TEST(a_user_of_the_command_line_ends_it),
        };

        return cmocka_run_group_tests_name("setup", tests, NULL, NULL);
}
