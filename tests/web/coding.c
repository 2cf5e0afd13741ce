#include "tests/cmocka.h"

#include <string.h>

#include "server/web/coding.h"
#include "tests/web/suites.h"

static const char bytes[] = "x";
static const struct page_file whole = {
        .name = "a", .tag = "t", .coded = {{bytes, bytes + 1}, {bytes, bytes + 1}, {bytes, bytes + 1}}};
static const struct page_file plain = {.name = "a", .tag = "t", .coded = {{bytes, bytes + 1}}};

static void a_client_gets_the_best_coding_it_takes(void **state)
{
        static const struct {
                const char *accepted;
                enum page_coding coding;
        } cases[] = {
                {NULL, PAGE_PLAIN},
                {"", PAGE_PLAIN},
                {"gzip", PAGE_GZIP},
                {"gzip, deflate, br, zstd", PAGE_BROTLI},
                {"GZIP;q=0.5", PAGE_GZIP},
                {"br;q=0, gzip", PAGE_GZIP},
                {"br; q=0.000,gzip;q=0", PAGE_PLAIN},
                {"br;q=0.001", PAGE_BROTLI},
                {"brotli, gzipped, x-gzip", PAGE_PLAIN},
                {"identity", PAGE_PLAIN},
                {"*", PAGE_PLAIN},
                {" , ,gzip ;q=1", PAGE_GZIP},
                {"br;q", PAGE_BROTLI},
        };

        (void)state;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                assert_int_equal(page_coding_choose(cases[i].accepted, &whole), cases[i].coding);
                assert_int_equal(page_coding_choose(cases[i].accepted, &plain), PAGE_PLAIN);
        }
        assert_null(page_coding_name(PAGE_PLAIN));
        assert_string_equal(page_coding_name(PAGE_BROTLI), "br");
}

static void a_tag_is_found_among_others(void **state)
{
        (void)state;
        assert_true(page_tag_matches("\"t\"", "\"t\""));
        assert_true(page_tag_matches("\"a\", W/\"t\"", "\"t\""));
        assert_true(page_tag_matches("*", "\"t\""));
        assert_false(page_tag_matches(NULL, "\"t\""));
        assert_false(page_tag_matches("", "\"t\""));
        assert_false(page_tag_matches("\"t-gzip\", t, \"t", "\"t\""));
}

static void every_file_has_its_forms(void **state)
{
        (void)state;
        for (const struct page_file *file = page_files; file->name; file++) {
                assert_non_null(file->coded[PAGE_PLAIN].bytes);
                assert_int_equal(strlen(file->tag), 20);
                for (int coding = 0; coding < PAGE_CODINGS; coding++)
                        assert_true(!file->coded[coding].bytes || file->coded[coding].end > file->coded[coding].bytes);
        }
}

int run_coding_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_client_gets_the_best_coding_it_takes),
                cmocka_unit_test(a_tag_is_found_among_others),
                cmocka_unit_test(every_file_has_its_forms),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
