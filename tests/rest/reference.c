#include "tests/rest/fixture.h"

#include "mcp/prompt.h"
#include "mcp/tool.h"
#include "server/reference.h"
#include "server/services/permission.h"
#include "server/services/toolset.h"

static void expect(const struct text *out, const char *before, const char *name, const char *after)
{
        auto_free char *wanted = text_format("%s%s%s", before, name, after);

        if (!strstr(text_string(out), wanted))
                fail_msg("the reference does not have %s", wanted);
}

static void the_reference_has_every_row_of_every_table(void **state)
{
        auto_text out = TEXT_WITH_MAXIMUM(REFERENCE_MAXIMUM);
        auto_error error = {0};

        (void)state;
        assert_true(reference_print(NULL, &out, &error));
        assert_false(out.is_cut);
        for (size_t i = 0; i < mcp_tool_count; i++)
                expect(&out, "\n### ", mcp_tools[i]->name, "\n");
        for (size_t i = 0; i < toolset_count; i++)
                expect(&out, "| `", toolset_rows[i].name, "` |");
        for (size_t i = 0; i < prompt_count(); i++)
                expect(&out, "| `", prompt_at(i)->name, "` |");
        for (const struct envelope_row *row = envelope_rows; row->sentence; row++) {
                auto_free char *code = text_format("%d", row->code);
                expect(&out, "| `", code, "` |");
        }
        for (size_t i = 0; i < settings_table.count; i++)
                expect(&out, "| `", settings_table.rows[i].name, "` |");
        for (int i = 1; i < ERROR_COUNT; i++)
                expect(&out, "| `", error_kind((enum error_code)i)->code, "` |");
        for (int i = 0; i < PERMISSION_COUNT; i++)
                expect(&out, "| `", permission_string((enum permission)i), "` |");
        for (size_t i = 0; i < route_count; i++)
                expect(&out, "| `", routes[i].path, "` |");
        expect(&out, "| `", "limits.memoryMb", "` |");
        expect(&out, "| `", "repositories[].readOnly", "` |");
}

static void every_row_of_a_table_has_as_many_columns_as_its_head(void **state)
{
        auto_text out = TEXT_WITH_MAXIMUM(REFERENCE_MAXIMUM);
        auto_error error = {0};
        int wanted = 0;
        char *rest;

        (void)state;
        assert_true(reference_print(NULL, &out, &error));
        auto_free char *copy = text_take(&out);
        for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
                int bars = 0;
                for (char *at = line; *line == '|' && *at; at++)
                        bars += *at == '|';
                if (bars && wanted && bars != wanted)
                        fail_msg("%d columns instead of %d in: %s", bars - 1, wanted - 1, line);
                wanted = bars;
        }
}

static void a_section_stands_alone_and_an_unknown_one_is_refused(void **state)
{
        auto_text out = TEXT_WITH_MAXIMUM(REFERENCE_MAXIMUM);
        auto_error error = {0};

        (void)state;
        assert_true(reference_print("errors", &out, &error));
        assert_int_equal(strncmp(text_string(&out), "## Error codes\n\n", 16), 0);
        assert_null(strstr(text_string(&out), "## Tools"));
        assert_false(reference_print("errrors", &out, &error));
        assert_int_equal(error.code, ERROR_NOT_FOUND);
        assert_non_null(strstr(error.message, "tools, mcp, settings, environment, rest, errors, permissions"));
}

static void the_server_shows_the_same(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_text out = TEXT_WITH_MAXIMUM(REFERENCE_MAXIMUM), section = TEXT_WITH_MAXIMUM(REFERENCE_MAXIMUM);
        auto_error error = {0};

        assert_true(reference_print(NULL, &out, &error));
        assert_true(reference_print("settings", &section, &error));
        auto_reply *all = ask(fixture->connection, "GET", "/reference", "", NULL);
        auto_reply *one = ask(fixture->connection, "GET", "/reference/settings", "", NULL);
        auto_reply *none = ask(fixture->connection, "GET", "/reference/nothing", "", NULL);
        assert_int_equal(all->status, 200);
        assert_string_equal(reply_header(all, "Content-Type"), "text/markdown; charset=utf-8");
        assert_string_equal(all->body, text_string(&out));
        assert_string_equal(one->body, text_string(&section));
        assert_int_equal(none->status, 404);
}

int run_reference_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_reference_has_every_row_of_every_table),
                cmocka_unit_test(every_row_of_a_table_has_as_many_columns_as_its_head),
                cmocka_unit_test(a_section_stands_alone_and_an_unknown_one_is_refused),
                cmocka_unit_test_setup_teardown(the_server_shows_the_same, rest_set_up, rest_tear_down),
        };

        return cmocka_run_group_tests_name("reference", tests, NULL, NULL);
}
