#include "docker/exec.h"
#include "server/base/text.h"
#include "tests/cmocka.h"
#include "tests/docker/fake.h"
#include "tests/docker/suite.h"

static void close_stream(struct docker_stream **stream)
{
        docker_stream_close(*stream);
}
#define auto_stream CLEANUP(close_stream) struct docker_stream

static void bytes_that_came_with_the_upgrade_are_read_first(void **state)
{
        char bytes[4];
        size_t length;
        enum docker_read outcome;

        (void)state;
        auto_fake *fake =
                FAKE({.request = "POST /v1.41/exec/e1/start ", .raw = FAKE_UPGRADED "prompt", .then = FAKE_HANG});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        auto_stream *stream = docker_exec_start(docker, "e1", true, &error);
        assert_non_null(stream);
        assert_true(docker_stream_read(stream, bytes, sizeof bytes, 5000, &outcome, &length, &error));
        assert_int_equal(outcome, DOCKER_READ_BYTES);
        assert_memory_equal(bytes, "prom", 4);
        assert_true(docker_stream_read(stream, bytes, sizeof bytes, 5000, &outcome, &length, &error));
        assert_int_equal(length, 2);
        assert_true(docker_stream_read(stream, bytes, sizeof bytes, 0, &outcome, &length, &error));
        assert_int_equal(outcome, DOCKER_READ_NONE_YET);
        assert_non_null(strstr(fake_request(fake, "POST "), "{\"Detach\":false,\"Tty\":true}"));
        assert_non_null(strstr(fake_request(fake, "POST "), "\r\nUpgrade: tcp\r\n"));
}

static void a_closed_stream_is_read_to_its_end_and_refuses_input(void **state)
{
        char bytes[16];
        size_t length;
        enum docker_read outcome;

        (void)state;
        auto_fake *fake =
                FAKE({.request = "POST /v1.41/exec/e1/start ", .raw = FAKE_UPGRADED "bye", .then = FAKE_CLOSE});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        auto_stream *stream = docker_exec_start(docker, "e1", false, &error);
        assert_true(docker_stream_read(stream, bytes, sizeof bytes, 5000, &outcome, &length, &error));
        assert_memory_equal(bytes, "bye", 3);
        assert_true(docker_stream_read(stream, bytes, sizeof bytes, 5000, &outcome, &length, &error));
        assert_int_equal(outcome, DOCKER_READ_END);
        assert_false(docker_stream_write(stream, "x", 1, 5000, &error));
        assert_int_equal(error.code, ERROR_ENGINE_STREAM_LOST);
}

static void input_after_its_end_is_refused(void **state)
{
        (void)state;
        auto_fake *fake = FAKE({.request = "POST /v1.41/exec/e1/start ", .raw = FAKE_UPGRADED, .then = FAKE_HANG});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        auto_stream *stream = docker_exec_start(docker, "e1", false, &error);
        assert_non_null(stream);
        assert_true(docker_stream_write(stream, "x", 1, 5000, &error));
        docker_stream_end_input(stream);
        assert_false(docker_stream_write(stream, "x", 1, 5000, &error));
        assert_int_equal(error.code, ERROR_ENGINE_STREAM_LOST);
}

static void a_refused_start_has_its_own_code(void **state)
{
        static const struct {
                struct fake_answer answer;
                enum error_code code;
        } cases[] = {
                {{.status = 409, .body = "{\"message\":\"Container c1 is not running\"}"}, ERROR_CONTAINER_NOT_RUNNING},
                {{.status = 409, .body = "{\"message\":\"Error: Exec command e1 has already run\"}"}, ERROR_CONFLICT},
                {{.status = 404, .body = "{\"message\":\"No such exec instance: e1\"}"}, ERROR_NOT_FOUND},
                {{.raw = "HTTP/1.1 500 X\r\n\r\nno length", .then = FAKE_CLOSE}, ERROR_ENGINE_FAILED},
                {{.raw = "HTTP/1.1 101 UP\r\n", .then = FAKE_CLOSE}, ERROR_ENGINE_STREAM_LOST},
                {{.raw = "HTTP/1.1 101 UP\r\n", .then = FAKE_HANG}, ERROR_ENGINE_UNREACHABLE},
                {{.raw = "garbage\r\n\r\n", .then = FAKE_HANG}, ERROR_ENGINE_FAILED},
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                struct fake_answer answer = cases[i].answer;
                auto_error error = {0};
                answer.request = "POST /v1.41/exec/e1/start ";
                auto_fake *fake = fake_new(&answer, 1);
                auto_docker *docker = fake_docker(fake);
                assert_true(docker_negotiate(docker, NULL, &error));
                docker_set_timeout(docker, 200);
                assert_null(docker_exec_start(docker, "e1", true, &error));
                assert_int_equal(error.code, cases[i].code);
        }
}

static void an_exec_tells_whether_it_has_an_exit_code(void **state)
{
        struct docker_exec_state exec;

        (void)state;
        auto_fake *fake = FAKE(
                {.request = "GET /v1.41/exec/e1/json ",
                 .status = 200,
                 .body = "{\"Running\":true,\"ExitCode\":null,\"Pid\":7}"},
                {.request = "GET /v1.41/exec/e1/json ", .status = 200, .body = "{\"Running\":true,\"ExitCode\":0}"},
                {.request = "GET /v1.41/exec/e1/json ", .status = 200, .body = "{\"Running\":false,\"ExitCode\":null}"},
                {.request = "GET /v1.41/exec/e1/json ", .status = 200, .body = "{\"Running\":false,\"ExitCode\":9}"});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        for (int i = 0; i < 4; i++) {
                assert_true(docker_exec_inspect(docker, "e1", &exec, &error));
                assert_int_equal(exec.is_running, i < 2);
                assert_int_equal(exec.has_exit_code, i == 3);
        }
        assert_int_equal(exec.exit_code, 9);
}

int test_execs(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(bytes_that_came_with_the_upgrade_are_read_first),
                cmocka_unit_test(a_closed_stream_is_read_to_its_end_and_refuses_input),
                cmocka_unit_test(input_after_its_end_is_refused),
                cmocka_unit_test(a_refused_start_has_its_own_code),
                cmocka_unit_test(an_exec_tells_whether_it_has_an_exit_code),
        };

        return cmocka_run_group_tests_name("docker execs", tests, NULL, NULL);
}
