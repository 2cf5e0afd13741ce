#include "tests/mcp/fixture.h"

#define TOKEN "Authorization: Bearer " STUB_TOKEN "\r\n"
#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"

static void other_methods_are_not_allowed(void **state)
{
        static const char *const methods[] = {"GET", "DELETE", "PUT", "PATCH"};

        (void)state;
        for (size_t i = 0; i < COUNT_OF(methods); i++) {
                auto_reply reply = ask(methods[i], "Accept: text/event-stream\r\n", NULL);
                assert_int_equal(reply.status, 405);
                assert_string_equal(reply_header(&reply, "Allow"), "POST");
                assert_string_equal(document_get_string(reply.json, "error"), "method_not_allowed");
        }
        auto_reply head = ask("HEAD", NULL, NULL);
        assert_int_equal(head.status, 405);
        assert_string_equal(reply_header(&head, "Allow"), "POST");
        auto_reply options = ask("OPTIONS", NULL, NULL);
        assert_int_equal(options.status, 204);
        assert_non_null(strstr(reply_header(&options, "Allow"), "POST"));
}

static void nothing_is_there_while_mcp_is_switched_off(void **state)
{
        static const char *const methods[] = {"GET", "DELETE", "OPTIONS", "POST"};

        (void)state;
        stub.settings.mcp_server_enabled = false;
        for (size_t i = 0; i < COUNT_OF(methods); i++) {
                auto_reply reply = ask(methods[i], TOKEN, strcmp(methods[i], "POST") ? NULL : PING);
                assert_int_equal(reply.status, 404);
                assert_string_equal(document_get_string(reply.json, "error"), "not_found");
        }
}

static void expect_unauthenticated(const char *header_lines)
{
        auto_reply reply = ask("POST", header_lines, PING);

        assert_int_equal(reply.status, 401);
        assert_string_equal(reply_header(&reply, "WWW-Authenticate"), "Bearer");
        assert_string_equal(document_get_string(reply.json, "message"), "Invalid API key.");
}

static void a_key_must_be_valid(void **state)
{
        (void)state;
        expect_unauthenticated(NULL);
        expect_unauthenticated("Authorization: Bearer wrong\r\n");
        expect_unauthenticated("Authorization: Bearer \r\n");
        expect_unauthenticated("Authorization: Basic " STUB_TOKEN "\r\n");
        auto_reply lower = ask("POST", "authorization: bearer " STUB_TOKEN "\r\n", PING);
        assert_int_equal(lower.status, 200);
}

static void a_foreign_page_is_refused_before_anything(void **state)
{
        (void)state;
        auto_reply foreign = ask("POST", "Origin: https://evil.example\r\n", PING);
        assert_int_equal(foreign.status, 403);
        assert_string_equal(document_get_string(foreign.json, "error"), "foreign_origin");
        auto_reply rebound = ask("POST", TOKEN "Host: evil.example:3000\r\n", PING);
        assert_int_equal(rebound.status, 403);
        auto_reply get = ask("GET", "Origin: null\r\n", NULL);
        assert_int_equal(get.status, 403);
        auto_reply own = ask("POST", TOKEN "Origin: http://localhost:6274\r\n", PING);
        assert_int_equal(own.status, 200);
}

static void every_kind_of_accept_is_answered_with_json(void **state)
{
        static const char *const lines[] = {
                TOKEN,
                TOKEN "Accept: application/json\r\n",
                TOKEN "Accept: text/event-stream\r\n",
                TOKEN "Accept: application/json, text/event-stream\r\n",
                TOKEN "Accept: */*\r\n",
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(lines); i++) {
                auto_reply reply = ask("POST", lines[i], PING);
                assert_int_equal(reply.status, 200);
                assert_string_equal(reply_header(&reply, "Content-Type"), "application/json");
        }
        auto_reply plain = ask("POST", TOKEN "Content-Type: text/plain\r\n", PING);
        assert_int_equal(plain.status, 415);
        auto_reply charset = ask("POST", TOKEN "Content-Type: application/json; charset=utf-8\r\n", PING);
        assert_int_equal(charset.status, 200);
}

static struct reply call_with_length(const char *tool, const char *argument, size_t length)
{
        auto_text body = TEXT_WITH_MAXIMUM(10000000);

        text_printf(&body,
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
                    "\"arguments\":{\"%s\":\"",
                    tool, argument);
        for (size_t i = 0; i < length; i++)
                text_append_string(&body, "\\u00e9");
        text_append_string(&body, "\"}}}");
        return post(text_string(&body));
}

static void a_body_may_be_as_large_as_its_tool_says(void **state)
{
        (void)state;
        auto_reply large = call_with_length("create_task", "instructions", 200000);
        assert_int_equal(large.status, 200);
        assert_int_equal(document_get_integer(json_object_get(result_of(&large), "structuredContent"), "chars", 0),
                         200000);
        auto_reply longer = call_with_length("create_task", "instructions", 200001);
        assert_non_null(strstr(result_text(&longer), "instructions must have 1 to 200000 characters"));
        auto_reply refused = call_with_length("get_task", "taskId", 200000);
        assert_int_equal(refused.status, 413);
        stub.settings.body_maximum_kilobytes = 1;
        auto_reply small = call_with_length("get_task", "taskId", 90);
        assert_int_equal(small.status, 200);
        auto_reply too_large = call_with_length("stop_task", "taskId", 200);
        assert_int_equal(too_large.status, 413);
        assert_int_equal(error_code_of(&too_large), -32600);
        auto_reply far_too_large = call_with_length("create_task", "instructions", 800000);
        assert_int_equal(far_too_large.status, 413);
}

int run_transport_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup(other_methods_are_not_allowed, fixture_reset),
                cmocka_unit_test_setup(nothing_is_there_while_mcp_is_switched_off, fixture_reset),
                cmocka_unit_test_setup(a_key_must_be_valid, fixture_reset),
                cmocka_unit_test_setup(a_foreign_page_is_refused_before_anything, fixture_reset),
                cmocka_unit_test_setup(every_kind_of_accept_is_answered_with_json, fixture_reset),
                cmocka_unit_test_setup(a_body_may_be_as_large_as_its_tool_says, fixture_reset),
        };

        return cmocka_run_group_tests_name("mcp transport", tests, fixture_open, fixture_close);
}
