#include "tests/mcp/fixture.h"

#include "server/base/bound.h"

static const struct bound_exemption exempt[] = {{"latestResponse", "content"}, {NULL, "content"}, {NULL, NULL}};
static const struct bound_rules plain = {0}, sized = {.exempt = exempt};

/* What the result becomes, parsed again. It is taken. */
static json_t *bounded(json_t *result, const struct bound_rules *rules)
{
        auto_text out = TEXT_WITH_MAXIMUM(SIZE_MAX / 8);
        auto_error error = {0};
        auto_json *owned = result;
        size_t ceiling = rules->ceiling ? rules->ceiling : BOUND_CEILING;

        if (!bound_write(&out, owned, rules, &error))
                fail_msg("%s", error.message);
        assert_true(utf8_count(out.data, out.length) <= ceiling);
        json_t *parsed = document_parse(out.data, out.length, &error);
        if (!parsed)
                fail_msg("%s", error.message);
        return parsed;
}

static json_t *string_of(const char *unit, size_t count)
{
        auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 8);

        for (size_t i = 0; i < count; i++)
                text_append_string(&text, unit);
        return document_text(text_string(&text), text.length);
}

static size_t characters(const json_t *string)
{
        return utf8_count(json_string_value(string), json_string_length(string));
}

static void a_small_result_is_what_the_library_would_print(void **state)
{
        static const char text[] = "{\"a\":[1,-9223372036854775808,{\"b\":null,\"c\":[]}],\"d\":1.5,\"e\":true,\"f\":"
                                   "false,\"g\":\"q\\\"\\\\\\n\xc3\xa9\",\"h\":{},\"\":9223372036854775807}";
        auto_text out = TEXT_WITH_MAXIMUM(1000);
        auto_error error = {0};

        (void)state;
        auto_json *result = document_parse(text, strlen(text), &error);
        assert_true(bound_write(&out, result, &plain, &error));
        assert_string_equal(out.data, text);
}

static void a_string_is_cut_at_its_limit_of_characters(void **state)
{
        (void)state;
        auto_json *cut = bounded(
                json_pack("{s:o, s:o}", "a", string_of("\xc3\xa9", 24001), "b", string_of("\xc3\xa9", 24000)), &plain);
        assert_int_equal(characters(json_object_get(cut, "a")), 24000);
        assert_non_null(strstr(document_get_string(cut, "a"), "[... cut, 24001 characters ...]"));
        assert_int_equal(characters(json_object_get(cut, "b")), 24000);
        assert_null(strstr(document_get_string(cut, "b"), "cut"));
        assert_null(json_object_get(cut, "responseTruncated"));
}

static void a_sized_string_is_not_cut(void **state)
{
        (void)state;
        auto_json *kept = bounded(json_pack("{s:{s:o, s:o}, s:o}", "latestResponse", "content", string_of("x", 200000),
                                            "other", string_of("y", 30000), "content", string_of("z", 40000)),
                                  &sized);
        json_t *reply = json_object_get(kept, "latestResponse");
        assert_int_equal(characters(json_object_get(reply, "content")), 200000);
        assert_int_equal(characters(json_object_get(reply, "other")), 24000);
        assert_int_equal(characters(json_object_get(kept, "content")), 40000);
}

static json_t *numbers(size_t count)
{
        json_t *array = json_array();

        for (size_t i = 0; i < count; i++)
                json_array_append_new(array, json_integer((json_int_t)i));
        return array;
}

static json_t *members(size_t count)
{
        json_t *object = json_object();

        for (size_t i = 0; i < count; i++) {
                char name[20];
                snprintf(name, sizeof name, "m%zu", i);
                json_object_set_new(object, name, json_true());
        }
        return object;
}

static void lists_and_objects_say_how_much_was_left_out(void **state)
{
        (void)state;
        auto_json *cut = bounded(json_pack("{s:o, s:o, s:{s:o, s:i}, s:o, s:i}", "files", numbers(507), "exact",
                                           numbers(500), "nested", "rows", numbers(501), "rowsOmitted", 10, "map",
                                           members(503), "exactOmitted", 4),
                                 &plain);
        json_t *nested = json_object_get(cut, "nested");
        assert_int_equal(json_array_size(json_object_get(cut, "files")), 500);
        assert_int_equal(document_get_integer(cut, "filesOmitted", 0), 7);
        assert_int_equal(json_array_size(json_object_get(cut, "exact")), 500);
        assert_int_equal(document_get_integer(cut, "exactOmitted", 0), 4);
        assert_int_equal(document_get_integer(nested, "rowsOmitted", 0), 11);
        assert_int_equal(json_object_size(json_object_get(cut, "map")), 500);
        assert_int_equal(document_get_integer(cut, "mapOmitted", 0), 3);
}

static json_t *long_strings(size_t count, size_t length)
{
        json_t *array = json_array();

        for (size_t i = 0; i < count; i++)
                json_array_append_new(array, string_of("w", length));
        return array;
}

static void what_is_still_too_large_is_halved_until_it_fits(void **state)
{
        (void)state;
        auto_json *cut = bounded(json_pack("{s:o, s:s}", "rows", long_strings(50, 20000), "status", "failed"), &plain);
        json_t *limits = json_object_get(cut, "responseLimits");
        assert_true(json_is_true(json_object_get(cut, "responseTruncated")));
        assert_int_equal(document_get_integer(limits, "maxStringChars", 0), 6000);
        assert_int_equal(document_get_integer(limits, "maxArrayItems", 0), 125);
        assert_int_equal(document_get_integer(limits, "maxObjectKeys", 0), 125);
        assert_int_equal(json_array_size(json_object_get(cut, "rows")), 50);
        assert_string_equal(document_get_string(cut, "status"), "failed");
}

static void halving_keeps_the_end_of_a_sized_string(void **state)
{
        (void)state;
        json_t *result = json_pack("{s:{s:o}}", "latestResponse", "content", string_of("\x01", 150000));
        auto_text text = TEXT_WITH_MAXIMUM(1000000);
        for (int i = 0; i < 150000; i++)
                text_append_string(&text, i < 149990 ? "\x01" : "e");
        json_object_set_new(json_object_get(result, "latestResponse"), "content",
                            document_text(text.data, text.length));
        auto_json *cut = bounded(result, &sized);
        const char *content = document_get_string(json_object_get(cut, "latestResponse"), "content");
        assert_memory_equal(content, "[... the end of 150000 characters ...]\n", 39);
        assert_string_equal(content + strlen(content) - 10, "eeeeeeeeee");
        assert_true(json_is_true(json_object_get(cut, "responseTruncated")));
}

static void a_full_page_of_a_file_passes_whole(void **state)
{
        static const struct bound_rules page = {.exempt = exempt, .ceiling = 690000};

        (void)state;
        auto_json *kept = bounded(json_pack("{s:s, s:o}", "path", "a", "content", string_of("QUJD", 170667)), &page);
        assert_int_equal(characters(json_object_get(kept, "content")), 682668);
        assert_null(json_object_get(kept, "responseTruncated"));
}

static void the_ceiling_counts_characters_not_bytes(void **state)
{
        (void)state;
        json_t *rows = json_array();
        for (int i = 0; i < 25; i++)
                json_array_append_new(rows, string_of("\xf0\x9f\x98\x80", 20000));
        auto_json *kept = bounded(json_pack("{s:o}", "rows", rows), &plain);
        assert_null(json_object_get(kept, "responseTruncated"));
}

static void what_cannot_fit_is_an_error(void **state)
{
        auto_text out = TEXT_WITH_MAXIMUM(SIZE_MAX / 8);
        auto_error error = {0};

        (void)state;
        auto_json *result = json_object();
        auto_json *name = string_of("k", 600000);
        json_object_set_new(result, json_string_value(name), json_true());
        text_append_string(&out, "before");
        assert_false(bound_write(&out, result, &plain, &error));
        assert_int_equal(error.code, ERROR_LOOKUP_FAILED);
        assert_int_equal(out.length, 6);
        assert_false(out.is_cut);
}

static void results_of_calls_are_bounded(void **state)
{
        (void)state;
        stub.result = json_pack("{s:o}", "name", string_of("n", 30000));
        auto_reply reply = call_tool("get_task", "{\"taskId\":\"t\"}");
        json_t *name = json_object_get(json_object_get(result_of(&reply), "structuredContent"), "name");
        assert_int_equal(characters(name), 24000);
}

int run_bound_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_small_result_is_what_the_library_would_print),
                cmocka_unit_test(a_string_is_cut_at_its_limit_of_characters),
                cmocka_unit_test(a_sized_string_is_not_cut),
                cmocka_unit_test(lists_and_objects_say_how_much_was_left_out),
                cmocka_unit_test(what_is_still_too_large_is_halved_until_it_fits),
                cmocka_unit_test(halving_keeps_the_end_of_a_sized_string),
                cmocka_unit_test(a_full_page_of_a_file_passes_whole),
                cmocka_unit_test(the_ceiling_counts_characters_not_bytes),
                cmocka_unit_test(what_cannot_fit_is_an_error),
                cmocka_unit_test_setup(results_of_calls_are_bounded, fixture_reset),
        };

        return cmocka_run_group_tests_name("mcp bounds", tests, fixture_open, fixture_close);
}
