#include "tests/services/suites.h"
#include "tests/services/world.h"

#include <sodium.h>
#include <sys/stat.h>

#include "server/services/task_paths.h"

/* Pages of read_task_file. */

/* Appends the bytes a page stands for. */
static void append_content(struct text *out, const json_t *page)
{
        json_t *content = json_object_get(page, "content");
        const char *string = json_string_value(content);
        size_t length = json_string_length(content), decoded;

        if (!strcmp(member(page, "encoding"), "utf8")) {
                text_append(out, string, length);
                return;
        }
        auto_free unsigned char *bytes = memory_new(length + 1);
        assert_int_equal(sodium_base642bin(bytes, length + 1, string, length, NULL, &decoded, NULL,
                                           sodium_base64_VARIANT_ORIGINAL),
                         0);
        text_append(out, bytes, decoded);
}

static void check_pages(struct world *world, const char *id, const char *bytes, size_t length, int64_t size)
{
        auto_text whole = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        int64_t offset = 0;

        world_output_file(world, id, "file", bytes, length);
        for (;;) {
                auto_json *page = READ(world->dev, .taskId = id, .path = "file", .offset = offset, .maxBytes = size);
                size_t before = whole.length;
                append_content(&whole, page);
                int64_t given = document_get_integer(page, "bytesReturned", -1);
                json_t *next = json_object_get(page, "nextOffset");
                assert_int_equal(given, whole.length - before);
                assert_int_equal(document_get_integer(page, "size", -1), length);
                assert_int_equal(document_get_integer(page, "offset", -1), offset);
                assert_true(given <= size);
                assert_int_equal(json_is_true(json_object_get(page, "truncated")), json_is_integer(next));
                if (json_is_null(next))
                        break;
                assert_true(given > 0);
                assert_int_equal(json_integer_value(next), offset + given);
                offset += given;
        }
        assert_int_equal(whole.length, length);
        if (length)
                assert_memory_equal(whole.data, bytes, length);
}

static void pages_put_together_are_the_file(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");
        char binary[700], wild[700];
        static const char text[] =
                "plain, aä, €uro, \xf0\x9f\x98\x80 smile, \"quoted\"\n\ttabbed\\ \x01\x1b end \xe2\x82";

        for (size_t i = 0; i < sizeof binary; i++) {
                binary[i] = (char)(i % 256);
                wild[i] = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xff\xc3"[i * 7 % 13];
        }
        for (int64_t size = 1; size <= (int64_t)sizeof text + 1; size++)
                check_pages(world, id, text, sizeof text - 1, size);
        for (int64_t size = 1; size <= 40; size += 3) {
                check_pages(world, id, binary, sizeof binary, size);
                check_pages(world, id, wild, sizeof wild, size);
        }
        check_pages(world, id, binary, sizeof binary, 512000);
        check_pages(world, id, "", 0, 1);
}

static void a_page_that_begins_anywhere_is_exact(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");
        static const char text[] = "aä€\xf0\x9f\x98\x80z";

        world_output_file(world, id, "file", text, strlen(text));
        for (int64_t offset = 0; offset < (int64_t)strlen(text); offset++)
                for (int64_t size = 1; size < 12; size++) {
                        auto_text got = TEXT_WITH_MAXIMUM(100);
                        auto_json *page =
                                READ(world->dev, .taskId = id, .path = "file", .offset = offset, .maxBytes = size);
                        append_content(&got, page);
                        assert_true(got.length > 0 && got.length <= (size_t)size);
                        assert_memory_equal(got.data, text + offset, got.length);
                }
}

static void text_ends_at_a_character_and_the_rest_is_base64(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");

        world_output_file(world, id, "file", "a€", 4);
        world_output_file(world, id, "heavy", "\"\"\"\"\"\"\"\"\"\"\"\"", 12);
        world_output_file(world, id, "light", "aaaa\"aaaaaaa", 12);
        auto_json *cut = READ(world->dev, .taskId = id, .path = "file", .maxBytes = 3),
                  *inside = READ(world->dev, .taskId = id, .path = "file", .offset = 2),
                  *small = READ(world->dev, .taskId = id, .path = "file", .offset = 1, .maxBytes = 2),
                  *heavy = READ(world->dev, .taskId = id, .path = "heavy"),
                  *light = READ(world->dev, .taskId = id, .path = "light");
        assert_string_equal(member(cut, "content"), "a");
        assert_int_equal(document_get_integer(cut, "bytesReturned", 0), 1);
        assert_string_equal(member(inside, "encoding"), "base64");
        assert_int_equal(document_get_integer(inside, "bytesReturned", 0), 2);
        assert_string_equal(member(small, "encoding"), "base64");
        assert_string_equal(member(heavy, "encoding"), "base64");
        assert_string_equal(member(light, "encoding"), "utf8");
}

static void an_offset_behind_the_end_is_an_empty_page(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");

        world_output_file(world, id, "file", "abc", 3);
        for (int64_t offset = 3; offset < 1000000; offset = offset * 50 + 1) {
                auto_json *page = READ(world->dev, .taskId = id, .path = "file", .offset = offset);
                assert_string_equal(member(page, "content"), "");
                assert_int_equal(document_get_integer(page, "bytesReturned", -1), 0);
                assert_true(json_is_false(json_object_get(page, "truncated")));
                assert_true(json_is_null(json_object_get(page, "nextOffset")));
        }
}

static const char *refusal(struct world *world, const char *id, const char *path)
{
        auto_error error = {0};
        auto_json *page = world_read(world, world->dev, (struct task_file_input){.taskId = id, .path = path}, &error);

        return page ? "read" : error_kind(error.code)->code;
}

static void paths_that_are_not_below_the_folder_are_refused(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");
        static const char *const paths[] = {"",  "/etc/passwd", "..",         "../x",   "a/../../x",
                                            ".", "./file",      "a//b",       "file/",  "raw/../x",
                                            "/", "a/./b",       "log.txt/..", "sub/..", "//file"};

        world_output_file(world, id, "file", "abc", 3);
        for (size_t i = 0; i < COUNT_OF(paths); i++)
                if (strcmp(refusal(world, id, paths[i]), "invalid_path"))
                        fail_msg("%s is %s", paths[i], refusal(world, id, paths[i]));
}

static void only_regular_files_of_the_task_are_read(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x"), *output = task_path_output(world->root, id),
                       *link = text_format("%s/link", output), *fifo = text_format("%s/fifo", output),
                       *parent = text_format("%s/parent", output), *up = text_format("%s/up", output);
        static const char *const paths[] = {"link",   "fifo",        "folder", "parent/secret",  "up/output/file",
                                            "absent", "file/inside", "raw",    "raw/turn-9.out", "debug-stream.jsonl"};

        world_output_file(world, id, "file", "abc", 3);
        world_output_file(world, id, "folder/secret", "abc", 3);
        world_record_file(world, id, "secret", "abc", 3);
        auto_free char *records = task_path_records(world->root, id);
        assert_int_equal(symlink("file", link), 0);
        assert_int_equal(symlink(records, parent), 0);
        assert_int_equal(symlink("..", up), 0);
        assert_int_equal(mkfifo(fifo, 0600), 0);
        for (size_t i = 0; i < COUNT_OF(paths); i++)
                if (strcmp(refusal(world, id, paths[i]), "file_not_found"))
                        fail_msg("%s is %s", paths[i], refusal(world, id, paths[i]));
        assert_string_equal(refusal(world, id, "folder/secret"), "read");
        assert_string_equal(refusal(world, id, "secret"), "file_not_found");
}

static void our_records_are_read_and_never_the_agents_of_that_name(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");

        world_output_file(world, id, "raw/turn-1.out", "forged", 6);
        world_output_file(world, id, "log.txt", "forged", 6);
        assert_string_equal(refusal(world, id, "log.txt"), "file_not_found");
        world_record_file(world, id, "raw/turn-1.out", "exact\xff", 6);
        auto_json *page = READ(world->dev, .taskId = id, .path = "raw/turn-1.out");
        assert_string_equal(member(page, "encoding"), "base64");
        assert_int_equal(document_get_integer(page, "size", 0), 6);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)

int run_page_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(pages_put_together_are_the_file),
                TEST(a_page_that_begins_anywhere_is_exact),
                TEST(text_ends_at_a_character_and_the_rest_is_base64),
                TEST(an_offset_behind_the_end_is_an_empty_page),
                TEST(paths_that_are_not_below_the_folder_are_refused),
                TEST(only_regular_files_of_the_task_are_read),
                TEST(our_records_are_read_and_never_the_agents_of_that_name),
        };

        return cmocka_run_group_tests_name("pages", tests, NULL, NULL);
}
