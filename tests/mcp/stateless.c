/* Requests of revision 2026-07-28. */
#include "tests/mcp/fixture.h"

#include "mcp/stateless.h"

#define VERSION "MCP-Protocol-Version: 2026-07-28\r\n"
#define META_VERSION "\"io.modelcontextprotocol/protocolVersion\":"
#define META_CAPABILITIES "\"io.modelcontextprotocol/clientCapabilities\":"

static void expect_complete(const struct reply *reply)
{
        json_t *result = result_of(reply);
        json_t *info = json_object_get(json_object_get(result, "_meta"), "io.modelcontextprotocol/serverInfo");

        assert_int_equal(reply->status, 200);
        assert_string_equal(document_get_string(reply->json, "id"), "s");
        assert_string_equal(document_get_string(result, "resultType"), "complete");
        assert_string_equal(document_get_string(info, "name"), "longshore");
        assert_non_null(document_get_string(info, "version"));
}

static void expect_cached(const struct reply *reply, const char *scope)
{
        expect_complete(reply);
        assert_true(document_get_integer(result_of(reply), "ttlMs", -1) >= 0);
        assert_string_equal(document_get_string(result_of(reply), "cacheScope"), scope);
}

static void a_client_discovers_what_there_is_without_a_handshake(void **state)
{
        (void)state;
        auto_reply reply = ask_stateless("server/discover", NULL, "");
        expect_cached(&reply, "public");
        json_t *versions = json_object_get(result_of(&reply), "supportedVersions");
        assert_string_equal(json_string_value(json_array_get(versions, 0)), "2026-07-28");
        json_t *capabilities = json_object_get(result_of(&reply), "capabilities");
        assert_int_equal(json_object_size(json_object_get(capabilities, "tools")), 0);
        assert_int_equal(json_object_size(json_object_get(capabilities, "prompts")), 0);
        assert_int_equal(json_object_size(json_object_get(capabilities, "resources")), 0);
        assert_non_null(document_get_string(result_of(&reply), "instructions"));
        assert_null(reply_header(&reply, "Mcp-Session-Id"));
}

static void every_result_says_what_it_is_and_lists_how_long_they_hold(void **state)
{
        (void)state;
        auto_reply tools = ask_stateless("tools/list", NULL, "");
        expect_cached(&tools, "private");
        auto_reply prompts = ask_stateless("prompts/list", NULL, "");
        expect_cached(&prompts, "public");
        auto_reply resources = ask_stateless("resources/list", NULL, "");
        expect_cached(&resources, "private");
        auto_reply templates = ask_stateless("resources/templates/list", NULL, "");
        expect_cached(&templates, "public");
        auto_reply prompt = ask_stateless("prompts/get", "handoff", "\"name\":\"handoff\"");
        expect_complete(&prompt);
        auto_reply called =
                ask_stateless("tools/call", "get_task", "\"name\":\"get_task\",\"arguments\":{\"taskId\":\"t\"}");
        expect_complete(&called);
        auto_reply refused = ask_stateless("tools/call", "get_task", "\"name\":\"get_task\",\"arguments\":{}");
        expect_complete(&refused);
        assert_true(json_is_true(json_object_get(result_of(&refused), "isError")));
        auto_reply written = ask_stateless("tools/call", "create_task",
                                           "\"name\":\"create_task\",\"arguments\":{\"instructions\":\"x\"}");
        expect_complete(&written);
}

static void an_older_client_sees_none_of_it(void **state)
{
        (void)state;
        auto_reply list = post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
        assert_int_equal(json_object_size(result_of(&list)), 1);
        auto_reply called = call_tool("get_task", "{\"taskId\":\"t\"}");
        assert_int_equal(json_object_size(result_of(&called)), 2);
        /* Members of _meta that are not the revision's say nothing about it. */
        auto_reply meta = post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"_meta\":{"
                               "\"progressToken\":1," META_CAPABILITIES "{}}}}");
        assert_string_equal(meta.body, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
        auto_reply named =
                post_with("MCP-Protocol-Version: 2025-11-25\r\n",
                          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"_meta\":{" META_VERSION
                          "\"2025-11-25\"}}}");
        assert_int_equal(named.status, 200);
        assert_int_equal(json_object_size(result_of(&named)), 0);
}

static void expect_error(const struct reply *reply, int status, int code)
{
        if (reply->status != status || error_code_of(reply) != code)
                fail_msg("%d %s", reply->status, reply->body);
        assert_string_equal(document_get_string(reply->json, "id"), "s");
        assert_int_equal(stub.runs, 0);
}

static void what_every_request_has_to_say_must_be_there(void **state)
{
        static const char *const params[] = {
                "",
                ",\"params\":{}",
                ",\"params\":{\"_meta\":7}",
                ",\"params\":{\"_meta\":{" META_CAPABILITIES "{}}}",
                ",\"params\":{\"_meta\":{" META_VERSION "\"2026-07-28\"}}",
                ",\"params\":{\"_meta\":{" META_VERSION "\"2026-07-28\"," META_CAPABILITIES "[]}}",
                ",\"params\":{\"_meta\":{" META_VERSION "20260728," META_CAPABILITIES "{}}}",
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(params); i++) {
                auto_free char *body =
                        text_format("{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"tools/list\"%s}", params[i]);
                auto_reply reply = post_with(VERSION "Mcp-Method: tools/list\r\n", body);
                expect_error(&reply, 400, -32602);
        }
        auto_reply bare = post("{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"server/discover\"}");
        expect_error(&bare, 400, -32602);
}

/* Header lines, and whether a call of get_task with them is served. */
static const struct {
        const char *lines;
        bool is_served;
} header_rows[] = {
        {VERSION "Mcp-Method: tools/call\r\nMcp-Name: get_task\r\n", true},
        {VERSION "mcp-method:   tools/call  \r\nMCP-NAME:\tget_task \r\n", true},
        {VERSION "Mcp-Method: tools/call\r\nMcp-Name: =?base64?Z2V0X3Rhc2s=?=\r\n", true},
        {VERSION "Mcp-Method: tools/call\r\nMcp-Name: get_task\r\nMcp-Session-Id: x\r\nLast-Event-ID: 7\r\n", true},
        {"Mcp-Method: tools/call\r\nMcp-Name: get_task\r\n", false},
        {"MCP-Protocol-Version: 2025-11-25\r\nMcp-Method: tools/call\r\nMcp-Name: get_task\r\n", false},
        {VERSION "Mcp-Name: get_task\r\n", false},
        {VERSION "Mcp-Method: TOOLS/CALL\r\nMcp-Name: get_task\r\n", false},
        {VERSION "Mcp-Method: tools/list\r\nMcp-Name: get_task\r\n", false},
        {VERSION "Mcp-Method: tools/call\r\n", false},
        {VERSION "Mcp-Method: tools/call\r\nMcp-Name: GET_TASK\r\n", false},
        {VERSION "Mcp-Method: tools/call\r\nMcp-Name: get_tas\r\n", false},
        {VERSION "Mcp-Method: tools/call\r\nMcp-Name: =?base64?Z2V0X3Rhc2s?=\r\n", false},
        {VERSION "Mcp-Method: tools/call\r\nMcp-Name: =?base64?!!!?=\r\n", false},
        {VERSION "Mcp-Method: tools/call\r\nMcp-Name: =?base64?Z2V0X3Rhc2s=\r\n", false},
        {VERSION "Mcp-Method: tools/call\r\nMcp-Name: Z2V0X3Rhc2s=\r\n", false},
};

static void headers_are_held_against_the_body(void **state)
{
        (void)state;
        for (size_t i = 0; i < COUNT_OF(header_rows); i++) {
                auto_reply reply = ask_stateless_with(header_rows[i].lines, "tools/call",
                                                      "\"name\":\"get_task\",\"arguments\":{\"taskId\":\"t\"}");
                if (header_rows[i].is_served)
                        expect_complete(&reply);
                else
                        expect_error(&reply, 400, -32020);
                fixture_reset(NULL);
        }
        auto_reply resource = ask_stateless_with(VERSION "Mcp-Method: resources/read\r\nMcp-Name: longshore://b\r\n",
                                                 "resources/read", "\"uri\":\"longshore://a\"");
        expect_error(&resource, 400, -32020);
        auto_reply prompt =
                ask_stateless_with(VERSION "Mcp-Method: prompts/get\r\n", "prompts/get", "\"name\":\"handoff\"");
        expect_error(&prompt, 400, -32020);
        auto_reply nameless = ask_stateless_with(VERSION "Mcp-Method: prompts/get\r\n", "prompts/get", "");
        expect_error(&nameless, 200, -32602);
}

static void expect_decoded(const char *value, const char *decoded)
{
        auto_free char *found = stateless_header_decode(value);

        if (decoded)
                assert_string_equal(found, decoded);
        else
                assert_null(found);
}

static void a_name_that_no_header_can_hold_comes_as_base64(void **state)
{
        (void)state;
        expect_decoded("plain", "plain");
        expect_decoded("", "");
        expect_decoded("=?base64?w6kgYg==?=", "\xc3\xa9 b");
        expect_decoded(" \t=?base64?w6kgYg==?= \t", "\xc3\xa9 b");
        expect_decoded("\tplain ", "plain");
        expect_decoded("=?base64?"
                       "?=",
                       "");
        expect_decoded("=?base64?", "=?base64?");
        expect_decoded("=?BASE64?eA==?=", "=?BASE64?eA==?=");
        expect_decoded("=?base64?eA==?", "=?base64?eA==?");
        expect_decoded("=?base64?eA=?=", NULL);
        expect_decoded("=?base64?AA==?=", NULL);
}

static void an_unspoken_version_is_told_those_that_are(void **state)
{
        (void)state;
        auto_reply reply = post_with(
                "MCP-Protocol-Version: 2099-01-01\r\nMcp-Method: tools/list\r\n",
                "{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"tools/list\",\"params\":{\"_meta\":{" META_VERSION
                "\"2099-01-01\"," META_CAPABILITIES "{}}}}");
        expect_error(&reply, 400, -32022);
        json_t *data = json_object_get(json_object_get(reply.json, "error"), "data");
        assert_string_equal(document_get_string(data, "requested"), "2099-01-01");
        assert_int_equal(json_array_size(json_object_get(data, "supported")), 5);
}

static void what_the_revision_has_not_is_not_found(void **state)
{
        static const char *const methods[] = {
                "initialize",           "ping",      "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
                "subscriptions/listen", "tasks/get", "nonsense"};

        (void)state;
        for (size_t i = 0; i < COUNT_OF(methods); i++) {
                auto_reply reply = ask_stateless(methods[i], NULL, "");
                expect_error(&reply, 404, -32601);
        }
        auto_reply batch = post_with(VERSION, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}]");
        assert_int_equal(batch.status, 400);
        assert_int_equal(error_code_of(&batch), -32600);
        auto_reply response = post_with(VERSION, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
        assert_int_equal(response.status, 400);
        auto_reply stream = ask("GET", VERSION "Accept: text/event-stream\r\n", NULL);
        assert_int_equal(stream.status, 405);
}

static void a_notification_needs_no_headers_but_none_may_be_wrong(void **state)
{
        static const char body[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}";

        (void)state;
        auto_reply bare = post_with(VERSION, body);
        assert_int_equal(bare.status, 202);
        assert_string_equal(bare.body, "");
        auto_reply named = post_with(VERSION "Mcp-Method: notifications/cancelled\r\n", body);
        assert_int_equal(named.status, 202);
        auto_reply wrong = post_with(VERSION "Mcp-Method: tools/call\r\n", body);
        assert_int_equal(wrong.status, 400);
        assert_int_equal(error_code_of(&wrong), -32020);
}

static void a_large_request_is_held_to_the_same(void **state)
{
        auto_text params = TEXT_WITH_MAXIMUM(4000000);

        (void)state;
        text_append_string(&params, "\"name\":\"create_task\",\"arguments\":{\"instructions\":\"");
        for (int i = 0; i < 150000; i++)
                text_append_string(&params, "\\u00e9");
        text_append_string(&params, "\"}");
        auto_reply right = ask_stateless("tools/call", "create_task", text_string(&params));
        expect_complete(&right);
        fixture_reset(NULL);
        auto_reply wrong = ask_stateless("tools/call", "stop_task", text_string(&params));
        expect_error(&wrong, 400, -32020);
}

int run_stateless_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup(a_client_discovers_what_there_is_without_a_handshake, fixture_reset),
                cmocka_unit_test_setup(every_result_says_what_it_is_and_lists_how_long_they_hold, fixture_reset),
                cmocka_unit_test_setup(an_older_client_sees_none_of_it, fixture_reset),
                cmocka_unit_test_setup(what_every_request_has_to_say_must_be_there, fixture_reset),
                cmocka_unit_test_setup(headers_are_held_against_the_body, fixture_reset),
                cmocka_unit_test_setup(a_name_that_no_header_can_hold_comes_as_base64, fixture_reset),
                cmocka_unit_test_setup(an_unspoken_version_is_told_those_that_are, fixture_reset),
                cmocka_unit_test_setup(what_the_revision_has_not_is_not_found, fixture_reset),
                cmocka_unit_test_setup(a_notification_needs_no_headers_but_none_may_be_wrong, fixture_reset),
                cmocka_unit_test_setup(a_large_request_is_held_to_the_same, fixture_reset),
        };

        return cmocka_run_group_tests_name("mcp stateless", tests, fixture_open, fixture_close);
}
