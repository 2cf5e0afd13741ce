#include "tests/rest/browser.h"

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/id.h"
#include "server/services/login_limit.h"

static void a_session_acts_with_its_csrf_token_until_it_logs_out(void **state)
{
        struct rest_fixture *fixture = *state;

        browser_person(fixture, "vera", "Viewer");
        struct browser_session session = browser_begin(fixture, "Vera", "correct horse");
        assert_int_equal(browser_status_of(fixture, "GET", "/me", session.cookie, NULL), 200);
        assert_int_equal(browser_status_of(fixture, "POST", "/logout", session.cookie, NULL), 403);
        auto_free char *forged = text_format("%sX-CSRF-Token: 00000000000000000000000000000000\r\n", session.cookie);
        assert_int_equal(browser_status_of(fixture, "POST", "/logout", forged, NULL), 403);
        assert_int_equal(browser_status(fixture, "POST", "/logout", &session, "{}"), 200);
        assert_int_equal(browser_status_of(fixture, "GET", "/me", session.cookie, NULL), 401);
}

static void me_tells_the_session_its_csrf_token(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_error error = {0};

        browser_person(fixture, "vera", "Viewer");
        struct browser_session session = browser_begin(fixture, "vera", "correct horse");
        auto_reply *reply = ask(fixture->connection, "GET", "/me", session.cookie, NULL);
        auto_json *me = document_parse(reply->body, reply->length, &error);
        assert_non_null(strstr(session.csrf, document_get_string(me, "csrfToken")));
        assert_string_equal(document_get_string(me, "credential"), "session");
        assert_false(json_is_true(json_object_get(me, "isServerAdministrator")));
}

static void disabling_a_user_ends_the_session_at_once_and_for_good(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *headers = rest_bearer(fixture->administrator);

        browser_person(fixture, "vera", "Viewer");
        struct browser_session session = browser_begin(fixture, "vera", "correct horse");
        assert_int_equal(browser_status_of(fixture, "POST", "/users/vera/disable", headers, NULL), 200);
        assert_int_equal(browser_status_of(fixture, "GET", "/me", session.cookie, NULL), 401);
        auto_reply *refused = browser_login(fixture, "vera", "correct horse");
        assert_int_equal(refused->status, 401);
        assert_int_equal(browser_status_of(fixture, "POST", "/users/vera/enable", headers, NULL), 200);
        assert_int_equal(browser_status_of(fixture, "GET", "/me", session.cookie, NULL), 401);
}

static void another_password_ends_the_other_sessions(void **state)
{
        struct rest_fixture *fixture = *state;
        const char *wrong = "{\"currentPassword\":\"wrong\",\"password\":\"another one\"}";
        const char *right = "{\"currentPassword\":\"correct horse\",\"password\":\"another one\"}";

        browser_person(fixture, "vera", "Viewer");
        struct browser_session first = browser_begin(fixture, "vera", "correct horse");
        struct browser_session second = browser_begin(fixture, "vera", "correct horse");
        assert_int_equal(browser_status(fixture, "POST", "/me/password", &second, wrong), 403);
        assert_int_equal(browser_status(fixture, "POST", "/me/password", &second, right), 200);
        assert_int_equal(browser_status_of(fixture, "GET", "/me", first.cookie, NULL), 401);
        assert_int_equal(browser_status_of(fixture, "GET", "/me", second.cookie, NULL), 200);
        auto_reply *old = browser_login(fixture, "vera", "correct horse");
        assert_int_equal(old->status, 401);
}

static void wrong_passwords_and_unknown_names_are_told_alike_and_limited(void **state)
{
        struct rest_fixture *fixture = *state;

        browser_person(fixture, "vera", "Viewer");
        login_limit_reset();
        auto_reply *wrong = browser_login(fixture, "vera", "wrong");
        auto_reply *unknown = browser_login(fixture, "nobody", "wrong");
        assert_int_equal(wrong->status, 401);
        assert_string_equal(wrong->body, unknown->body);
        for (int i = 0; i < 9; i++)
                assert_true(login_limit_take("127.0.0.1", "vera", 1000000 + i, &(struct error){0}));
        login_limit_reset();
        for (int i = 0; i < 10; i++)
                assert_true(login_limit_take("192.0.2.1", "vera", 1000, &(struct error){0}));
        auto_error error = {0};
        assert_false(login_limit_take("192.0.2.1", "VERA", 2000, &error));
        assert_int_equal(error.code, ERROR_TOO_MANY);
        assert_int_equal(document_get_integer(error.details, "retryAfterSeconds", 0), 59);
        assert_true(login_limit_take("192.0.2.2", "vera", 2000, &error));
        assert_true(login_limit_take("192.0.2.1", "vera", 61001, &error));
        login_limit_reset();
}

static void only_the_hash_of_a_sessions_token_is_kept(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_text bytes = TEXT_WITH_MAXIMUM(64 * 1024 * 1024);

        browser_person(fixture, "vera", "Viewer");
        struct browser_session session = browser_begin(fixture, "vera", "correct horse");
        const char *token = strchr(session.cookie, '=') + 1;
        auto_free char *path = text_format("%s/store.db-wal", fixture->root);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        char piece[65536];
        for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
                text_append(&bytes, piece, got);
        fclose(file);
        assert_null(memmem(bytes.data, bytes.length, token, 40));
        assert_non_null(memmem(bytes.data, bytes.length, "session.login", 13));
}

/* A browser's stream has nothing but the cookie; it ends with the session. */
static void a_session_listens_until_it_ends(void **state)
{
        struct rest_fixture *fixture = *state;
        struct connection *stream = connection_open(fixture->server);

        browser_person(fixture, "vera", "Viewer");
        struct browser_session session = browser_begin(fixture, "vera", "correct horse");
        auto_free char *request = text_format("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n", session.cookie);
        connection_send(stream, request);
        connection_await(stream, "HTTP/1.1 200");
        connection_await(stream, "event: ready");
        assert_int_equal(browser_status(fixture, "POST", "/logout", &session, "{}"), 200);
        connection_drain(stream);
        connection_close(stream);
        assert_int_equal(browser_status_of(fixture, "GET", "/events", session.cookie, NULL), 401);
}

/* Nothing is asked with the session before time has passed for it: a thread knows of uses of its own. */
static void a_session_that_is_not_used_ends_when_the_setting_says(void **state)
{
        struct rest_fixture *fixture = *state;

        browser_person(fixture, "vera", "Viewer");
        struct browser_session session = browser_begin(fixture, "vera", "correct horse");
        rest_sql(fixture, "UPDATE sessions SET last_used_at = last_used_at - 150000");
        rest_setting(fixture, "SESSION_IDLE_MINUTES", "2");
        assert_int_equal(browser_status_of(fixture, "GET", "/me", session.cookie, NULL), 401);
        rest_setting(fixture, "SESSION_IDLE_MINUTES", "30");
        assert_int_equal(browser_status_of(fixture, "GET", "/me", session.cookie, NULL), 200);
        rest_setting(fixture, "SESSION_IDLE_MINUTES", NULL);
}

static void a_session_ends_so_long_after_the_login_as_the_setting_says(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_error error = {0};
        int64_t expires_at;

        browser_person(fixture, "vera", "Viewer");
        rest_setting(fixture, "SESSION_HOURS", "2");
        int64_t before = clock_now();
        auto_reply *reply = browser_login(fixture, "vera", "correct horse");
        rest_setting(fixture, "SESSION_HOURS", NULL);
        assert_non_null(strstr(reply_header(reply, "Set-Cookie"), "Max-Age=7200"));
        auto_json *body = document_parse(reply->body, reply->length, &error);
        assert_true(clock_parse(document_get_string(body, "expiresAt"), &expires_at));
        assert_in_range(expires_at, before + 7200000, clock_now() + 7200000);
        struct browser_session session = browser_begin(fixture, "vera", "correct horse");
        rest_sql(fixture, "UPDATE sessions SET expires_at = last_used_at");
        assert_int_equal(browser_status_of(fixture, "GET", "/me", session.cookie, NULL), 401);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, rest_set_up, rest_tear_down)

int run_session_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(a_session_acts_with_its_csrf_token_until_it_logs_out),
                TEST(me_tells_the_session_its_csrf_token),
                TEST(disabling_a_user_ends_the_session_at_once_and_for_good),
                TEST(another_password_ends_the_other_sessions),
                TEST(wrong_passwords_and_unknown_names_are_told_alike_and_limited),
                TEST(a_session_listens_until_it_ends),
                TEST(a_session_that_is_not_used_ends_when_the_setting_says),
                TEST(a_session_ends_so_long_after_the_login_as_the_setting_says),
                TEST(only_the_hash_of_a_sessions_token_is_kept),
        };

        return cmocka_run_group_tests_name("sessions", tests, NULL, NULL);
}
