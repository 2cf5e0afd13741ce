/* Which tools a caller is shown, and may call. */
#include "tests/mcp/fixture.h"

#include "mcp/scope.h"
#include "server/services/toolset.h"

#define LIST "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"
#define DEFAULT_MAXIMUM 40

static bool lists(const struct reply *reply, const char *name)
{
        json_t *tool;
        size_t i;

        json_array_foreach(json_object_get(result_of(reply), "tools"), i, tool)
        {
                if (!strcmp(document_get_string(tool, "name"), name))
                        return true;
        }
        return false;
}

static size_t count(const struct reply *reply)
{
        return json_array_size(json_object_get(result_of(reply), "tools"));
}

static void the_list_that_nobody_narrowed_is_short(void **state)
{
        static const struct grants all = {.is_administrator = true};
        const struct actor actor = {.credential = CREDENTIAL_API_KEY, .grants = &all};
        const struct scope scope = {.actor = &actor};
        size_t listed = 0;

        (void)state;
        for (size_t i = 0; i < mcp_tool_count; i++) {
                assert_true(toolset_bit(mcp_tools[i]->toolset) != 0);
                listed += scope_lists(&scope, mcp_tools[i]);
        }
        assert_true(listed > 0 && listed < DEFAULT_MAXIMUM);
        assert_true(toolset_bit("core") & toolset_defaults());
        assert_false(toolset_bit("panels") & toolset_defaults());
}

static void toolsets_are_read_by_name(void **state)
{
        auto_error error = {0};
        uint32_t set;

        (void)state;
        assert_true(toolset_parse(" core, groups,", &set, &error));
        assert_int_equal(set, toolset_bit("core") | toolset_bit("groups"));
        assert_true(toolset_parse("default", &set, &error));
        assert_int_equal(set, toolset_defaults());
        assert_true(toolset_parse("all", &set, &error));
        assert_true(set & toolset_bit("panels"));
        assert_false(toolset_parse("core,cores", &set, &error));
        assert_non_null(strstr(error.message, "there is no toolset cores; there are core, "));
        error_clear(&error);
        assert_false(toolset_parse(" , ", &set, &error));
}

static struct reply list_at(const char *query, const char *header_lines)
{
        return ask_at(query, header_lines, LIST);
}

static void a_caller_narrows_the_list_by_the_url_a_header_or_the_key(void **state)
{
        (void)state;
        auto_reply all = post(LIST);
        assert_true(lists(&all, "get_task"));
        auto_reply url = list_at("?toolsets=core", "");
        assert_true(lists(&url, "get_task") && count(&url) < count(&all));
        assert_false(lists(&url, "fork_task"));
        auto_reply other = list_at("?toolsets=panels,judges", "");
        assert_false(lists(&other, "get_task"));
        auto_reply header = list_at("", "X-MCP-Toolsets: panels\r\n");
        assert_false(lists(&header, "get_task"));
        auto_reply both = list_at("?toolsets=core,judges", "X-MCP-Toolsets: judges\r\n");
        assert_false(lists(&both, "get_task"));
        auto_reply nothing = list_at("?toolsets=core", "X-MCP-Toolsets: judges\r\n");
        assert_int_equal(nothing.status, 200);
        assert_int_equal(count(&nothing), 0);
        stub.toolsets = toolset_bit("judges");
        auto_reply key = post(LIST);
        assert_false(lists(&key, "get_task"));
        auto_reply more = list_at("?toolsets=all", "");
        assert_false(lists(&more, "get_task"));
        auto_reply unknown = list_at("?toolsets=corr", "");
        assert_int_equal(error_code_of(&unknown), -32602);
}

static void a_call_is_narrowed_only_where_the_caller_asked_for_it(void **state)
{
        static const char call[] =
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"get_task\","
                "\"arguments\":{\"taskId\":\"t\"}}}";

        (void)state;
        auto_reply plain = post(call);
        assert_non_null(result_of(&plain));
        auto_reply within = ask_at("?toolsets=core", "", call);
        assert_non_null(result_of(&within));
        auto_reply outside = ask_at("?toolsets=groups", "", call);
        assert_int_equal(error_code_of(&outside), -32602);
        assert_non_null(strstr(outside.body, "get_task is in the toolset core"));
        auto_reply header = post_with("X-MCP-Toolsets: judges\r\n", call);
        assert_int_equal(error_code_of(&header), -32602);
        stub.toolsets = toolset_bit("groups");
        auto_reply key = post(call);
        assert_int_equal(error_code_of(&key), -32602);
        assert_int_equal(stub.runs, 2);
}

static void a_list_shows_only_what_the_roles_are_of_use_for(void **state)
{
        (void)state;
        stub.permissions = PERMISSION_BIT(TASKS_VIEW);
        auto_reply viewer = post(LIST);
        assert_true(lists(&viewer, "get_task") && lists(&viewer, "list_environments"));
        assert_false(lists(&viewer, "create_task") || lists(&viewer, "stop_task") || lists(&viewer, "rename_task"));
        stub.permissions = 0;
        auto_reply nobody = post(LIST);
        assert_true(lists(&nobody, "list_environments"));
        assert_false(lists(&nobody, "get_task"));
        auto_reply called = call_tool("get_task", "{\"taskId\":\"t\"}");
        assert_non_null(json_object_get(result_of(&called), "structuredContent"));
}

static void tools_for_people_and_for_tasks_are_told_apart(void **state)
{
        static const struct grants all = {.is_administrator = true};
        struct actor actor = {.credential = CREDENTIAL_API_KEY, .grants = &all};
        const struct scope scope = {.actor = &actor};
        struct tool people = *mcp_tools[0], tasks = *mcp_tools[0];

        (void)state;
        people.audience = TOOL_FOR_PEOPLE;
        tasks.audience = TOOL_FOR_TASKS;
        assert_true(scope_lists(&scope, &people) && scope_has(&scope, &people));
        assert_false(scope_lists(&scope, &tasks) || scope_has(&scope, &tasks));
        actor.credential = CREDENTIAL_TASK;
        assert_false(scope_lists(&scope, &people) || scope_has(&scope, &people));
        assert_true(scope_lists(&scope, &tasks) && scope_has(&scope, &tasks));
        assert_true(scope_has(&scope, mcp_tools[0]));
}

int run_scope_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup(the_list_that_nobody_narrowed_is_short, fixture_reset),
                cmocka_unit_test_setup(toolsets_are_read_by_name, fixture_reset),
                cmocka_unit_test_setup(a_caller_narrows_the_list_by_the_url_a_header_or_the_key, fixture_reset),
                cmocka_unit_test_setup(a_call_is_narrowed_only_where_the_caller_asked_for_it, fixture_reset),
                cmocka_unit_test_setup(a_list_shows_only_what_the_roles_are_of_use_for, fixture_reset),
                cmocka_unit_test_setup(tools_for_people_and_for_tasks_are_told_apart, fixture_reset),
        };

        return cmocka_run_group_tests_name("mcp scope", tests, fixture_open, fixture_close);
}
