/* Keys for command lines on other machines: the program's questions, and the person's pages. */
#include "server/services/device.h"

#include "server/base/document.h"
#include "server/services/login_limit.h"
#include "tests/rest/browser.h"

#define FORM_TYPE "Content-Type: application/x-www-form-urlencoded\r\n"

/* What a program has begun. */
struct program {
        char device_code[64], user_code[16];
};

static int open_device(void **state)
{
        int failed = rest_set_up(state);
        struct rest_fixture *fixture = *state;

        fixture->services.address = "http://127.0.0.1:1";
        device_limit_reset();
        login_limit_reset();
        return failed;
}

static struct program start(struct rest_fixture *fixture)
{
        auto_reply *reply = ask(fixture->connection, "POST", "/device/code", JSON_TYPE, "{\"name\":\"<laptop>\"}");
        struct program program;
        auto_error error = {0};

        assert_int_equal(reply->status, 200);
        auto_json *begun = document_parse(reply->body, reply->length, &error);
        snprintf(program.device_code, sizeof program.device_code, "%s", document_get_string(begun, "device_code"));
        snprintf(program.user_code, sizeof program.user_code, "%s", document_get_string(begun, "user_code"));
        assert_string_equal(document_get_string(begun, "verification_uri"), "http://127.0.0.1:1/device");
        assert_non_null(strstr(document_get_string(begun, "verification_uri_complete"), program.user_code));
        assert_int_equal(document_get_integer(begun, "interval", 0), 5);
        return program;
}

static struct reply *poll_once(struct rest_fixture *fixture, const struct program *program)
{
        auto_free char *body = text_format("{\"device_code\":\"%s\"}", program->device_code);

        return ask(fixture->connection, "POST", "/device/token", JSON_TYPE, body);
}

static void expect_poll(struct rest_fixture *fixture, const struct program *program, const char *code)
{
        auto_reply *reply = poll_once(fixture, program);
        auto_free char *expected = text_format("\"error\":\"%s\"", code);

        assert_int_equal(reply->status, 400);
        if (!strstr(reply->body, expected))
                fail_msg("%s is not %s", reply->body, code);
}

static int decide(struct rest_fixture *fixture, const struct browser_session *session, const char *user_code,
                  const char *body)
{
        auto_free char *path = text_format("/device/codes/%s", user_code);

        return browser_status(fixture, "POST", path, session, body);
}

static struct browser_session sign_in(struct rest_fixture *fixture)
{
        browser_person(fixture, "vera", "Viewer");
        return browser_begin(fixture, "vera", "correct horse");
}

static void who_was_allowed_gets_one_key_once(void **state)
{
        struct rest_fixture *fixture = *state;
        struct browser_session session = sign_in(fixture);
        struct program program = start(fixture);
        auto_error error = {0};

        auto_free char *path = text_format("/device/codes/%s", program.user_code);
        auto_reply *shown = ask(fixture->connection, "GET", path, session.cookie, NULL);
        assert_int_equal(shown->status, 200);
        assert_non_null(strstr(shown->body, "\"name\":\"<laptop>\""));
        assert_int_equal(decide(fixture, &session, program.user_code, "{\"allow\":true}"), 200);
        assert_int_equal(decide(fixture, &session, program.user_code, "{\"allow\":false}"), 404);
        auto_reply *reply = poll_once(fixture, &program);
        assert_int_equal(reply->status, 200);
        auto_json *made = document_parse(reply->body, reply->length, &error);
        assert_string_equal(document_get_string(made, "user"), "vera");
        assert_string_equal(document_get_string(made, "token_type"), "Bearer");
        auto_free char *headers = rest_bearer(document_get_string(made, "access_token"));
        auto_reply *me = ask(fixture->connection, "GET", "/me", headers, NULL);
        assert_non_null(strstr(me->body, "\"name\":\"vera\""));
        expect_poll(fixture, &program, "expired_token");
        auto_free char *root = rest_bearer(fixture->administrator);
        auto_reply *audit = ask(fixture->connection, "GET", "/audit?limit=20", root, NULL);
        assert_non_null(strstr(audit->body, "device.allow"));
        assert_null(strstr(audit->body, document_get_string(made, "access_token")));
}

static void who_asks_too_soon_has_to_slow_down(void **state)
{
        struct rest_fixture *fixture = *state;
        struct browser_session session = sign_in(fixture);
        struct program program = start(fixture);

        expect_poll(fixture, &program, "authorization_pending");
        expect_poll(fixture, &program, "slow_down");
        assert_int_equal(decide(fixture, &session, program.user_code, "{\"allow\":true}"), 200);
        expect_poll(fixture, &program, "slow_down");
}

static void who_was_denied_is_told_once(void **state)
{
        struct rest_fixture *fixture = *state;
        struct browser_session session = sign_in(fixture);
        struct program program = start(fixture);

        assert_int_equal(decide(fixture, &session, program.user_code, "{\"allow\":false}"), 200);
        expect_poll(fixture, &program, "access_denied");
        expect_poll(fixture, &program, "expired_token");
        struct program unknown = {.device_code = "no such code"};
        expect_poll(fixture, &unknown, "expired_token");
}

static void somebody_disabled_in_between_allows_nothing(void **state)
{
        struct rest_fixture *fixture = *state;
        struct browser_session session = sign_in(fixture);
        struct program program = start(fixture);
        auto_free char *headers = rest_bearer(fixture->administrator);

        assert_int_equal(decide(fixture, &session, program.user_code, "{\"allow\":true}"), 200);
        assert_int_equal(browser_status_of(fixture, "POST", "/users/vera/disable", headers, NULL), 200);
        expect_poll(fixture, &program, "access_denied");
}

static void guesses_are_limited_and_so_are_programs(void **state)
{
        struct rest_fixture *fixture = *state;
        struct browser_session session = sign_in(fixture);
        struct program program = start(fixture);

        for (int i = 0; i < 20; i++)
                assert_int_equal(decide(fixture, &session, "BCDF-GHJK", "{\"allow\":true}"), 404);
        assert_int_equal(decide(fixture, &session, program.user_code, "{\"allow\":true}"), 429);
        for (int i = 0; i < 9; i++)
                start(fixture);
        auto_reply *refused = ask(fixture->connection, "POST", "/device/code", JSON_TYPE, "{\"name\":\"x\"}");
        assert_int_equal(refused->status, 429);
}

static void the_page_asks_for_the_sign_in_and_then_for_the_decision(void **state)
{
        struct rest_fixture *fixture = *state;
        struct program program = start(fixture);
        auto_free char *path = text_format("/device?code=%s", program.user_code);

        browser_person(fixture, "vera", "Viewer");
        auto_reply *page = ask(fixture->connection, "GET", path, "", NULL);
        assert_int_equal(page->status, 200);
        assert_non_null(strstr(page->body, "action=\"/device/sign-in\""));
        assert_non_null(strstr(page->head, "frame-ancestors 'none'"));
        auto_free char *wrong = text_format("user=vera&password=wrong&userCode=%s", program.user_code);
        auto_reply *again = ask(fixture->connection, "POST", "/device/sign-in", FORM_TYPE, wrong);
        assert_int_equal(again->status, 403);
        assert_non_null(strstr(again->body, "value=\"vera\""));
        auto_free char *right = text_format("user=vera&password=correct+horse&userCode=%s", program.user_code);
        auto_reply *sent = ask(fixture->connection, "POST", "/device/sign-in", FORM_TYPE, right);
        assert_int_equal(sent->status, 303);
        assert_string_equal(reply_header(sent, "Location"), path);
        const char *cookie = reply_header(sent, "Set-Cookie");
        auto_free char *headers = text_format("Cookie: %.*s\r\n" FORM_TYPE, (int)strcspn(cookie, ";"), cookie);
        auto_reply *question = ask(fixture->connection, "GET", path, headers, NULL);
        assert_non_null(strstr(question->body, program.user_code));
        assert_non_null(strstr(question->body, "&lt;laptop&gt;"));
        assert_null(strstr(question->body, "<laptop>"));
        const char *csrf = strstr(question->body, "name=\"csrf\" value=\"");
        assert_non_null(csrf);
        auto_free char *forged =
                text_format("userCode=%s&decision=allow&csrf=00000000000000000000000000000000", program.user_code);
        assert_int_equal(browser_status_of(fixture, "POST", "/device", headers, forged), 403);
        expect_poll(fixture, &program, "authorization_pending");
        auto_free char *form = text_format("userCode=%s&decision=deny&csrf=%.32s", program.user_code,
                                           csrf + strlen("name=\"csrf\" value=\""));
        auto_reply *done = ask(fixture->connection, "POST", "/device", headers, form);
        assert_int_equal(done->status, 200);
        assert_non_null(strstr(done->body, "Denied"));
        expect_poll(fixture, &program, "access_denied");
        auto_reply *late = ask(fixture->connection, "POST", "/device", headers, form);
        assert_int_equal(late->status, 404);
}

static void other_sites_and_broken_forms_get_nowhere(void **state)
{
        struct rest_fixture *fixture = *state;
        struct program program = start(fixture);
        auto_free char *form = text_format("userCode=%s&decision=allow&csrf=x", program.user_code);

        assert_int_equal(browser_status_of(fixture, "POST", "/device", FORM_TYPE, form), 403);
        assert_int_equal(browser_status_of(fixture, "POST", "/device/sign-in",
                                           "Origin: https://evil.example\r\n" FORM_TYPE, "user=a&password=b"),
                         403);
        assert_int_equal(browser_status_of(fixture, "POST", "/device/sign-in", FORM_TYPE, "user=a"), 400);
        assert_int_equal(browser_status_of(fixture, "POST", "/device/sign-in", FORM_TYPE, "user=a&user=b"), 400);
        assert_int_equal(browser_status_of(fixture, "POST", "/device", FORM_TYPE, "%zz"), 403);
        auto_free char *bearer = rest_bearer(fixture->administrator);
        auto_reply *page = ask(fixture->connection, "GET", "/device", bearer, NULL);
        assert_non_null(strstr(page->body, "action=\"/device/sign-in\""));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_device, rest_tear_down)

int run_device_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(who_was_allowed_gets_one_key_once),
                TEST(who_asks_too_soon_has_to_slow_down),
                TEST(who_was_denied_is_told_once),
                TEST(somebody_disabled_in_between_allows_nothing),
                TEST(guesses_are_limited_and_so_are_programs),
                TEST(the_page_asks_for_the_sign_in_and_then_for_the_decision),
                TEST(other_sites_and_broken_forms_get_nowhere),
        };

        return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
