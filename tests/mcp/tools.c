#include "tests/mcp/fixture.h"

#include "mcp/answer.h"
#include "mcp/exchange.h"
#include "server/services/toolset.h"

static bool is_error(const struct reply *reply)
{
        return json_is_true(json_object_get(result_of(reply), "isError"));
}

static json_t *structured(const struct reply *reply)
{
        return json_object_get(result_of(reply), "structuredContent");
}

static void a_result_stands_as_text_and_as_structure(void **state)
{
        (void)state;
        auto_reply reply = call_tool("get_task", "{\"taskId\":\"t-1\"}");
        assert_int_equal(reply.status, 200);
        assert_false(is_error(&reply));
        assert_string_equal(result_text(&reply),
                            "{\"taskId\":\"t-1\",\"status\":\"running\",\"latestResponseMaxChars\":"
                            "12000,\"source\":\"mcp\",\"run\":1}");
        auto_error error = {0};
        auto_json *text = document_parse(result_text(&reply), strlen(result_text(&reply)), &error);
        assert_true(json_equal(text, structured(&reply)));
}

static void every_tool_that_reads_answers(void **state)
{
        static const char *const calls[][2] = {
                {"list_environments", "{}"},
                {"list_environments", "null"},
                {"list_tasks", "{\"limit\":100,\"pinned\":false,\"status\":\"failed\"}"},
                {"get_task_output", "{\"taskId\":\"t\",\"include\":[\"files\"]}"},
                {"read_task_file", "{\"taskId\":\"t\",\"path\":\"log.txt\",\"maxBytes\":512000}"},
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(calls); i++) {
                auto_reply reply = call_tool(calls[i][0], calls[i][1]);
                assert_false(is_error(&reply));
                assert_non_null(structured(&reply));
        }
}

static void an_unknown_tool_is_a_protocol_error(void **state)
{
        (void)state;
        auto_reply reply = call_tool("get_tusk", "{}");
        assert_int_equal(reply.status, 200);
        assert_int_equal(error_code_of(&reply), -32602);
        assert_non_null(strstr(reply.body, "get_tusk"));
        assert_non_null(strstr(reply.body, "get_task?"));
        auto_reply nameless = post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}");
        assert_int_equal(error_code_of(&nameless), -32602);
}

static void expect_invalid(const char *tool, const char *arguments, const char *named)
{
        static const char prefix[] = "MCP error -32602: Input validation error: ";
        auto_reply reply = call_tool(tool, arguments);

        assert_int_equal(reply.status, 200);
        assert_true(is_error(&reply));
        assert_null(structured(&reply));
        assert_memory_equal(result_text(&reply), prefix, sizeof prefix - 1);
        if (!strstr(result_text(&reply), named))
                fail_msg("%s", result_text(&reply));
        assert_int_equal(stub.runs, 0);
}

static void arguments_that_do_not_fit_are_named(void **state)
{
        (void)state;
        expect_invalid("get_task", "{}", "taskId is required");
        expect_invalid("get_task", "[]", "must be an object");
        expect_invalid("get_task", "{\"taskId\":7}", "taskId must be a string");
        expect_invalid("get_task", "{\"taskId\":\"t\",\"latestResponseMaxChars\":200001}", "latestResponseMaxChars");
        expect_invalid("get_task", "{\"taskId\":\"t\",\"latestResponseMaxChars\":0}", "latestResponseMaxChars");
        expect_invalid("get_task", "{\"taskId\":\"t\",\"outputMaxChars\":1.5}", "outputMaxChars");
        expect_invalid("get_task", "{\"taskId\":\"t\",\"taskid\":\"t\"}", "did you mean taskId?");
        expect_invalid("create_task", "{\"role\":\"x\"}", "role is not known");
        expect_invalid("create_task", "{\"agents\":[]}", "agents");
        expect_invalid("create_task", "{\"attachments\":[{\"filename\":\"a\"}]}", "attachments[0].content is required");
        expect_invalid("create_task", "{\"handoff\":{}}", "handoff.summary is required");
        expect_invalid("create_task", "{\"requestId\":\"x\"}", "requestId must be a UUID");
        expect_invalid("create_task", "{\"branches\":{\"a\":1}}", "branches.a must be a string");
        expect_invalid("create_task", "{\"agent\":\"\"}", "agent");
        expect_invalid("list_tasks", "{\"limit\":101}", "limit must be from 1 to 100");
        expect_invalid("list_environments", "{\"x\":1}", "x is not known");
        expect_invalid("read_task_file", "{\"taskId\":\"t\",\"path\":\"p\",\"maxBytes\":512001}", "maxBytes");
        expect_invalid("get_task_output", "{\"taskId\":\"t\",\"include\":[\"all\"]}", "include[0]");
        expect_invalid("interrupt_task", "{\"taskId\":\"t\",\"queue\":\"drop\"}", "queue must be one of: pause");
        expect_invalid("follow_up_task", "{\"instructions\":\"x\"}", "taskId is required");
        expect_invalid("follow_up_task", "{\"taskId\":\"t\"}", "instructions is required");
}

static void expect_refusal(const char *tool, const char *arguments, const char *text)
{
        auto_reply reply = call_tool(tool, arguments);

        assert_int_equal(reply.status, 200);
        assert_true(is_error(&reply));
        assert_null(structured(&reply));
        assert_string_equal(result_text(&reply), text);
}

static void a_read_tells_only_fixed_sentences(void **state)
{
        (void)state;
        expect_refusal("get_task", "{\"taskId\":\"missing\"}",
                       "{\"error\":\"task_not_found\",\"message\":\"There is no such task, or you may not open it.\"}");
        expect_refusal("get_task", "{\"taskId\":\"broken\"}",
                       "{\"error\":\"lookup_failed\",\"message\":\"The lookup failed.\"}");
        assert_int_equal(answer_read_code(ERROR_FILE_NOT_FOUND), ERROR_FILE_NOT_FOUND);
        assert_int_equal(answer_read_code(ERROR_USER_NOT_FOUND), ERROR_NOT_FOUND);
        assert_int_equal(answer_read_code(ERROR_BRANCH_INVALID), ERROR_INVALID_INPUT);
        assert_int_equal(answer_read_code(ERROR_TASK_BUSY), ERROR_CONFLICT);
        assert_int_equal(answer_read_code(ERROR_ENGINE_UNREACHABLE), ERROR_UNAVAILABLE);
        assert_int_equal(answer_read_code(ERROR_INTERNAL), ERROR_LOOKUP_FAILED);
        for (int code = 0; code < ERROR_COUNT; code++)
                assert_null(strpbrk(error_kind(answer_read_code((enum error_code)code))->sentence, "\"\\"));
}

static void a_change_tells_why_it_was_refused(void **state)
{
        (void)state;
        expect_refusal("create_task", "{}",
                       "{\"error\":\"conflict\",\"message\":\"a plain reason\",\"details\":{\"why\":\"because\"}}");
        expect_refusal("follow_up_task", "{\"taskId\":\"t\",\"instructions\":\"x\"}",
                       "{\"error\":\"task_busy\",\"message\":\"The task is busy; wait until its turn has ended.\"}");
        expect_refusal("follow_up_task", "{\"taskId\":\"crash\",\"instructions\":\"x\"}",
                       "{\"error\":\"internal\",\"message\":\"The server failed; the log has the reason under the "
                       "request id.\"}");
}

static void a_write_and_what_blocks_are_answered_later(void **state)
{
        (void)state;
        auto_reply created = call_tool("create_task", "{\"instructions\":\"x\"}");
        assert_string_equal(document_get_string(structured(&created), "user"), "ada");
        auto_reply stopped = call_tool("stop_task", "{\"taskId\":\"t\"}");
        assert_true(json_is_true(json_object_get(structured(&stopped), "hasReader")));
        auto_reply interrupted = call_tool("interrupt_task", "{\"taskId\":\"t\",\"queue\":\"send_queued\"}");
        assert_string_equal(document_get_string(structured(&interrupted), "queue"), "send_queued");
}

static void a_client_that_leaves_undoes_nothing(void **state)
{
        (void)state;
        hang_up_after("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"stop_task\","
                      "\"arguments\":{\"taskId\":\"gated\"}}}");
        auto_reply meanwhile = call_tool("get_task", "{\"taskId\":\"t\"}");
        assert_int_equal(meanwhile.status, 200);
        sem_post(&stub.gate);
        auto_reply after = call_tool("stop_task", "{\"taskId\":\"t\"}");
        assert_int_equal(after.status, 200);
}

static void a_read_is_made_again_when_access_changed_under_it(void **state)
{
        (void)state;
        stub.changes = 3;
        auto_reply settled = call_tool("get_task", "{\"taskId\":\"t\"}");
        assert_int_equal(document_get_integer(structured(&settled), "run", 0), 4);
        stub_reset();
        stub.changes = 4;
        expect_refusal("get_task", "{\"taskId\":\"t\"}",
                       "{\"error\":\"changed\",\"message\":\"Access changed while the answer was made; ask again.\"}");
        assert_int_equal(stub.runs, 4);
        stub_reset();
        stub.changes = 1;
        expect_refusal("get_task", "{\"taskId\":\"missing\"}",
                       "{\"error\":\"task_not_found\",\"message\":\"There is no such task, or you may not open it.\"}");
        assert_int_equal(stub.runs, 2);
}

static void what_was_read_is_withheld_when_mcp_or_the_key_is_gone(void **state)
{
        (void)state;
        stub.disables = true;
        expect_refusal("get_task", "{\"taskId\":\"t\"}",
                       "{\"error\":\"lookup_unavailable\",\"message\":\"The lookup is not available.\"}");
        stub_reset();
        stub.revokes = true;
        auto_reply reply = call_tool("get_task", "{\"taskId\":\"t\"}");
        assert_int_equal(reply.status, 401);
}

#define CALL(id, name, arguments)                                                                                      \
        "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" name                    \
        "\",\"arguments\":" arguments "}}"

static const char *text_at(const struct reply *reply, size_t i)
{
        json_t *result = json_object_get(json_array_get(reply->json, i), "result");

        return document_get_string(json_array_get(json_object_get(result, "content"), 0), "text");
}

static void a_batch_is_checked_as_a_whole(void **state)
{
        static const char body[] =
                "[" CALL("1", "get_task", "{\"taskId\":\"a\"}") "," CALL("2", "get_task", "{\"taskId\":\"b\"}") "]";

        (void)state;
        stub.changes = 1;
        auto_reply again = post(body);
        assert_int_equal(stub.runs, 4);
        assert_non_null(strstr(text_at(&again, 0), "\"run\":3"));
        assert_non_null(strstr(text_at(&again, 1), "\"run\":4"));
        stub.changes = 100;
        auto_reply changed = post(body);
        assert_non_null(strstr(text_at(&changed, 0), "\"changed\""));
        assert_non_null(strstr(text_at(&changed, 1), "\"changed\""));
}

static void a_batch_writes_blocks_and_reads(void **state)
{
        (void)state;
        auto_reply reply = post("[" CALL("1", "get_task", "{\"taskId\":\"a\"}") "," CALL(
                "2", "create_task",
                "{\"instructions\":\"x\"}") "," CALL("3", "create_task",
                                                     "{}") "," CALL("4", "stop_task",
                                                                    "{\"taskId\":\"t\"}") "," CALL("5", "no_tool",
                                                                                                   "{}") "]");
        assert_int_equal(json_array_size(reply.json), 5);
        assert_non_null(strstr(text_at(&reply, 0), "\"run\":4"));
        assert_non_null(strstr(text_at(&reply, 1), "\"taskId\":\"t\""));
        assert_non_null(strstr(text_at(&reply, 2), "a plain reason"));
        assert_non_null(strstr(text_at(&reply, 3), "interrupted"));
        assert_int_equal(document_get_integer(json_array_get(reply.json, 4), "id", 0), 5);
}

static void the_list_of_tools_is_the_same_bytes_every_time(void **state)
{
        (void)state;
        auto_reply first = post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
        auto_reply reply =
                post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}");
        size_t listed = 0;

        assert_string_equal(reply.body, first.body);
        for (size_t i = 0; i < mcp_tool_count; i++)
                listed += (toolset_bit(mcp_tools[i]->toolset) & toolset_defaults()) != 0;
        assert_int_equal(json_array_size(json_object_get(result_of(&reply), "tools")), listed);
}

static void expect_plain_schema(json_t *schema)
{
        static const char *const refused[] = {"anyOf", "oneOf", "allOf", "$ref"};

        assert_string_equal(document_get_string(schema, "type"), "object");
        for (size_t i = 0; i < COUNT_OF(refused); i++)
                assert_null(json_object_get(schema, refused[i]));
}

static void every_tool_is_described_for_every_client(void **state)
{
        size_t i;
        json_t *tool;

        (void)state;
        auto_reply reply =
                post_with("X-MCP-Toolsets: all\r\n", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
        assert_int_equal(json_array_size(json_object_get(result_of(&reply), "tools")), mcp_tool_count);
        json_array_foreach(json_object_get(result_of(&reply), "tools"), i, tool)
        {
                const char *name = document_get_string(tool, "name");
                json_t *hints = json_object_get(tool, "annotations");
                assert_ptr_equal(tool_find(name), mcp_tools[i]);
                assert_true(strspn(name, "abcdefghijklmnopqrstuvwxyz_") == strlen(name) && strlen(name) <= 64);
                assert_true(strlen(document_get_string(tool, "title")) > 0);
                assert_true(strlen(document_get_string(tool, "description")) > 100);
                expect_plain_schema(json_object_get(tool, "inputSchema"));
                expect_plain_schema(json_object_get(tool, "outputSchema"));
                assert_int_equal(json_is_true(json_object_get(hints, "readOnlyHint")),
                                 mcp_tools[i]->mode == TOOL_READS);
                assert_true(json_is_false(json_object_get(hints, "destructiveHint")));
                assert_true(mcp_tools[i]->input->size <= TOOL_INPUT_SIZE && mcp_tools[i]->input->size > 0);
                assert_true(toolset_bit(mcp_tools[i]->toolset) != 0);
                assert_non_null(mcp_tools[i]->run);
        }
}

static void files_are_prepared_before_the_piece_of_work_and_released_whatever_comes(void **state)
{
        (void)state;
        auto_reply made = call_tool("create_task", "{\"instructions\":\"x\",\"attachments\":"
                                                   "[{\"filename\":\"a\",\"content\":\"b\"}]}");
        assert_non_null(json_object_get(result_of(&made), "structuredContent"));
        assert_int_equal(stub.prepared, 1);
        assert_int_equal(stub.kept, 1);
        auto_reply bad = call_tool("create_task", "{\"instructions\":\"x\",\"attachments\":"
                                                  "[{\"filename\":\"bad\",\"content\":\"b\"}]}");
        assert_non_null(strstr(result_text(&bad), "invalid_attachment"));
        assert_int_equal(stub.kept, 1);
        auto_reply plain = call_tool("create_task", "{\"instructions\":\"x\"}");
        assert_non_null(json_object_get(result_of(&plain), "structuredContent"));
        assert_int_equal(stub.prepared, 1);
}

int run_tool_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup(a_result_stands_as_text_and_as_structure, fixture_reset),
                cmocka_unit_test_setup(every_tool_that_reads_answers, fixture_reset),
                cmocka_unit_test_setup(an_unknown_tool_is_a_protocol_error, fixture_reset),
                cmocka_unit_test_setup(arguments_that_do_not_fit_are_named, fixture_reset),
                cmocka_unit_test_setup(a_read_tells_only_fixed_sentences, fixture_reset),
                cmocka_unit_test_setup(a_change_tells_why_it_was_refused, fixture_reset),
                cmocka_unit_test_setup(a_write_and_what_blocks_are_answered_later, fixture_reset),
                cmocka_unit_test_setup(files_are_prepared_before_the_piece_of_work_and_released_whatever_comes,
                                       fixture_reset),
                cmocka_unit_test_setup(a_client_that_leaves_undoes_nothing, fixture_reset),
                cmocka_unit_test_setup(a_read_is_made_again_when_access_changed_under_it, fixture_reset),
                cmocka_unit_test_setup(what_was_read_is_withheld_when_mcp_or_the_key_is_gone, fixture_reset),
                cmocka_unit_test_setup(a_batch_is_checked_as_a_whole, fixture_reset),
                cmocka_unit_test_setup(a_batch_writes_blocks_and_reads, fixture_reset),
                cmocka_unit_test_setup(the_list_of_tools_is_the_same_bytes_every_time, fixture_reset),
                cmocka_unit_test_setup(every_tool_is_described_for_every_client, fixture_reset),
        };

        return cmocka_run_group_tests_name("mcp tools", tests, fixture_open, fixture_close);
}
