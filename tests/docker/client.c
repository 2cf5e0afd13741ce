#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "docker/container.h"
#include "docker/image.h"
#include "server/base/clock.h"
#include "server/base/text.h"
#include "tests/cmocka.h"
#include "tests/docker/fake.h"
#include "tests/docker/suite.h"

/* Far more than it takes, less than an engine is waited for. */
#define SOON_MS 20000

static void only_unix_sockets_are_taken_as_host(void **state)
{
        static const char *const wrong[] = {"tcp://127.0.0.1:2375", "/var/run/docker.sock", "unix://relative",
                                            "unix://", ""};
        char path[200];

        (void)state;
        for (size_t i = 0; i < COUNT_OF(wrong); i++) {
                auto_error error = {0};
                assert_null(docker_new(wrong[i], &error));
                assert_int_equal(error.code, ERROR_INVALID_INPUT);
        }
        auto_error error = {0};
        memset(path, 'x', sizeof path);
        memcpy(path, "unix:///", 8);
        path[199] = '\0';
        assert_null(docker_new(path, &error));
        assert_int_equal(error.code, ERROR_INVALID_INPUT);
        auto_docker *docker = docker_new(NULL, &error);
        assert_non_null(docker);
}

static void the_newest_version_that_both_sides_know_is_spoken(void **state)
{
        static const struct {
                const char *newest, *oldest, *agreed;
        } cases[] = {
                {"1.41", "1.12", "1.41"}, {"1.43", "1.12", "1.43"},      {"1.47", "1.24", "1.47"},
                {"1.52", "1.44", "1.47"}, {"1.47", "1.47", "1.47"},      {"1.41", "", "1.41"},
                {"1.40", "1.12", NULL},   {"1.60", "1.48", NULL},        {"2.0", "2.0", NULL},
                {"", "", NULL},           {"1.41garbage", "1.12", NULL},
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                auto_free char *body =
                        text_format("{\"ApiVersion\":\"%s\",\"MinAPIVersion\":\"%s\",\"Version\":\"20.10.24\"}",
                                    cases[i].newest, cases[i].oldest);
                auto_fake *fake = FAKE({.request = "GET /version ", .status = 200, .body = body});
                auto_docker *docker = fake_docker(fake);
                auto_error error = {0};
                struct docker_version version;
                assert_int_equal(docker_negotiate(docker, &version, &error), cases[i].agreed != NULL);
                if (cases[i].agreed) {
                        assert_string_equal(version.api, cases[i].agreed);
                        assert_string_equal(version.engine, "20.10.24");
                } else {
                        assert_int_equal(error.code, ERROR_ENGINE_INCOMPATIBLE);
                        assert_non_null(strstr(error.message, "1.41"));
                }
        }
}

static void the_version_is_asked_for_once_and_again_after_the_engine_was_gone(void **state)
{
        (void)state;
        auto_fake *fake = FAKE({.request = "GET /v1.41/info", .status = 200, .body = "{}"},
                               {.request = "GET /v1.41/info", .status = 200, .body = "{}"},
                               {.request = "GET /v1.41/info",
                                .raw = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{",
                                .then = FAKE_CLOSE},
                               {.request = "GET /v1.41/info", .status = 200, .body = "{}"});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        struct docker_engine_info info;
        assert_true(docker_info(docker, &info, &error));
        assert_true(docker_info(docker, &info, &error));
        assert_int_equal(fake_count(fake, "GET /version "), 1);
        assert_false(docker_info(docker, &info, &error));
        assert_int_equal(error.code, ERROR_ENGINE_STREAM_LOST);
        assert_true(docker_info(docker, &info, &error));
        assert_int_equal(fake_count(fake, "GET /version "), 2);
}

static void an_engine_that_was_replaced_is_asked_for_its_version_again(void **state)
{
        (void)state;
        auto_fake *fake = FAKE(
                {.request = "GET /version ",
                 .status = 200,
                 .body = "{\"ApiVersion\":\"1.45\",\"MinAPIVersion\":\"1.24\"}"},
                {.request = "GET /v1.45/info",
                 .status = 400,
                 .body = "{\"message\":\"client version 1.45 is too new. Maximum supported API version is 1.41\"}"},
                {.request = "GET /v1.41/info", .status = 200, .body = "{\"ServerVersion\":\"20.10.24\"}"});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        struct docker_engine_info info;
        assert_true(docker_info(docker, &info, &error));
        assert_string_equal(info.engine, "20.10.24");
}

static void an_absent_or_dead_socket_is_told_at_once(void **state)
{
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        char folder[] = "/tmp/longshore-dead-XXXXXX";
        int64_t begun = clock_monotonic();

        (void)state;
        assert_non_null(mkdtemp(folder));
        snprintf(address.sun_path, sizeof address.sun_path, "%s/docker.sock", folder);
        auto_free char *host = text_format("unix://%s", address.sun_path);
        auto_error error = {0};
        auto_docker *docker = docker_new(host, &error);
        assert_false(docker_container_start(docker, "c1", &error));
        assert_int_equal(error.code, ERROR_ENGINE_UNREACHABLE);
        assert_non_null(strstr(error.message, "No such file"));

        auto_fd listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
        assert_false(docker_container_start(docker, "c1", &error));
        assert_int_equal(error.code, ERROR_ENGINE_UNREACHABLE);
        assert_non_null(strstr(error.message, "refused"));
        assert_true(clock_monotonic() - begun < SOON_MS);
        unlink(address.sun_path);
        rmdir(folder);
}

static void an_engine_that_says_nothing_is_given_up_in_time(void **state)
{
        (void)state;
        auto_fake *fake = FAKE({.request = "GET /v1.41/info", .then = FAKE_HANG},
                               {.request = "GET /v1.41/info",
                                .raw = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{",
                                .then = FAKE_HANG},
                               {.request = "POST /v1.41/containers/c1/wait", .then = FAKE_HANG});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        struct docker_engine_info info;
        int64_t begun = clock_monotonic();
        int exit_code;
        docker_set_timeout(docker, 150);
        for (int i = 0; i < 2; i++) {
                assert_false(docker_info(docker, &info, &error));
                assert_int_equal(error.code, ERROR_ENGINE_UNREACHABLE);
                assert_non_null(strstr(error.message, "in time"));
        }
        assert_false(docker_container_wait(docker, "c1", -1, &exit_code, &error));
        assert_int_equal(error.code, ERROR_ENGINE_UNREACHABLE);
        assert_true(clock_monotonic() - begun < SOON_MS);
}

static void an_answer_that_is_too_large_is_refused(void **state)
{
        static const char head[] = "HTTP/1.1 200 OK\r\nContent-Length: 20000000\r\n\r\n";
        size_t length = strlen(head) + 20000000;

        (void)state;
        auto_free char *raw = memory_new(length);
        memset(raw, ' ', length);
        memcpy(raw, head, strlen(head));
        auto_fake *fake = FAKE({.request = "GET /v1.41/info", .raw = raw, .raw_length = length});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        struct docker_engine_info info;
        assert_false(docker_info(docker, &info, &error));
        assert_int_equal(error.code, ERROR_ENGINE_FAILED);
        assert_non_null(strstr(error.message, "longer than"));
}

static void what_is_no_engine_is_an_error(void **state)
{
        static const char *const raws[] = {"220 mail ready\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nno!",
                                           "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"};

        (void)state;
        for (size_t i = 0; i < COUNT_OF(raws); i++) {
                auto_fake *fake = FAKE({.request = "GET /version ", .raw = raws[i], .then = FAKE_CLOSE});
                auto_docker *docker = fake_docker(fake);
                auto_error error = {0};
                assert_false(docker_negotiate(docker, NULL, &error));
                assert_true(error.code == ERROR_ENGINE_FAILED || error.code == ERROR_ENGINE_INCOMPATIBLE);
        }
}

static void *inspect_often(void *context)
{
        auto_error error = {0};

        for (int i = 0; i < 25; i++)
                if (!docker_image_inspect(context, "longshore/task:1", NULL, &error))
                        return context;
        return NULL;
}

static void many_threads_share_one_driver(void **state)
{
        pthread_t threads[12];

        (void)state;
        auto_fake *fake = FAKE({.request = "GET /v1.41/images/", .status = 200, .body = "{}", .is_repeated = true});
        auto_docker *docker = fake_docker(fake);
        for (size_t i = 0; i < COUNT_OF(threads); i++)
                assert_int_equal(pthread_create(&threads[i], NULL, inspect_often, docker), 0);
        for (size_t i = 0; i < COUNT_OF(threads); i++) {
                void *failed;
                pthread_join(threads[i], &failed);
                assert_null(failed);
        }
}

int test_client(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(only_unix_sockets_are_taken_as_host),
                cmocka_unit_test(the_newest_version_that_both_sides_know_is_spoken),
                cmocka_unit_test(the_version_is_asked_for_once_and_again_after_the_engine_was_gone),
                cmocka_unit_test(an_engine_that_was_replaced_is_asked_for_its_version_again),
                cmocka_unit_test(an_absent_or_dead_socket_is_told_at_once),
                cmocka_unit_test(an_engine_that_says_nothing_is_given_up_in_time),
                cmocka_unit_test(an_answer_that_is_too_large_is_refused),
                cmocka_unit_test(what_is_no_engine_is_an_error),
                cmocka_unit_test(many_threads_share_one_driver),
        };

        return cmocka_run_group_tests_name("docker client", tests, NULL, NULL);
}
