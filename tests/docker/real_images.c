#include <sys/mman.h>

#include "docker/build.h"
#include "server/base/document.h"
#include "tests/cmocka.h"
#include "tests/docker/real.h"
#include "tests/docker/suite.h"

#define TAG "longshore/test-docker:1"
#define TAR_BLOCK 512

/* A tar (POSIX.1-1988 ustar) with one file. */
static int tar_with(const char *name, const char *content)
{
        char header[TAR_BLOCK] = {0}, padding[3 * TAR_BLOCK] = {0};
        unsigned sum = 0;
        size_t length = strlen(content);
        int fd = memfd_create("tar", MFD_CLOEXEC);

        snprintf(header, 100, "%s", name);
        strcpy(header + 100, "0000644");
        strcpy(header + 108, "0000000");
        strcpy(header + 116, "0000000");
        snprintf(header + 124, 12, "%011o", (unsigned)length);
        strcpy(header + 136, "00000000000");
        memset(header + 148, ' ', 8);
        header[156] = '0';
        memcpy(header + 257, "ustar\00000", 8);
        for (size_t i = 0; i < sizeof header; i++)
                sum += (unsigned char)header[i];
        snprintf(header + 148, 8, "%06o", sum);
        assert_int_equal(write(fd, header, sizeof header), sizeof header);
        assert_int_equal(write(fd, content, length), length);
        size_t rest = (TAR_BLOCK - length % TAR_BLOCK) % TAR_BLOCK + 2 * TAR_BLOCK;
        assert_int_equal(write(fd, padding, rest), rest);
        assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
        return fd;
}

static bool collect(const char *line, size_t length, void *context)
{
        text_append(context, line, length);
        text_append(context, "\n", 1);
        return true;
}

static void an_image_is_built_looked_up_and_removed(void **state)
{
        static const struct docker_pair labels[] = {{REAL_LABEL, "built"}};
        static const struct docker_pair arguments[] = {{"WORD", "from outside"}};
        char id[DOCKER_IMAGE_ID_SIZE];

        (void)state;
        auto_docker *docker = real_docker();
        auto_error error = {0};
        auto_text output = TEXT_WITH_MAXIMUM(65536);
        auto_docker_image image = {0};
        auto_fd tar = tar_with("Dockerfile",
                               "FROM " REAL_IMAGE "\nUSER 0:0\nARG WORD\nRUN echo \"said $WORD\"; printf 'a\\0b\\n'\n");
        struct docker_build_spec spec = {.tag = TAG,
                                         .context_fd = tar,
                                         .labels = labels,
                                         .label_count = 1,
                                         .arguments = arguments,
                                         .argument_count = 1};
        if (!docker_image_build(docker, &spec, collect, &output, -1, id, &error))
                fail_msg("%s", error.message);
        assert_non_null(strstr(output.data, "\nsaid from outside\n"));
        assert_true(docker_image_inspect(docker, TAG, &image, &error));
        assert_string_equal(image.id, id);
        assert_true(image.size > 0 && image.created_at > 0);
        assert_string_equal(document_get_string(image.labels, REAL_LABEL), "built");
        assert_true(docker_image_remove(docker, TAG, false, &error));
        assert_true(docker_image_remove(docker, TAG, false, &error));
        assert_false(docker_image_inspect(docker, TAG, NULL, &error));
        assert_int_equal(error.code, ERROR_IMAGE_NOT_FOUND);
}

static void a_build_that_fails_says_why(void **state)
{
        static const struct {
                const char *name, *content, *words;
        } cases[] = {
                {"Dockerfile", "FROM " REAL_IMAGE "\nRUN exit 3\n", "returned a non-zero code: 3"},
                {"Dockerfile", "FROM longshore/no-such-image:1\n", ""},
                {"Dockerfile", "NONSENSE\n", "NONSENSE"},
                {"other", "x", "Dockerfile"},
        };

        (void)state;
        auto_docker *docker = real_docker();
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                char id[DOCKER_IMAGE_ID_SIZE];
                auto_error error = {0};
                auto_fd tar = tar_with(cases[i].name, cases[i].content);
                struct docker_build_spec spec = {.tag = TAG, .context_fd = tar};
                assert_false(docker_image_build(docker, &spec, NULL, NULL, -1, id, &error));
                assert_int_equal(error.code, ERROR_IMAGE_BUILD_FAILED);
                if (!strstr(error.message, cases[i].words))
                        fail_msg("\"%s\" is not in: %s", cases[i].words, error.message);
        }
}

/* Cancels when the step has its container, whose short id it keeps. */
static bool cancel_running(const char *line, size_t length, void *context)
{
        static const char words[] = "---> Running in ";
        auto_text copy = TEXT_WITH_MAXIMUM(DOCKER_BUILD_LINE_MAXIMUM);
        const char *found;

        text_append(&copy, line, length);
        found = strstr(text_string(&copy), words);
        if (found)
                snprintf(context, DOCKER_ID_SIZE, "%s", found + strlen(words));
        return !found;
}

static void a_cancelled_build_ends_its_step(void **state)
{
        char id[DOCKER_IMAGE_ID_SIZE], container[DOCKER_ID_SIZE] = "";
        int exit_code;

        (void)state;
        auto_docker *docker = real_docker();
        auto_error error = {0};
        auto_fd tar = tar_with("Dockerfile", "FROM " REAL_IMAGE "\nRUN sleep 1000\n");
        struct docker_build_spec spec = {.tag = TAG, .context_fd = tar};
        assert_false(docker_image_build(docker, &spec, cancel_running, container, -1, id, &error));
        assert_int_equal(error.code, ERROR_CANCELLED);
        assert_true(container[0]);
        /* It is gone already, or its end comes without anybody's help. */
        if (!docker_container_wait(docker, container, -1, &exit_code, &error))
                assert_int_equal(error.code, ERROR_CONTAINER_NOT_FOUND);
}

static void a_root_file_system_is_imported(void **state)
{
        static const char *const changes[] = {"ENV A=b", "LABEL " REAL_LABEL "=imported", NULL};
        char id[DOCKER_IMAGE_ID_SIZE];

        (void)state;
        auto_docker *docker = real_docker();
        auto_error error = {0};
        auto_docker_image image = {0};
        auto_fd tar = tar_with("hello", "world");
        if (!docker_image_import(docker, "longshore/test-import", "2", tar, changes, -1, id, &error))
                fail_msg("%s", error.message);
        assert_true(docker_image_inspect(docker, "longshore/test-import:2", &image, &error));
        assert_string_equal(image.id, id);
        assert_string_equal(document_get_string(image.labels, REAL_LABEL), "imported");
        assert_true(docker_image_remove(docker, "longshore/test-import:2", false, &error));
        auto_fd broken = memfd_create("tar", MFD_CLOEXEC);
        assert_int_equal(write(broken, "this is no tar at all", 21), 21);
        lseek(broken, 0, SEEK_SET);
        assert_false(docker_image_import(docker, "longshore/test-import", "3", broken, NULL, -1, id, &error));
        assert_int_equal(error.code, ERROR_IMAGE_BUILD_FAILED);
}

static void an_image_in_use_is_not_removed(void **state)
{
        const char *command[4];
        char id[DOCKER_ID_SIZE];
        struct docker_container_spec spec = real_spec(command, "exit 0");

        (void)state;
        auto_docker *docker = real_docker();
        auto_error error = {0};
        auto_fd tar = tar_with("hello", "used");
        assert_true(docker_image_import(docker, "longshore/test-used", "1", tar, NULL, -1, NULL, &error));
        spec.image = "longshore/test-used:1";
        assert_true(docker_container_create(docker, &spec, id, &error));
        assert_false(docker_image_remove(docker, spec.image, false, &error));
        assert_int_equal(error.code, ERROR_CONFLICT);
        assert_true(docker_container_remove(docker, id, false, &error));
        assert_true(docker_image_remove(docker, spec.image, false, &error));
}

int test_real_images(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(an_image_is_built_looked_up_and_removed),
                cmocka_unit_test(a_build_that_fails_says_why),
                cmocka_unit_test(a_cancelled_build_ends_its_step),
                cmocka_unit_test(a_root_file_system_is_imported),
                cmocka_unit_test(an_image_in_use_is_not_removed),
        };

        return cmocka_run_group_tests_name("docker, real engine: images", tests, real_sweep, real_sweep);
}
