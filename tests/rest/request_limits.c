/* What the doors refuse because it is too much: JSON that is too big to walk, and callers that ask too often. */
#include "server/base/document.h"
#include "tests/rest/fixture.h"

static int set_up(void **state)
{
        rest_set_variable("MCP_SERVER_ENABLED", "true");
        return rest_set_up(state);
}

static int tear_down(void **state)
{
        static const char *const names[] = {"MCP_SERVER_ENABLED", "JSON_DEPTH_MAXIMUM", "JSON_VALUES_MAXIMUM",
                                            "JSON_NAME_MAXIMUM",  "RATE_LIMIT_KEY",     "RATE_LIMIT_USER",
                                            "RATE_LIMIT_ADDRESS"};

        for (size_t i = 0; i < COUNT_OF(names); i++)
                rest_set_variable(names[i], NULL);
        return rest_tear_down(state);
}

static void expect_refusal(struct rest_fixture *fixture, const char *path, const char *body, const char *words)
{
        auto_free char *headers = rest_bearer(fixture->administrator);
        auto_reply *reply = ask(fixture->connection, "POST", path, headers, body);

        if (reply->status != 400 || !strstr(reply->body, words))
                fail_msg("%s answered %d: %s", path, reply->status, reply->body);
}

/* `{"a":[[[...` with so many brackets. */
static char *nested(int depth)
{
        auto_text out = TEXT_WITH_MAXIMUM(100000);

        text_append_string(&out, "{\"a\":");
        for (int i = 0; i < depth; i++)
                text_append_string(&out, "[");
        for (int i = 0; i < depth; i++)
                text_append_string(&out, "]");
        text_append_string(&out, "}");
        return text_take(&out);
}

static void json_beyond_its_limits_is_refused_by_both_doors(void **state)
{
        struct rest_fixture *fixture = *state;
        static const char *const paths[] = {"/mcp", "/users"};
        auto_free char *deep = nested(8), *flat = nested(7);
        auto_text many = TEXT_WITH_MAXIMUM(100000), name = TEXT_WITH_MAXIMUM(1000);

        rest_set_variable("JSON_DEPTH_MAXIMUM", "8");
        rest_set_variable("JSON_VALUES_MAXIMUM", "1000");
        rest_set_variable("JSON_NAME_MAXIMUM", "64");
        text_append_string(&many, "{\"a\":[1");
        for (int i = 0; i < 1000; i++)
                text_append_string(&many, ",1");
        text_append_string(&many, "]}");
        text_printf(&name, "{\"%065d\" : 1}", 0);
        for (size_t i = 0; i < COUNT_OF(paths); i++) {
                expect_refusal(fixture, paths[i], deep, "nested deeper than 8 levels");
                expect_refusal(fixture, paths[i], text_string(&many), "more than 1000 values");
                expect_refusal(fixture, paths[i], text_string(&name), "name is longer than 64 bytes");
        }
        expect_refusal(fixture, "/users", flat, "a is not known");
}

static void brackets_within_strings_do_not_count(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_text body = TEXT_WITH_MAXIMUM(100000);

        rest_set_variable("JSON_DEPTH_MAXIMUM", "8");
        text_append_string(&body, "{\"jsonrpc\":\"2.0\",\"id\":\"\\\"");
        for (int i = 0; i < 500; i++)
                text_append_string(&body, "[{,:");
        text_append_string(&body, "\",\"method\":\"ping\"}");
        auto_free char *headers = rest_bearer(fixture->administrator);
        auto_reply *reply = ask(fixture->connection, "POST", "/mcp", headers, text_string(&body));
        assert_int_equal(reply->status, 200);
}

static int ask_until_limited(struct rest_fixture *fixture, const char *method, const char *path, const char *headers,
                             const char *body)
{
        for (int count = 0; count < 200; count++) {
                auto_reply *reply = ask(fixture->connection, method, path, headers, body);
                if (reply->status != 429)
                        continue;
                const char *retry = reply_header(reply, "Retry-After");
                assert_non_null(retry);
                assert_in_range(atoi(retry), 1, 60);
                assert_non_null(strstr(reply->body, "too_many_requests"));
                assert_non_null(strstr(reply->body, "retryAfterSeconds"));
                return count;
        }
        return -1;
}

static void a_key_that_asks_too_often_waits_and_others_do_not(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *busy = rest_key(fixture, "bea", "Viewer"), *busy_lines = rest_bearer(busy),
                       *root_lines = rest_bearer(fixture->administrator);
        static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";

        rest_set_variable("RATE_LIMIT_KEY", "30");
        assert_int_equal(ask_until_limited(fixture, "POST", "/mcp", busy_lines, ping), 30);
        assert_int_equal(ask_until_limited(fixture, "GET", "/me", busy_lines, NULL), 0);
        auto_reply *other = ask(fixture->connection, "GET", "/me", root_lines, NULL);
        assert_int_equal(other->status, 200);
}

static void strangers_of_one_address_wait_and_keys_there_do_not(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *lines = rest_bearer(fixture->administrator);

        rest_set_variable("RATE_LIMIT_ADDRESS", "40");
        assert_in_range(ask_until_limited(fixture, "GET", "/me", "Authorization: Bearer lsk_wrong\r\n", NULL), 1, 40);
        assert_int_equal(ask_until_limited(fixture, "GET", "/health", "", NULL), 0);
        auto_reply *known = ask(fixture->connection, "GET", "/me", lines, NULL);
        assert_int_equal(known->status, 200);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int run_request_limit_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(json_beyond_its_limits_is_refused_by_both_doors),
                TEST(brackets_within_strings_do_not_count),
                TEST(a_key_that_asks_too_often_waits_and_others_do_not),
                TEST(strangers_of_one_address_wait_and_keys_there_do_not),
        };

        return cmocka_run_group_tests_name("bounds of requests", tests, NULL, NULL);
}
