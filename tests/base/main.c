#include <ctype.h>

#include "tests/base/suites.h"
#include "tests/cmocka.h"

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/id.h"
#include "server/base/secret.h"

static void a_time_is_read_back_as_it_was_written(void **state)
{
        char iso[CLOCK_ISO_SIZE];
        int64_t ms;

        (void)state;
        clock_format(1717000000123, iso);
        assert_string_equal(iso, "2024-05-29T16:26:40.123Z");
        assert_true(clock_parse(iso, &ms));
        assert_int_equal(ms, 1717000000123);
        clock_format(-1, iso);
        assert_string_equal(iso, "1969-12-31T23:59:59.999Z");
        assert_true(clock_parse("2026-10-28T12:00:00-04:00", &ms));
        assert_false(clock_parse("2026-10-28T12:00:00", &ms));
        assert_false(clock_parse("2026-02-30T12:00:00Z", &ms));
        assert_false(clock_parse("2026-10-28", &ms));
}

static void broken_bytes_become_replacement_characters(void **state)
{
        (void)state;
        auto_json *text = document_text("a\xff"
                                        "b\xe2\x82",
                                        5);
        assert_string_equal(json_string_value(text), "a\xef\xbf\xbd"
                                                     "b\xef\xbf\xbd\xef\xbf\xbd");
}

static void what_is_quoted_is_parsed_back_as_it_was(void **state)
{
        auto_text quoted = TEXT_WITH_MAXIMUM(100000);
        char text[3000];
        auto_error error = {0};

        (void)state;
        for (size_t i = 0; i < sizeof text; i++)
                text[i] = (char)(i % 127 + 1);
        text_append_string(&quoted, "[");
        document_append_quoted(&quoted, text, sizeof text);
        text_append_string(&quoted, ",");
        document_append_quoted(&quoted, "", 0);
        text_append_string(&quoted, "]");
        auto_json *parsed = document_parse(quoted.data, quoted.length, &error);
        assert_non_null(parsed);
        assert_int_equal(json_string_length(json_array_get(parsed, 0)), sizeof text);
        assert_memory_equal(json_string_value(json_array_get(parsed, 0)), text, sizeof text);
        assert_string_equal(json_string_value(json_array_get(parsed, 1)), "");
}

/* What is looked at eight bytes at a time: every character, at every place, in strings of every short length. */
static void what_is_quoted_is_what_the_library_would_write(void **state)
{
        char text[20];

        (void)state;
        for (size_t length = 1; length <= sizeof text; length++)
                for (size_t at = 0; at < length; at++)
                        for (int c = 1; c < 128; c++) {
                                auto_text quoted = TEXT_WITH_MAXIMUM(1000);
                                memset(text, 'x', length);
                                text[at] = (char)c;
                                if (at + 1 < length)
                                        text[at + 1] = (char)(128 - c);
                                auto_json *value = json_stringn(text, length);
                                auto_free char *wanted = json_dumps(value, JSON_ENCODE_ANY);
                                document_append_quoted(&quoted, text, length);
                                for (char *hex = strstr(wanted, "\\u00"); hex; hex = strstr(hex + 6, "\\u00"))
                                        hex[5] = (char)tolower(hex[5]);
                                assert_string_equal(quoted.data, wanted);
                        }
}

static void a_cut_error_message_is_still_utf8(void **state)
{
        (void)state;
        auto_error error = {0};
        char long_text[1000];
        for (size_t i = 0; i + 1 < sizeof long_text; i += 2)
                memcpy(long_text + i, "\xc3\xa9", 2);
        long_text[998] = '\0';
        assert_false(error_set(&error, ERROR_INTERNAL, "x%s", long_text));
        assert_true(utf8_is_valid(error.message, strlen(error.message)));
}

static void tails_and_heads_never_split_a_character(void **state)
{
        const char *text = "a\xc3\xa9\xe2\x82\xac"
                           "b";

        (void)state;
        assert_int_equal(utf8_count(text, strlen(text)), 4);
        assert_int_equal(utf8_tail_offset(text, strlen(text), 2), 3);
        assert_int_equal(utf8_head_length(text, strlen(text), 2), 3);
}

static void a_key_with_a_wrong_checksum_is_not_wellformed(void **state)
{
        char key[SECRET_KEY_SIZE];

        (void)state;
        secret_key_new(key);
        assert_true(secret_key_is_wellformed(key));
        key[10] = key[10] == 'a' ? 'b' : 'a';
        assert_false(secret_key_is_wellformed(key));
}

static void ids_have_the_published_shape(void **state)
{
        char id[ID_SIZE];

        (void)state;
        id_new_task(1717000000000, id);
        assert_true(id_is_task(id));
        assert_false(id_is_task("1717000000000-../../x"));
        assert_true(id_is_uuid("d6f5e60d-428a-4de4-a188-7bf3ebec231c"));
        assert_false(id_is_uuid("d6f5e60d-428a-4de4-a188-7bf3ebec231"));
}

static json_t *parse_nested(size_t depth)
{
        auto_text text = TEXT_WITH_MAXIMUM(100000);
        auto_error error = {0};

        text_append_string(&text, "[\"[[\\\"[\"");
        for (size_t i = 1; i < depth; i++)
                text_append_string(&text, i == 1 ? ",[" : "[");
        for (size_t i = 0; i < depth; i++)
                text_append_string(&text, "]");
        return document_parse(text_string(&text), text.length, &error);
}

static void a_document_nests_only_so_deep(void **state)
{
        (void)state;
        auto_json *accepted = parse_nested(DOCUMENT_DEPTH_MAXIMUM);
        auto_json *refused = parse_nested(DOCUMENT_DEPTH_MAXIMUM + 1);
        assert_non_null(accepted);
        assert_null(refused);
}

static json_t *parse_list(size_t count)
{
        auto_text text = TEXT_WITH_MAXIMUM(8000000);
        auto_error error = {0};

        text_append_string(&text, "[1");
        for (size_t i = 1; i < count; i++)
                text_append(&text, ",1", 2);
        text_append_string(&text, "]");
        return document_parse(text_string(&text), text.length, &error);
}

static void a_document_has_only_so_many_values(void **state)
{
        (void)state;
        auto_json *accepted = parse_list(DOCUMENT_VALUES_MAXIMUM / 2);
        auto_json *refused = parse_list(DOCUMENT_VALUES_MAXIMUM);
        assert_non_null(accepted);
        assert_null(refused);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_time_is_read_back_as_it_was_written),
                cmocka_unit_test(broken_bytes_become_replacement_characters),
                cmocka_unit_test(what_is_quoted_is_parsed_back_as_it_was),
                cmocka_unit_test(what_is_quoted_is_what_the_library_would_write),
                cmocka_unit_test(a_cut_error_message_is_still_utf8),
                cmocka_unit_test(a_document_nests_only_so_deep),
                cmocka_unit_test(a_document_has_only_so_many_values),
                cmocka_unit_test(tails_and_heads_never_split_a_character),
                cmocka_unit_test(a_key_with_a_wrong_checksum_is_not_wellformed),
                cmocka_unit_test(ids_have_the_published_shape),
        };

        secret_init();
        return cmocka_run_group_tests_name("base", tests, NULL, NULL) + run_field_tests() + run_pool_tests() +
               run_otp_tests() + run_jwt_tests() + run_seal_tests() + run_url_tests();
}
