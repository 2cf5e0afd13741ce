#include "tests/services/suites.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/secret.h"
#include "server/base/text.h"
#include "server/services/url_credential.h"
#include "server/services/value_set.h"
#include "tests/cmocka.h"
#include "tests/cpu.h"

static const struct value_holder server = {HOLDER_SERVER, 0};

static void free_set(struct value_set **set)
{
        value_set_free(*set);
}
#define auto_set CLEANUP(free_set) struct value_set

static void mark(size_t offset, size_t count, const struct value_pattern *pattern, void *context)
{
        assert_true(count <= pattern->length);
        memset((char *)context + offset, '*', count);
}

static void mark_credential(size_t offset, size_t count, void *context)
{
        memset((char *)context + offset, '*', count);
}

/* The text with every value of the set overwritten. */
static char *masked(const struct value_set *set, const char *text)
{
        char *copy = text_copy(text);

        value_set_search(set, text, strlen(text), mark, copy);
        return copy;
}

static struct value_set *set_of(const char *const *values, size_t count)
{
        struct value_set *set = value_set_new();

        for (size_t i = 0; i < count; i++)
                value_set_add(set, values[i], server);
        value_set_sort(set);
        return set;
}

static void values_are_found_wherever_they_stand(void **state)
{
        static const char *const values[] = {"abcdef", "abcdefgh", "xyzxyz", "short"};
        static const char *const cases[][2] = {
                {"abcdef", "******"},
                {"-abcdefgh-", "-********-"},
                {"abcdeabcdef", "abcde******"},
                {"xyzxyzxyz", "*********"},
                {"abcde short xyzxy", "abcde short xyzxy"},
                {"", ""},
        };
        auto_set *set = set_of(values, COUNT_OF(values));

        (void)state;
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                auto_free char *got = masked(set, cases[i][0]);
                assert_string_equal(got, cases[i][1]);
        }
        assert_int_equal(value_set_longest(set), 8);
}

static void every_line_of_a_value_is_found_alone_and_in_json(void **state)
{
        static const char *const values[] = {"first line\r\n\tsecond \"line\"\nthird"};
        auto_set *set = set_of(values, COUNT_OF(values));
        auto_free char *lines = masked(set, "first line|\tsecond \"line\"|third"),
                       *quoted = masked(set, "x first line\\r\\n\\tsecond \\\"line\\\"\\nthird x");

        (void)state;
        assert_string_equal(lines, "**********|**************|third");
        assert_null(strstr(quoted, "line"));
        assert_null(strstr(quoted, "third"));
}

static void count_holders(size_t offset, size_t count, const struct value_pattern *pattern, void *context)
{
        assert_int_equal(offset, 1);
        assert_int_equal(count, 10);
        *(size_t *)context += pattern->holder_count;
}

static void a_value_of_many_keeps_all_its_holders(void **state)
{
        auto_set *set = value_set_new();
        size_t holders = 0;

        (void)state;
        value_set_add(set, "same-value", (struct value_holder){HOLDER_USER, 1});
        value_set_add(set, "same-other", (struct value_holder){HOLDER_USER, 3});
        value_set_add(set, "same-value", (struct value_holder){HOLDER_ENVIRONMENT, 2});
        value_set_sort(set);
        value_set_search(set, "-same-value-", 12, count_holders, &holders);
        assert_int_equal(holders, 2);
}

/* The plain way of looking, to compare with. */
static char *masked_plainly(char *const *values, size_t count, const char *text)
{
        char *copy = text_copy(text);

        for (size_t i = 0; i < count; i++)
                for (const char *hit = text; (hit = strstr(hit, values[i])); hit++)
                        memset(copy + (hit - text), '*', strlen(values[i]));
        return copy;
}

static void random_text(char *out, size_t length)
{
        for (size_t i = 0; i < length; i++)
                out[i] = (char)('a' + secret_random_below(3));
        out[length] = '\0';
}

static void a_search_for_many_finds_what_single_searches_find(void **state)
{
        char *values[40], text[2001];

        (void)state;
        for (int round = 0; round < 20; round++) {
                for (size_t i = 0; i < COUNT_OF(values); i++) {
                        size_t length = 6 + secret_random_below(4);
                        values[i] = memory_new(length + 1);
                        random_text(values[i], length);
                }
                random_text(text, sizeof text - 1);
                auto_set *set = set_of((const char *const *)values, COUNT_OF(values));
                auto_free char *got = masked(set, text), *wanted = masked_plainly(values, COUNT_OF(values), text);
                assert_string_equal(got, wanted);
                for (size_t i = 0; i < COUNT_OF(values); i++)
                        free(values[i]);
        }
}

/* Processor time for masking the text with so many values in the set. */
static int64_t masking_ms(int count, const char *text)
{
        auto_set *set = value_set_new();

        for (int i = 0; i < count; i++) {
                auto_free char *value = text_format("sk-provider-%08d-%08d", i * 7919, i);
                value_set_add(set, value, server);
        }
        value_set_sort(set);
        int64_t before = cpu_ms();
        auto_free char *got = masked(set, text);
        int64_t after = cpu_ms();
        assert_string_equal(got, text);
        return after - before;
}

static void hundreds_of_values_cost_little_more_than_one(void **state)
{
        auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        (void)state;
        while (text.length < 4000000)
                text_append_string(&text, "The quick brown fox jumps over the lazy dog, sk- and all. ");
        assert_true(masking_ms(1000, text.data) <= 10 * (masking_ms(1, text.data) + 1));
}

static void parts_of_values_at_the_edges_of_a_piece_are_found(void **state)
{
        static const char *const values[] = {"abcdefghijkl", "another-value", "sixsix"};
        static const struct {
                const char *text, *begun, *ended;
        } cases[] = {
                {"efghijkl and abcdefg", "******** and abcdefg", "efghijkl and *******"},
                {"ghijkl", "******", "ghijkl"},
                {"hijkl abcde", "hijkl abcde", "hijkl abcde"},
                {"abcdef", "abcdef", "******"},
                {"bcdefghijkl", "***********", "bcdefghijkl"},
                {"abcdefghijkl", "abcdefghijkl", "abcdefghijkl"},
                {"sixsix", "sixsix", "sixsix"},
                {"r-value abcdefgh another-v", "******* abcdefgh another-v", "r-value abcdefgh *********"},
                {"er-value", "********", "er-value"},
                {"", "", ""},
        };
        auto_set *set = set_of(values, COUNT_OF(values));

        (void)state;
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                const char *text = cases[i].text;
                auto_free char *begun = text_copy(text), *ended = text_copy(text);
                value_set_search_begin(set, text, strlen(text), mark, begun);
                value_set_search_end(set, text, strlen(text), mark, ended);
                assert_string_equal(begun, cases[i].begun);
                assert_string_equal(ended, cases[i].ended);
        }
}

static void credentials_in_the_query_of_a_url_are_found(void **state)
{
        static const char *const cases[][2] = {
                {"https://h/p?token=abc&x=1", "https://h/p?token=***&x=1"},
                {"see https://h/?a=b&ACCESS_TOKEN=abc.def#frag.", "see https://h/?a=b&ACCESS_TOKEN=*******#frag."},
                {"custom+scheme://h?sig=a%20b more", "custom+scheme://h?sig=***** more"},
                {"https://h/cb#access_token=abc", "https://h/cb#access_token=***"},
                {"https://h/?to=https://i/?key=abc", "https://h/?to=https://i/?key=***"},
                {"https://h/token=abc", "https://h/token=abc"},
                {"token=abc ?token=abc", "token=abc ?token=abc"},
                {"https://h/?token= x", "https://h/?token= x"},
                {"https://u:p@h/?token=abc", "https://***@h/?token=***"},
                {"\"https://h/?token=abc\\nnext", "\"https://h/?token=***\\nnext"},
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                auto_free char *copy = text_copy(cases[i][0]);
                url_credential_search(cases[i][0], strlen(cases[i][0]), mark_credential, copy);
                assert_string_equal(copy, cases[i][1]);
        }
}

int run_value_set_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(values_are_found_wherever_they_stand),
                cmocka_unit_test(every_line_of_a_value_is_found_alone_and_in_json),
                cmocka_unit_test(a_value_of_many_keeps_all_its_holders),
                cmocka_unit_test(a_search_for_many_finds_what_single_searches_find),
                cmocka_unit_test(hundreds_of_values_cost_little_more_than_one),
                cmocka_unit_test(parts_of_values_at_the_edges_of_a_piece_are_found),
                cmocka_unit_test(credentials_in_the_query_of_a_url_are_found),
        };

        return cmocka_run_group_tests_name("value_set", tests, NULL, NULL);
}
