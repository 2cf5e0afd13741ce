/* What pages of other origins may do, and what they are told. */
#include "server/cors.h"

#include "server/base/document.h"
#include "tests/rest/fixture.h"

#define PAGE "Origin: https://pages.example\r\n"
#define ASKS                                                                                                           \
        "Access-Control-Request-Method: POST\r\n"                                                                      \
        "Access-Control-Request-Headers: authorization, content-type, mcp-protocol-version\r\n"

static int set_up(void **state)
{
        rest_set_variable("ALLOWED_ORIGINS", "https://pages.example, https://inspector.example:8443");
        rest_set_variable("MCP_SERVER_ENABLED", "true");
        return rest_set_up(state);
}

static int tear_down(void **state)
{
        rest_set_variable("ALLOWED_ORIGINS", NULL);
        rest_set_variable("MCP_SERVER_ENABLED", NULL);
        return rest_tear_down(state);
}

static void expect(const struct reply *reply, const char *header, const char *wanted)
{
        const char *value = reply_header(reply, header);

        if (!value || strcmp(value, wanted))
                fail_msg("%s: %s instead of %s", header, value ? value : "none", wanted);
}

static void a_preflight_is_answered_before_anybody_asks_for_a_credential(void **state)
{
        struct rest_fixture *fixture = *state;
        static const char *const paths[] = {"/mcp", "/tasks", "/tasks/x/stop", "/events", "/me"};

        for (size_t i = 0; i < COUNT_OF(paths); i++) {
                auto_reply *reply = ask(fixture->connection, "OPTIONS", paths[i], PAGE ASKS, NULL);
                if (reply->status != 204)
                        fail_msg("%s answered %d", paths[i], reply->status);
                expect(reply, "Access-Control-Allow-Origin", "https://pages.example");
                expect(reply, "Access-Control-Allow-Headers", "authorization, content-type, mcp-protocol-version");
                expect(reply, "Access-Control-Max-Age", "7200");
                expect(reply, "Vary", "Origin");
                assert_non_null(strstr(reply_header(reply, "Access-Control-Allow-Methods"), "POST"));
                assert_null(reply_header(reply, "Access-Control-Allow-Credentials"));
        }
}

static void every_answer_may_be_read_by_an_allowed_page_also_a_refusal(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *bearer = rest_bearer(fixture->administrator);
        auto_free char *lines = text_format("%sOrigin: https://inspector.example:8443\r\n", bearer);

        auto_reply *good = ask(fixture->connection, "GET", "/me", lines, NULL);
        assert_int_equal(good->status, 200);
        expect(good, "Access-Control-Allow-Origin", "https://inspector.example:8443");
        expect(good, "Vary", "Origin");
        assert_non_null(strstr(reply_header(good, "Access-Control-Expose-Headers"), "WWW-Authenticate"));
        assert_non_null(strstr(reply_header(good, "Access-Control-Expose-Headers"), "Retry-After"));
        auto_reply *refused = ask(fixture->connection, "POST", "/mcp", PAGE "Content-Type: application/json\r\n", "{}");
        assert_int_equal(refused->status, 401);
        expect(refused, "Access-Control-Allow-Origin", "https://pages.example");
        auto_reply *called =
                ask(fixture->connection, "POST", "/mcp", lines, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
        assert_int_equal(called->status, 200);
        expect(called, "Access-Control-Allow-Origin", "https://inspector.example:8443");
        auto_reply *without = ask(fixture->connection, "GET", "/me", bearer, NULL);
        assert_null(reply_header(without, "Access-Control-Allow-Origin"));
}

static void a_foreign_page_is_refused_and_told_nothing(void **state)
{
        struct rest_fixture *fixture = *state;
        static const char *const origins[] = {"https://elsewhere.example",
                                              "https://pages.example.evil.example",
                                              "http://pages.example",
                                              "https://pages.example:444",
                                              "null",
                                              "https://inspector.example"};

        for (size_t i = 0; i < COUNT_OF(origins); i++) {
                auto_free char *lines = text_format("Origin: %s\r\n" ASKS, origins[i]);
                auto_reply *preflight = ask(fixture->connection, "OPTIONS", "/mcp", lines, NULL);
                auto_reply *get = ask(fixture->connection, "GET", "/health", lines, NULL);
                if (preflight->status != 403 || get->status != 403)
                        fail_msg("%s: %d, %d", origins[i], preflight->status, get->status);
                assert_null(reply_header(preflight, "Access-Control-Allow-Origin"));
                assert_null(reply_header(get, "Access-Control-Allow-Origin"));
        }
}

static void sessions_are_for_pages_of_the_own_origin(void **state)
{
        struct rest_fixture *fixture = *state;
        static const char body[] = "{\"user\":\"nobody\",\"password\":\"something long\"}";

        auto_reply *login = ask(fixture->connection, "POST", "/login", PAGE "Content-Type: application/json\r\n", body);
        assert_int_equal(login->status, 401);
        assert_null(reply_header(login, "Access-Control-Allow-Origin"));
        auto_reply *preflight = ask(fixture->connection, "OPTIONS", "/login", PAGE ASKS, NULL);
        assert_null(reply_header(preflight, "Access-Control-Allow-Origin"));
        auto_reply *logout = ask(fixture->connection, "OPTIONS", "/logout", PAGE ASKS, NULL);
        assert_null(reply_header(logout, "Access-Control-Allow-Origin"));
}

static char *session_of(struct rest_fixture *fixture)
{
        auto_free char *bearer = rest_bearer(fixture->administrator);
        auto_reply *set = ask(fixture->connection, "PUT", "/users/root/password", bearer,
                              "{\"password\":\"a long enough password\"}");
        auto_reply *login = ask(fixture->connection, "POST", "/login", "Content-Type: application/json\r\n",
                                "{\"user\":\"root\",\"password\":\"a long enough password\"}");

        assert_int_equal(set->status, 200);
        assert_int_equal(login->status, 200);
        const char *cookie = reply_header(login, "Set-Cookie");
        return text_format("Cookie: %.*s\r\n", (int)strcspn(cookie, ";"), cookie);
}

static int status_of(struct rest_fixture *fixture, const char *cookie, const char *origin)
{
        auto_free char *lines = text_format("%s%s", cookie, origin);
        auto_reply *reply = ask(fixture->connection, "GET", "/me", lines, NULL);

        return reply->status;
}

static void a_cookie_does_not_let_another_origin_in(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *cookie = session_of(fixture);

        assert_int_equal(status_of(fixture, cookie, ""), 200);
        assert_int_equal(status_of(fixture, cookie, "Origin: http://localhost\r\n"), 200);
        assert_int_equal(status_of(fixture, cookie, PAGE), 401);
        assert_int_equal(status_of(fixture, cookie, "Origin: http://localhost:5173\r\n"), 401);
}

static void expect_headers(const char *asked, const char *wanted)
{
        auto_text out = TEXT_WITH_MAXIMUM(4000);

        cors_append_headers(&out, asked);
        assert_string_equal(text_string(&out), wanted);
}

static void headers_are_allowed_as_they_are_asked_for_but_not_all(void **state)
{
        (void)state;
        expect_headers("", "");
        expect_headers(" , ,", "");
        expect_headers("Authorization,content-type", "Authorization, content-type");
        expect_headers("x-csrf-token, cookie, accept, Host, ORIGIN", "accept");
        expect_headers("bad(name, go\x01od, mcp-param-x", "mcp-param-x");
        auto_free char *endless = memory_new(3001);
        memset(endless, 'a', 3000);
        expect_headers(endless, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int run_cors_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(a_preflight_is_answered_before_anybody_asks_for_a_credential),
                TEST(every_answer_may_be_read_by_an_allowed_page_also_a_refusal),
                TEST(a_foreign_page_is_refused_and_told_nothing),
                TEST(sessions_are_for_pages_of_the_own_origin),
                TEST(a_cookie_does_not_let_another_origin_in),
                cmocka_unit_test(headers_are_allowed_as_they_are_asked_for_but_not_all),
        };

        return cmocka_run_group_tests_name("cors", tests, NULL, NULL);
}
