#include "tests/mcp/fixture.h"

#define VERSION(name) "MCP-Protocol-Version: " name "\r\n"
#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"

static void expect_id(const char *id)
{
        auto_free char *body = text_format("{\"method\":\"ping\",\"id\":%s,\"jsonrpc\":\"2.0\"}", id);
        auto_free char *wanted = text_format("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}", id);
        auto_reply reply = post(body);

        assert_int_equal(reply.status, 200);
        assert_string_equal(reply.body, wanted);
}

static void an_id_comes_back_as_it_was(void **state)
{
        (void)state;
        expect_id("1");
        expect_id("0");
        expect_id("-7");
        expect_id("9007199254740993");
        expect_id("9223372036854775807");
        expect_id("1.5");
        expect_id("0.1");
        expect_id("0.30000000000000004");
        expect_id("1e300");
        expect_id("\"1\"");
        expect_id("\"\"");
        expect_id("\"a\\\"\\\\\\n\\u0001 \xc3\xa9\"");
        auto_reply without = post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":null}");
        assert_int_equal(without.status, 200);
        auto_text huge = TEXT_WITH_MAXIMUM(1000000);
        text_append_string(&huge, "\"");
        for (int i = 0; i < 100000; i++)
                text_append_string(&huge, "x");
        text_append_string(&huge, "\"");
        expect_id(text_string(&huge));
}

static void expect_refusal(const char *body, int status, int code, bool has_id)
{
        auto_reply reply = post(body);

        assert_int_equal(reply.status, status);
        assert_int_equal(error_code_of(&reply), code);
        assert_string_equal(document_get_string(reply.json, "jsonrpc"), "2.0");
        assert_int_equal(json_is_null(json_object_get(reply.json, "id")), !has_id);
}

static void what_is_no_request_is_refused(void **state)
{
        (void)state;
        expect_refusal("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", 400, -32600, false);
        expect_refusal("{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}", 400, -32600, false);
        expect_refusal("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", 400, -32600, false);
        expect_refusal("{\"jsonrpc\":\"1.0\",\"id\":5,\"method\":\"ping\"}", 400, -32600, true);
        expect_refusal("{\"id\":5,\"method\":\"ping\"}", 400, -32600, true);
        expect_refusal("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":7}", 400, -32600, true);
        expect_refusal("{\"jsonrpc\":\"2.0\",\"id\":5}", 400, -32600, true);
        expect_refusal("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\",\"params\":[1]}", 400, -32600, true);
        expect_refusal("{}", 400, -32600, false);
        expect_refusal("7", 400, -32700, false);
}

static void what_is_no_json_is_a_parse_error(void **state)
{
        auto_text deep = TEXT_WITH_MAXIMUM(1000000);

        (void)state;
        expect_refusal("", 400, -32700, false);
        expect_refusal("{", 400, -32700, false);
        expect_refusal(PING "x", 400, -32700, false);
        expect_refusal("{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", 400, -32700, false);
        expect_refusal("{\"jsonrpc\":\"2.0\",\"id\":\"\\u0000\",\"method\":\"ping\"}", 400, -32700, false);
        expect_refusal("{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", 400, -32700, false);
        expect_refusal("{\"jsonrpc\":\"2.0\",\"id\":123456789012345678901234567890,\"method\":\"ping\"}", 400, -32700,
                       false);
        expect_refusal("[{\"a\":\"t\"\"0\\\xd9\x96\x9b\xd3\" \"}]", 400, -32700, false);
        for (int i = 0; i < 200000; i++)
                text_append_string(&deep, "[");
        expect_refusal(text_string(&deep), 400, -32700, false);
}

static void notifications_and_responses_get_202_without_a_body(void **state)
{
        static const char *const bodies[] = {
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unheard-of\",\"params\":{\"a\":1}}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"get_task\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":1,\"message\":\"x\"}}",
                "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}]",
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(bodies); i++) {
                auto_reply reply = post(bodies[i]);
                assert_int_equal(reply.status, 202);
                assert_string_equal(reply.body, "");
        }
        assert_int_equal(stub.runs, 0);
}

static void an_unknown_method_is_not_found(void **state)
{
        static const char *const methods[] = {"subscriptions/listen", "logging/setLevel", "notifications/initialized",
                                              "", "tools"};

        (void)state;
        for (size_t i = 0; i < COUNT_OF(methods); i++) {
                auto_free char *body = text_format("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"%s\"}", methods[i]);
                expect_refusal(body, 200, -32601, true);
        }
}

static void a_batch_is_answered_in_order_without_its_notifications(void **state)
{
        (void)state;
        auto_reply reply = post_with(VERSION("2025-03-26"),
                                     "[" PING ",{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"},7,"
                                     "{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"method\":\"nothing\"},"
                                     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"initialize\",\"params\":{}}]");
        assert_int_equal(reply.status, 200);
        assert_int_equal(json_array_size(reply.json), 4);
        assert_string_equal(reply.body,
                            "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},"
                            "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"A message must "
                            "be an object.\"}},"
                            "{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"error\":{\"code\":-32601,\"message\":\"There is no "
                            "such method.\"}},"
                            "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32600,\"message\":\"This method cannot "
                            "be part of a batch.\"}}]");
}

static void batches_exist_in_one_revision_only(void **state)
{
        static const char *const others[] = {VERSION("2025-06-18"), VERSION("2025-11-25"), VERSION("2024-11-05")};

        (void)state;
        auto_reply assumed = post("[" PING "]");
        assert_int_equal(assumed.status, 200);
        assert_int_equal(json_array_size(assumed.json), 1);
        for (size_t i = 0; i < COUNT_OF(others); i++) {
                auto_reply reply = post_with(others[i], "[" PING "]");
                assert_int_equal(reply.status, 400);
                assert_int_equal(error_code_of(&reply), -32600);
        }
        expect_refusal("[]", 400, -32600, false);
        auto_text many = TEXT_WITH_MAXIMUM(100000);
        text_append_string(&many, "[" PING);
        for (int i = 0; i < 50; i++)
                text_append_string(&many, "," PING);
        text_append_string(&many, "]");
        expect_refusal(text_string(&many), 400, -32600, false);
}

static void an_unspoken_revision_is_refused_with_those_that_are(void **state)
{
        (void)state;
        auto_reply reply = post_with(VERSION("2027-01-01"), PING);
        assert_int_equal(reply.status, 400);
        assert_int_equal(error_code_of(&reply), -32022);
        assert_int_equal(document_get_integer(reply.json, "id", 0), 1);
        json_t *data = json_object_get(json_object_get(reply.json, "error"), "data");
        assert_string_equal(json_string_value(json_array_get(json_object_get(data, "supported"), 0)), "2026-07-28");
        assert_string_equal(document_get_string(data, "requested"), "2027-01-01");
        auto_reply spoken = post_with(VERSION("2025-06-18") "Mcp-Session-Id: whatever\r\n", PING);
        assert_int_equal(spoken.status, 200);
}

static void expect_negotiation(const char *wanted, const char *given)
{
        auto_free char *body = text_format("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                                           "\"protocolVersion\":\"%s\",\"capabilities\":{},\"clientInfo\":{\"name\":"
                                           "\"c\",\"version\":\"1\"}}}",
                                           wanted);
        auto_reply reply = post_with(VERSION("2030-01-01"), body);

        assert_int_equal(reply.status, 200);
        assert_string_equal(document_get_string(result_of(&reply), "protocolVersion"), given);
        json_t *capabilities = json_object_get(result_of(&reply), "capabilities");
        assert_int_equal(json_object_size(capabilities), 4);
        assert_int_equal(json_object_size(json_object_get(capabilities, "tools")), 0);
        assert_string_equal(document_get_string(json_object_get(result_of(&reply), "serverInfo"), "name"), "longshore");
        assert_non_null(document_get_string(result_of(&reply), "instructions"));
}

static void initialize_agrees_on_a_revision(void **state)
{
        (void)state;
        expect_negotiation("2024-11-05", "2024-11-05");
        expect_negotiation("2025-03-26", "2025-03-26");
        expect_negotiation("2025-06-18", "2025-06-18");
        expect_negotiation("2025-11-25", "2025-11-25");
        expect_negotiation("2026-07-28", "2025-11-25");
        expect_negotiation("nonsense", "2025-11-25");
        expect_refusal("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"}", 200, -32602, true);
}

int run_envelope_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup(an_id_comes_back_as_it_was, fixture_reset),
                cmocka_unit_test_setup(what_is_no_request_is_refused, fixture_reset),
                cmocka_unit_test_setup(what_is_no_json_is_a_parse_error, fixture_reset),
                cmocka_unit_test_setup(notifications_and_responses_get_202_without_a_body, fixture_reset),
                cmocka_unit_test_setup(an_unknown_method_is_not_found, fixture_reset),
                cmocka_unit_test_setup(a_batch_is_answered_in_order_without_its_notifications, fixture_reset),
                cmocka_unit_test_setup(batches_exist_in_one_revision_only, fixture_reset),
                cmocka_unit_test_setup(an_unspoken_revision_is_refused_with_those_that_are, fixture_reset),
                cmocka_unit_test_setup(initialize_agrees_on_a_revision, fixture_reset),
        };

        return cmocka_run_group_tests_name("mcp envelope", tests, fixture_open, fixture_close);
}
