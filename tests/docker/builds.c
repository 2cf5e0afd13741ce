#include <sys/eventfd.h>
#include <sys/mman.h>

#include "docker/build.h"
#include "server/base/text.h"
#include "tests/cmocka.h"
#include "tests/docker/fake.h"
#include "tests/docker/suite.h"

#define ID "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define BUILD "POST /v1.41/build?version=1&rm=1&forcerm=1&t=x%3A1&networkmode=none"
#define OK_HEAD "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"

/* A file that is only in memory; the offset is at its start. */
static int tar_of(const char *bytes)
{
        int fd = memfd_create("tar", MFD_CLOEXEC);

        assert_int_equal(write(fd, bytes, strlen(bytes)), strlen(bytes));
        assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
        return fd;
}

static bool collect(const char *line, size_t length, void *context)
{
        struct text *text = context;

        text_append(text, "[", 1);
        text_append(text, line, length);
        text_append(text, "]", 1);
        return length != 4 || memcmp(line, "stop", 4) != 0;
}

static void a_build_hands_on_whole_lines_and_the_image(void **state)
{
        static const struct docker_pair arguments[] = {{"A", "b"}};
        char id[DOCKER_IMAGE_ID_SIZE];

        (void)state;
        auto_fake *fake =
                FAKE({.request = BUILD "&buildargs=%7B%22A%22%3A%22b%22%7D&memory=9000000&memswap=9000000&nocache=1 ",
                      .raw = OK_HEAD "{\"stream\":\"Step 1/2\"}\r\n{\"stream\":\" : FROM x\\n\"}\r\n"
                                     "{\"stream\":\"a\\u0000b\\r\\n\\nlast\"}\r\n{\"aux\":{\"ID\":\"" ID "\"}}",
                      .then = FAKE_CLOSE});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        auto_fd tar = tar_of("the context");
        auto_text text = TEXT_WITH_MAXIMUM(1000);
        struct docker_build_spec spec = {.tag = "x:1",
                                         .context_fd = tar,
                                         .arguments = arguments,
                                         .argument_count = 1,
                                         .memory = 9000000,
                                         .is_fresh = true};
        assert_true(docker_image_build(docker, &spec, collect, &text, -1, id, &error));
        assert_string_equal(id, ID);
        assert_int_equal(text.length, strlen("[Step 1/2 : FROM x][a.b][][last]"));
        assert_memory_equal(text.data, "[Step 1/2 : FROM x][a\0b][][last]", text.length);
        assert_non_null(strstr(fake_request(fake, "POST "), "the context"));
        assert_non_null(strstr(fake_request(fake, "POST "), "Content-Type: application/x-tar"));
}

static void a_build_without_an_image_has_failed(void **state)
{
        static const struct {
                const char *raw;
                enum error_code code;
                const char *words;
        } cases[] = {
                {OK_HEAD
                 "{\"stream\":\"x\\n\"}\n{\"errorDetail\":{\"code\":3,\"message\":\"The command 'false' failed\"},"
                 "\"error\":\"The command 'false' failed\"}\n",
                 ERROR_IMAGE_BUILD_FAILED, "The command 'false' failed"},
                {OK_HEAD "{\"aux\":{\"ID\":\"" ID "\"}}\n{\"error\":\"late\"}\n", ERROR_IMAGE_BUILD_FAILED, "late"},
                {OK_HEAD "{\"stream\":\"Successfully built\\n\"}\n", ERROR_IMAGE_BUILD_FAILED, "without naming"},
                {OK_HEAD "", ERROR_IMAGE_BUILD_FAILED, "without naming"},
                {FAKE_CHUNKED "4\r\n{\"st\r\n", ERROR_ENGINE_STREAM_LOST, ""},
                {"HTTP/1.1 400 X\r\nConnection: close\r\n\r\n{\"message\":\"unknown instruction\"}",
                 ERROR_IMAGE_BUILD_FAILED, "unknown instruction"},
                {OK_HEAD "{\"stream\":\"stop\\n\"}\n", ERROR_CANCELLED, ""},
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                char id[DOCKER_IMAGE_ID_SIZE];
                auto_fake *fake = FAKE({.request = BUILD " ", .raw = cases[i].raw, .then = FAKE_CLOSE});
                auto_docker *docker = fake_docker(fake);
                auto_error error = {0};
                auto_fd tar = tar_of("the context");
                auto_text text = TEXT_WITH_MAXIMUM(1000);
                struct docker_build_spec spec = {.tag = "x:1", .context_fd = tar};
                assert_false(docker_image_build(docker, &spec, collect, &text, -1, id, &error));
                assert_int_equal(error.code, cases[i].code);
                assert_non_null(strstr(error.message, cases[i].words));
        }
}

static void a_silent_build_is_cancelled_from_outside(void **state)
{
        char id[DOCKER_IMAGE_ID_SIZE];

        (void)state;
        auto_fake *fake = FAKE({.request = BUILD, .raw = FAKE_CHUNKED, .then = FAKE_HANG});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        auto_fd tar = tar_of("the context");
        auto_fd stop_fd = eventfd(1, EFD_CLOEXEC);
        struct docker_build_spec spec = {.tag = "x:1", .context_fd = tar};
        assert_false(docker_image_build(docker, &spec, NULL, NULL, stop_fd, id, &error));
        assert_int_equal(error.code, ERROR_CANCELLED);
}

static bool keep_longest(const char *line, size_t length, void *context)
{
        size_t *longest = context;

        assert_true(utf8_is_valid(line, length));
        *longest = length > *longest ? length : *longest;
        return true;
}

static void a_line_of_any_length_is_cut_at_a_character(void **state)
{
        char id[DOCKER_IMAGE_ID_SIZE];
        size_t longest = 0;

        (void)state;
        auto_text raw = TEXT_WITH_MAXIMUM(1u << 20);
        text_append_string(&raw, OK_HEAD "{\"stream\":\"x");
        for (int i = 0; i < 100000; i++)
                text_append_string(&raw, "\xc3\xa9");
        text_append_string(&raw, "\\n\"}\n{\"aux\":{\"ID\":\"" ID "\"}}\n");
        auto_fake *fake = FAKE({.request = BUILD, .raw = raw.data, .then = FAKE_CLOSE});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        auto_fd tar = tar_of("the context");
        struct docker_build_spec spec = {.tag = "x:1", .context_fd = tar};
        assert_true(docker_image_build(docker, &spec, keep_longest, &longest, -1, id, &error));
        assert_int_equal(longest, DOCKER_BUILD_LINE_MAXIMUM - 1);
}

static void a_tar_that_cannot_be_read_is_no_fault_of_the_engine(void **state)
{
        char id[DOCKER_IMAGE_ID_SIZE];

        (void)state;
        auto_fake *fake = FAKE({.request = BUILD, .then = FAKE_HANG});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        struct docker_build_spec spec = {.tag = "x:1", .context_fd = -1};
        assert_false(docker_image_build(docker, &spec, NULL, NULL, -1, id, &error));
        assert_int_equal(error.code, ERROR_INTERNAL);
}

static void an_import_names_its_image(void **state)
{
        static const char *const changes[] = {"USER 1000:1000", "ENV A=b", NULL};
        char id[DOCKER_IMAGE_ID_SIZE];

        (void)state;
        auto_fake *fake =
                FAKE({.request = "POST /v1.41/images/create?fromSrc=-&repo=x%2Fy&tag=1&changes=USER%201000%3A1000&"
                                 "changes=ENV%20A%3Db ",
                      .status = 200,
                      .body = "{\"status\":\"" ID "\"}\r\n"},
                     {.request = "POST /v1.41/images/create", .status = 200, .body = "{\"error\":\"bad tar\"}\r\n"},
                     {.request = "POST /v1.41/images/create", .status = 200, .body = "{\"status\":\"\"}\r\n"});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        auto_fd tar = tar_of("the root");
        assert_true(docker_image_import(docker, "x/y", "1", tar, changes, -1, id, &error));
        assert_string_equal(id, ID);
        for (int i = 0; i < 2; i++) {
                assert_false(docker_image_import(docker, "x/y", "1", tar, NULL, -1, NULL, &error));
                assert_int_equal(error.code, ERROR_IMAGE_BUILD_FAILED);
        }
}

int test_builds(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_build_hands_on_whole_lines_and_the_image),
                cmocka_unit_test(a_build_without_an_image_has_failed),
                cmocka_unit_test(a_silent_build_is_cancelled_from_outside),
                cmocka_unit_test(a_line_of_any_length_is_cut_at_a_character),
                cmocka_unit_test(a_tar_that_cannot_be_read_is_no_fault_of_the_engine),
                cmocka_unit_test(an_import_names_its_image),
        };

        return cmocka_run_group_tests_name("docker builds", tests, NULL, NULL);
}
