/* Every error that the reference documents for the MCP server is made to come. */
#include "tests/mcp/fixture.h"

#include "mcp/answer.h"
#include "server/base/log.h"

#define TOKEN "Authorization: Bearer " STUB_TOKEN "\r\n"
#define JSON "Content-Type: application/json\r\n"
#define STATELESS TOKEN "MCP-Protocol-Version: 2026-07-28\r\n"
#define META                                                                                                           \
        "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/"             \
        "clientCapabilities\":{}}"
#define CALL(method, params) "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\",\"params\":{" params "}}"
#define LARGE 40

/* The request, and what it is answered with; a code of 0 is an error of HTTP, which has a word. */
static const struct row {
        int code, status;
        const char *word;
        const char *lines, *body;
        const char *method; /* NULL: POST */
        bool is_off;        /* MCP is switched off */
        bool changes;       /* access does not stop changing */
        bool is_large;
} rows[] = {
        {-32700, 400, NULL, TOKEN, "{", NULL, false, false, false},
        {-32600, 400, NULL, TOKEN, "{}", NULL, false, false, false},
        {-32600, 413, NULL, TOKEN, CALL("tools/call", "\"name\":\"get_task\",\"arguments\":{\"taskId\":\"%s\"}"), NULL,
         false, false, true},
        {-32601, 200, NULL, TOKEN, CALL("nonsense", ""), NULL, false, false, false},
        {-32601, 404, NULL, STATELESS "Mcp-Method: nonsense\r\n", CALL("nonsense", META), NULL, false, false, false},
        {-32602, 200, NULL, TOKEN, CALL("tools/call", "\"name\":\"nonsense\""), NULL, false, false, false},
        {-32602, 400, NULL, STATELESS, CALL("tools/list", ""), NULL, false, false, false},
        {-32603, 200, NULL, TOKEN, CALL("prompts/get", "\"name\":\"handoff\""), NULL, false, true, false},
        {-32002, 200, NULL, TOKEN, CALL("resources/read", "\"uri\":\"x:y\""), NULL, false, false, false},
        {-32020, 400, NULL, STATELESS, CALL("tools/list", META), NULL, false, false, false},
        {-32021, 400, NULL, STATELESS "Mcp-Method: tools/call\r\nMcp-Name: needs_sampling\r\n",
         CALL("tools/call", "\"name\":\"needs_sampling\"," META), NULL, false, false, false},
        {-32022, 400, NULL, TOKEN "MCP-Protocol-Version: 1999-01-01\r\n", CALL("tools/list", ""), NULL, false, false,
         false},
        {0, 401, "unauthenticated", JSON, CALL("tools/list", ""), NULL, false, false, false},
        {0, 403, "foreign_origin", TOKEN "Origin: https://evil.example\r\n", CALL("tools/list", ""), NULL, false, false,
         false},
        {0, 404, "not_found", TOKEN, CALL("tools/list", ""), NULL, true, false, false},
        {0, 405, "method_not_allowed", "", NULL, "GET", false, false, false},
        {0, 415, "unsupported_media_type", TOKEN "Content-Type: text/plain\r\n", CALL("tools/list", ""), NULL, false,
         false, false},
};

static void force(const struct row *row)
{
        auto_free char *filler = memory_new(LARGE * 64 + 1);

        fixture_reset(NULL);
        memset(filler, 'x', LARGE * 64);
        stub.settings.mcp_server_enabled = !row->is_off;
        stub.settings.body_maximum_kilobytes = row->is_large ? 1 : 1024;
        stub.changes = row->changes ? 100 : 0;
        auto_free char *body = row->is_large ? text_format(CALL("tools/call", "\"name\":\"get_task\",\"arguments\":{"
                                                                              "\"taskId\":\"%s\"}"),
                                                           filler)
                                             : text_copy(row->body);
        auto_reply reply = ask(row->method ? row->method : "POST", row->lines, body);
        if (reply.status != row->status || error_code_of(&reply) != row->code)
                fail_msg("%d %d: %d %s", row->code, row->status, reply.status, reply.body);
        if (row->word)
                assert_string_equal(document_get_string(reply.json, "error"), row->word);
}

static void every_documented_code_comes(void **state)
{
        (void)state;
        for (size_t i = 0; i < COUNT_OF(rows); i++)
                force(&rows[i]);
        for (const struct envelope_row *row = envelope_rows; row->sentence; row++) {
                bool is_forced = false;
                for (size_t i = 0; i < COUNT_OF(rows); i++)
                        is_forced |= rows[i].code == (int)row->code;
                if (!is_forced)
                        fail_msg("nothing makes %d come", row->code);
        }
}

/* The text of the refusal of a task that the stub refuses with this code. */
static struct reply refuse(const char *tool, int code)
{
        auto_free char *arguments = text_format("{\"taskId\":\"code %d\"%s}", code,
                                                strcmp(tool, "follow_up_task") ? "" : ",\"instructions\":\"x\"");

        return call_tool(tool, arguments);
}

static void a_read_answers_every_failure_by_a_code_of_its_list_without_a_reason(void **state)
{
        (void)state;
        for (int code = 1; code < ERROR_COUNT; code++) {
                const struct error_kind *told = error_kind(answer_read_code((enum error_code)code));
                auto_free char *wanted =
                        text_format("{\"error\":\"%s\",\"message\":\"%s\"}", told->code, told->sentence);
                auto_reply reply = refuse("get_task", code);
                assert_string_equal(result_text(&reply), wanted);
                assert_true(json_is_true(json_object_get(result_of(&reply), "isError")));
        }
}

static void a_change_answers_every_failure_by_its_own_code(void **state)
{
        (void)state;
        for (int code = 1; code < ERROR_COUNT; code++) {
                const struct error_kind *kind = error_kind((enum error_code)code);
                auto_reply reply = refuse("follow_up_task", code);
                if (code == ERROR_UNAUTHENTICATED) {
                        assert_int_equal(reply.status, 401);
                        continue;
                }
                auto_error error = {0};
                auto_json *told = document_parse(result_text(&reply), strlen(result_text(&reply)), &error);
                assert_string_equal(document_get_string(told, "error"), kind->code);
                assert_string_equal(document_get_string(told, "message"),
                                    kind->status == 500 ? kind->sentence : "a secret reason");
        }
}

int run_error_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup(every_documented_code_comes, fixture_reset),
                cmocka_unit_test_setup(a_read_answers_every_failure_by_a_code_of_its_list_without_a_reason,
                                       fixture_reset),
                cmocka_unit_test_setup(a_change_answers_every_failure_by_its_own_code, fixture_reset),
        };

        log_configure(LOG_LEVEL_ERROR + 1, false);
        int failed = cmocka_run_group_tests_name("mcp errors", tests, fixture_open, fixture_close);
        log_configure(LOG_LEVEL_ERROR, false);
        return failed;
}
