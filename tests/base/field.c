#include "tests/base/suites.h"
#include "tests/cmocka.h"

#include "server/base/document.h"
#include "server/base/field.h"
#include "server/base/id.h"

struct part {
        const char *path;
        int64_t weight;
};

static const struct field part_rows[] = {
        STRING_FIELD(struct part, path, .is_required = true, .minimum = 1, .maximum = 10, .help = "Where it lies."),
        INTEGER_FIELD(struct part, weight, .minimum = 1, .maximum = 9, .preset = 5, .help = "How heavy it is."),
};
static const struct field_table part_table = FIELD_TABLE(struct part, part_rows);

struct order {
        const char *name;
        const char *request;
        const char *color;
        bool is_urgent;
        int is_shared;
        struct field_strings tags;
        json_t *labels;
        const struct part *main_part;
        struct field_objects parts;
};

static const char *const colors[] = {"red", "green", NULL};

static bool is_lower(const char *name)
{
        return !name[strspn(name, "abcdefghijklmnopqrstuvwxyz")];
}

static const struct field order_rows[] = {
        STRING_FIELD(struct order, name, .is_required = true, .maximum = 4, .help = "What it is called."),
        STRING_FIELD(struct order, request, .is_valid = id_is_uuid, .shape = "a UUID", .format = "uuid", .help = "Id."),
        STRING_FIELD(struct order, color, .choices = colors, .is_nullable = true, .help = "Its color."),
        BOOLEAN_FIELD(struct order, is_urgent, .preset = 1, .help = "Whether it hurries."),
        FLAG_FIELD(struct order, is_shared, .help = "Whether others see it."),
        STRINGS_FIELD(struct order, tags, .maximum = 2, .help = "Words."),
        MAP_FIELD(struct order, labels, .is_valid = is_lower, .shape = "of lower-case letters",
                  .help = "Names and values."),
        OBJECT_FIELD(struct order, main_part, struct part, part_table, .help = "The first part."),
        OBJECTS_FIELD(struct order, parts, part_table, .help = "The others."),
};
static const struct field_table order_table = FIELD_TABLE(struct order, order_rows);

static void expect_refusal(const char *input, const char *message)
{
        auto_error error = {0};
        auto_field_memory memory = {0};
        struct order order;
        auto_json *document = document_parse(input, strlen(input), &error);

        assert_non_null(document);
        assert_false(field_read(&order_table, document, &memory, &order, &error));
        assert_int_equal(error.code, ERROR_INVALID_INPUT);
        assert_string_equal(error.message, message);
}

static void a_message_cuts_a_name_between_characters(void **state)
{
        auto_text input = TEXT_WITH_MAXIMUM(1000);
        auto_error error = {0};
        auto_field_memory memory = {0};
        struct order order;

        (void)state;
        text_append_string(&input, "{\"x");
        for (int i = 0; i < 100; i++)
                text_append_string(&input, "\xc3\xa9");
        text_append_string(&input, "\":1}");
        auto_json *document = document_parse(text_string(&input), input.length, &error);
        assert_false(field_read(&order_table, document, &memory, &order, &error));
        assert_true(utf8_is_valid(error.message, strlen(error.message)));
}

static void a_good_input_fills_the_struct(void **state)
{
        auto_error error = {0};
        auto_field_memory memory = {0};
        struct order order;
        const char *input =
                "{\"name\":\"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\",\"color\":null,\"tags\":[\"a\",\"b\"],\"labels\":{"
                "\"k\":\"v\"},"
                "\"main_part\":{\"path\":\"p\"},\"parts\":[{\"path\":\"x\",\"weight\":2},{\"path\":\"y\"}]}";

        (void)state;
        auto_json *document = document_parse(input, strlen(input), &error);
        assert_true(field_read(&order_table, document, &memory, &order, &error));
        assert_true(order.is_urgent);
        assert_int_equal(order.is_shared, -1);
        assert_null(order.color);
        assert_int_equal(order.tags.count, 2);
        assert_string_equal(order.tags.items[1], "b");
        assert_string_equal(order.main_part->path, "p");
        assert_int_equal(order.main_part->weight, 5);
        assert_int_equal(order.parts.count, 2);
        assert_int_equal(((const struct part *)order.parts.items)[0].weight, 2);
}

static void a_refusal_names_the_field_and_what_would_be_right(void **state)
{
        (void)state;
        expect_refusal("{}", "name is required: What it is called.");
        expect_refusal("{\"name\":7}", "name must be a string");
        expect_refusal("{\"name\":\"abcde\"}", "name must have 0 to 4 characters");
        expect_refusal("{\"nane\":\"a\"}", "nane is not known; did you mean name?");
        expect_refusal("{\"zzzzzzzz\":1}", "zzzzzzzz is not known");
        expect_refusal("{\"name\":null}", "name must be a string");
        expect_refusal("{\"name\":\"a\",\"request\":\"x\"}", "request must be a UUID");
        expect_refusal("{\"name\":\"a\",\"color\":\"blue\"}", "color must be one of: red, green");
        expect_refusal("{\"name\":\"a\",\"tags\":[\"a\",\"b\",\"c\"]}", "tags must have 0 to 2 entries");
        expect_refusal("{\"name\":\"a\",\"tags\":[1]}", "tags[0] must be a string");
        expect_refusal("{\"name\":\"a\",\"labels\":{\"k\":1}}", "labels.k must be a string");
        expect_refusal("{\"name\":\"a\",\"labels\":{\"K\":\"v\"}}", "labels: the name K must be of lower-case letters");
        expect_refusal("{\"name\":\"a\",\"main_part\":{}}", "main_part.path is required: Where it lies.");
        expect_refusal("{\"name\":\"a\",\"parts\":[{\"path\":\"x\",\"weight\":10}]}",
                       "parts[0].weight must be from 1 to 9");
        expect_refusal("{\"name\":\"a\",\"is_urgent\":1}", "is_urgent must be true or false");
}

static void a_refused_nested_input_leaks_nothing_and_text_values_are_checked(void **state)
{
        auto_error error = {0};

        (void)state;
        auto_json *seven = field_value_of_text(&part_rows[1], "7", &error);
        assert_int_equal(json_integer_value(seven), 7);
        assert_null(field_value_of_text(&part_rows[1], "7x", &error));
        assert_string_equal(error.message, "weight must be an integer");
        assert_null(field_value_of_text(&part_rows[1], "99", &error));
        assert_string_equal(error.message, "weight must be from 1 to 9");
}

static void the_schema_says_what_the_validation_does(void **state)
{
        (void)state;
        auto_json *schema = field_schema(&part_table, false);
        auto_free char *printed = document_print(schema);
        assert_string_equal(
                printed,
                "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\",\"description\":\"Where it lies.\","
                "\"minLength\":1,\"maxLength\":10},\"weight\":{\"type\":\"integer\",\"description\":\"How heavy it "
                "is.\","
                "\"default\":5,\"minimum\":1,\"maximum\":9}},\"required\":[\"path\"],\"additionalProperties\":false}");
        auto_json *open = field_schema(&order_table, true);
        assert_true(json_is_true(json_object_get(open, "additionalProperties")));
}

static void the_documentation_names_nested_fields_by_path(void **state)
{
        (void)state;
        auto_text out = TEXT_WITH_MAXIMUM(10000);
        field_document(&order_table, &out);
        assert_non_null(
                strstr(text_string(&out), "| `parts[].weight` | integer | 1 to 9; default 5 | How heavy it is. |"));
        assert_non_null(strstr(text_string(&out), "| `name` | string, required | 0 to 4 | What it is called. |"));
}

struct place {
        const char *host;
};

static const struct field place_rows[] = {
        STRING_FIELD(struct place, host, .text_preset = "localhost", .maximum = 9, .help = "Where."),
};
static const struct field_table place_table = FIELD_TABLE(struct place, place_rows);

static void an_absent_string_reads_as_its_default(void **state)
{
        auto_error error = {0};
        auto_field_memory memory = {0};
        struct place place;
        auto_json *empty = json_object();
        auto_text out = TEXT_WITH_MAXIMUM(1000);

        (void)state;
        assert_true(field_read(&place_table, empty, &memory, &place, &error));
        assert_string_equal(place.host, "localhost");
        auto_json *schema = field_schema(&place_table, false);
        json_t *property = json_object_get(json_object_get(schema, "properties"), "host");
        assert_string_equal(document_get_string(property, "default"), "localhost");
        field_document(&place_table, &out);
        assert_non_null(strstr(text_string(&out), "| 0 to 9; default `localhost` |"));
}

int run_field_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_good_input_fills_the_struct),
                cmocka_unit_test(a_message_cuts_a_name_between_characters),
                cmocka_unit_test(a_refusal_names_the_field_and_what_would_be_right),
                cmocka_unit_test(a_refused_nested_input_leaks_nothing_and_text_values_are_checked),
                cmocka_unit_test(the_schema_says_what_the_validation_does),
                cmocka_unit_test(an_absent_string_reads_as_its_default),
                cmocka_unit_test(the_documentation_names_nested_fields_by_path),
        };

        return cmocka_run_group_tests_name("field", tests, NULL, NULL);
}
