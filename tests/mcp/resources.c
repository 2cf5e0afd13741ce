/* Prompts, completion and resources. */
#include "tests/mcp/fixture.h"

#include "mcp/resource.h"

static struct reply ask_method(const char *method, const char *params)
{
        auto_free char *body =
                text_format("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}", method, params);

        return post(body);
}

static const char *prompt_text(const struct reply *reply)
{
        json_t *message = json_array_get(json_object_get(result_of(reply), "messages"), 0);

        return document_get_string(json_object_get(message, "content"), "text");
}

static void a_session_is_handed_over_by_a_prompt(void **state)
{
        (void)state;
        auto_reply list = ask_method("prompts/list", "{}");
        json_t *prompt = json_array_get(json_object_get(result_of(&list), "prompts"), 0);
        assert_string_equal(document_get_string(prompt, "name"), "handoff");
        assert_int_equal(json_array_size(json_object_get(prompt, "arguments")), 2);
        auto_reply open = ask_method("prompts/get", "{\"name\":\"handoff\"}");
        assert_non_null(strstr(prompt_text(&open), "create_task"));
        assert_non_null(strstr(prompt_text(&open), "\"main\""));
        assert_null(strstr(prompt_text(&open), "\"old\""));
        assert_null(strstr(prompt_text(&open), "\"theirs\""));
        auto_reply told = ask_method("prompts/get", "{\"name\":\"handoff\",\"arguments\":{\"environment\":\"main\","
                                                    "\"remaining\":\"Make the tests pass\"}}");
        assert_non_null(strstr(prompt_text(&told), "environment: \"main\"."));
        assert_non_null(strstr(prompt_text(&told), "Make the tests pass"));
}

static void a_prompt_says_what_is_wrong_with_its_arguments(void **state)
{
        static const char *const params[] = {
                "{}",
                "{\"name\":7}",
                "{\"name\":\"handof\"}",
                "{\"name\":\"handoff\",\"arguments\":[]}",
                "{\"name\":\"handoff\",\"arguments\":{\"environment\":7}}",
                "{\"name\":\"handoff\",\"arguments\":{\"environments\":\"main\"}}",
                "{\"name\":\"handoff\",\"arguments\":{\"environment\":\"theirs\"}}",
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(params); i++) {
                auto_reply reply = ask_method("prompts/get", params[i]);
                assert_int_equal(reply.status, 200);
                assert_int_equal(error_code_of(&reply), -32602);
        }
}

static void arguments_are_completed(void **state)
{
#define REF(name, argument, value)                                                                                     \
        "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"" name "\"},\"argument\":{\"name\":\"" argument                  \
        "\",\"value\":\"" value "\"}}"
        (void)state;
        auto_reply reply = ask_method("completion/complete", REF("handoff", "environment", "ma"));
        json_t *values = json_object_get(json_object_get(result_of(&reply), "completion"), "values");
        assert_int_equal(json_array_size(values), 1);
        assert_string_equal(json_string_value(json_array_get(values, 0)), "main");
        auto_reply none = ask_method("completion/complete", REF("handoff", "remaining", "x"));
        assert_int_equal(document_get_integer(json_object_get(result_of(&none), "completion"), "total", -1), 0);
        auto_reply template =
                ask_method("completion/complete", "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"longshore://x\"},"
                                                  "\"argument\":{\"name\":\"taskId\",\"value\":\"\"}}");
        assert_non_null(result_of(&template));
        auto_reply unknown = ask_method("completion/complete", REF("handoff", "x", ""));
        assert_int_equal(error_code_of(&unknown), -32602);
        auto_reply broken = ask_method("completion/complete", "{\"ref\":{},\"argument\":{\"name\":\"x\"}}");
        assert_int_equal(error_code_of(&broken), -32602);
}

static void the_files_of_tasks_are_listed(void **state)
{
        (void)state;
        auto_reply reply = ask_method("resources/list", "{}");
        json_t *resources = json_object_get(result_of(&reply), "resources");
        json_t *first = json_array_get(resources, 0);
        assert_int_equal(json_array_size(resources), 1); /* the second task is gone */
        assert_string_equal(document_get_string(first, "uri"), "longshore://tasks/t/files/a%20b/%C3%A9.md");
        assert_string_equal(document_get_string(first, "name"), "a b/\xc3\xa9.md");
        assert_string_equal(document_get_string(first, "title"), "Fix it: a b/\xc3\xa9.md");
        assert_string_equal(document_get_string(first, "mimeType"), "text/markdown");
        assert_int_equal(document_get_integer(first, "size", 0), 3);
        assert_string_equal(document_get_string(result_of(&reply), "nextCursor"), "more");
        auto_reply wrong = ask_method("resources/list", "{\"cursor\":\"nonsense\"}");
        assert_int_equal(error_code_of(&wrong), -32602);
        auto_reply templates = ask_method("resources/templates/list", "{}");
        assert_string_equal(
                document_get_string(json_array_get(json_object_get(result_of(&templates), "resourceTemplates"), 0),
                                    "uriTemplate"),
                RESOURCE_TEMPLATE);
}

static struct reply read_uri(const char *uri)
{
        auto_free char *params = text_format("{\"uri\":\"%s\"}", uri);

        return ask_method("resources/read", params);
}

static void a_file_is_read_as_read_task_file_reads_it(void **state)
{
        (void)state;
        stub.result = json_pack("{s:s, s:s, s:i, s:i, s:n}", "encoding", "utf8", "content", "abc", "size", 3, "offset",
                                0, "nextOffset");
        auto_reply text = read_uri("longshore://tasks/t/files/a%20b/%C3%A9.md");
        json_t *contents = json_array_get(json_object_get(result_of(&text), "contents"), 0);
        assert_string_equal(document_get_string(contents, "text"), "abc");
        assert_string_equal(document_get_string(contents, "mimeType"), "text/markdown");
        assert_string_equal(stub.path, "a b/\xc3\xa9.md");
        assert_int_equal(stub.maximum, RESOURCE_PAGE);
        json_object_set_new(stub.result, "encoding", json_string("base64"));
        auto_reply binary = read_uri("longshore://tasks/t/files/x.png?offset=512000&maxBytes=100");
        contents = json_array_get(json_object_get(result_of(&binary), "contents"), 0);
        assert_string_equal(document_get_string(contents, "blob"), "abc");
        assert_null(json_object_get(contents, "text"));
        assert_int_equal(stub.offset, 512000);
        assert_int_equal(stub.maximum, 100);
}

static void expect_no_resource(const char *uri)
{
        auto_reply reply = read_uri(uri);

        assert_int_equal(reply.status, 200);
        assert_int_equal(error_code_of(&reply), -32002);
        json_t *data = json_object_get(json_object_get(reply.json, "error"), "data");
        assert_string_equal(document_get_string(data, "uri"), uri);
        auto_free char *params = text_format("\"uri\":\"%s\"", uri);
        auto_reply stateless = ask_stateless("resources/read", uri, params);
        assert_int_equal(error_code_of(&stateless), -32602);
}

static void what_is_hidden_and_what_is_not_there_are_one(void **state)
{
        static const char *const uris[] = {
                "longshore://tasks/t/files/",
                "longshore://tasks//files/x",
                "longshore://tasks/t",
                "longshore://tasks/t/files/x#y",
                "longshore://tasks/t/files/x?offset=-1",
                "longshore://tasks/t/files/x?maxBytes=512001",
                "longshore://tasks/t/files/x?page=1",
                "longshore://tasks/t/files/%zz",
                "longshore://tasks/t/files/%4",
                "longshore://tasks/t/files/%00",
                "longshore://tasks/t/files/%ff",
                "http://tasks/t/files/x",
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(uris); i++)
                expect_no_resource(uris[i]);
        assert_int_equal(stub.runs, 0);
        for (int code = 1; code < ERROR_COUNT; code++) {
                int status = error_kind((enum error_code)code)->status;
                if (code == ERROR_INVALID_INPUT || (status != 404 && status != 403 && status != 400))
                        continue;
                auto_free char *uri = text_format("longshore://tasks/code%%20%d/files/x", code);
                expect_no_resource(uri);
        }
        auto_reply missing = ask_method("resources/read", "{}");
        assert_int_equal(error_code_of(&missing), -32602);
}

static void a_read_is_checked_again_before_it_is_sent(void **state)
{
        (void)state;
        stub.changes = 1;
        auto_reply again = ask_method("prompts/get", "{\"name\":\"handoff\"}");
        assert_non_null(result_of(&again));
        assert_int_equal(stub.runs, 2);
        stub.changes = 100;
        auto_reply changed = read_uri("longshore://tasks/t/files/x");
        assert_int_equal(error_code_of(&changed), -32603);
        assert_non_null(strstr(changed.body, "\"error\":\"changed\""));
        stub.changes = 0;
        stub.disables = true;
        auto_reply withheld = ask_method("resources/list", "{}");
        assert_non_null(strstr(withheld.body, "\"error\":\"lookup_unavailable\""));
        fixture_reset(NULL);
        stub.revokes = true;
        auto_reply revoked = read_uri("longshore://tasks/t/files/x");
        assert_int_equal(revoked.status, 401);
}

static void a_uri_is_what_it_was_made_of(void **state)
{
        static const char *const paths[] = {"summary.md", "a b", "100%", "x?y#z", "\xc3\xa9/\xe2\x82\xac",
                                            "a/files/b",  "\"\\"};

        (void)state;
        for (size_t i = 0; i < COUNT_OF(paths); i++) {
                auto_text uri = TEXT_WITH_MAXIMUM(1000);
                auto_resource_file file = {0};
                auto_error error = {0};
                resource_write_uri(&uri, "1700000000000-aaaaaaaaa", paths[i]);
                assert_true(resource_read_uri(text_string(&uri), &file, &error));
                assert_string_equal(file.task_id, "1700000000000-aaaaaaaaa");
                assert_string_equal(file.path, paths[i]);
        }
        assert_string_equal(resource_media_type("a.PNG"), "image/png");
        assert_string_equal(resource_media_type("a.b/c"), "application/octet-stream");
        assert_string_equal(resource_media_type("log.txt"), "text/plain");
}

int run_resource_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup(a_session_is_handed_over_by_a_prompt, fixture_reset),
                cmocka_unit_test_setup(a_prompt_says_what_is_wrong_with_its_arguments, fixture_reset),
                cmocka_unit_test_setup(arguments_are_completed, fixture_reset),
                cmocka_unit_test_setup(the_files_of_tasks_are_listed, fixture_reset),
                cmocka_unit_test_setup(a_file_is_read_as_read_task_file_reads_it, fixture_reset),
                cmocka_unit_test_setup(what_is_hidden_and_what_is_not_there_are_one, fixture_reset),
                cmocka_unit_test_setup(a_read_is_checked_again_before_it_is_sent, fixture_reset),
                cmocka_unit_test_setup(a_uri_is_what_it_was_made_of, fixture_reset),
        };

        return cmocka_run_group_tests_name("mcp resources", tests, fixture_open, fixture_close);
}
