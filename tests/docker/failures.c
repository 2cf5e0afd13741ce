#include "docker/build.h"
#include "docker/container.h"
#include "docker/exec.h"
#include "docker/failure.h"
#include "docker/image.h"
#include "server/base/document.h"
#include "tests/cmocka.h"
#include "tests/docker/fake.h"
#include "tests/docker/suite.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct {
        enum docker_operation operation;
        int status;
        const char *message;
        enum error_code code;
} rows[] = {
        {DOCKER_ON_CREATE, 404, "No such image: nope:latest", ERROR_IMAGE_NOT_FOUND},
        {DOCKER_ON_CREATE, 409,
         "Conflict. The container name \\\"/x\\\" is already in use by container \\\"" ID "\\\".",
         ERROR_CONTAINER_NAME_TAKEN},
        {DOCKER_ON_CREATE, 500, "creating container storage: the container name \\\"x\\\" is already in use by " ID,
         ERROR_CONTAINER_NAME_TAKEN},
        {DOCKER_ON_CREATE, 400, "invalid mount config for type \\\"bind\\\": bind source path does not exist: /nope",
         ERROR_MOUNT_SOURCE_MISSING},
        {DOCKER_ON_CREATE, 400, "Invalid container name (bad/name)", ERROR_ENGINE_REQUEST_INVALID},
        {DOCKER_ON_CREATE, 400, "Minimum memory limit allowed is 6MB", ERROR_ENGINE_REQUEST_INVALID},
        {DOCKER_ON_CREATE, 500, "storage-opt is supported only for overlay over xfs", ERROR_ENGINE_FAILED},
        {DOCKER_ON_START, 404, "No such container: c1", ERROR_CONTAINER_NOT_FOUND},
        {DOCKER_ON_START, 404, "network gone not found", ERROR_CONTAINER_START_FAILED},
        {DOCKER_ON_START, 400, "OCI runtime create failed: exec: \\\"nope\\\": executable file not found in $PATH",
         ERROR_CONTAINER_START_FAILED},
        {DOCKER_ON_START, 500, "error setting rlimit type 7: operation not permitted", ERROR_CONTAINER_START_FAILED},
        {DOCKER_ON_START, 500, "write /var/lib/docker/x: no space left on device", ERROR_STORE_FULL},
        {DOCKER_ON_CONTAINER, 404, "No such container: c1", ERROR_CONTAINER_NOT_FOUND},
        {DOCKER_ON_CONTAINER, 409, "Cannot kill container: c1: Container " ID " is not running",
         ERROR_CONTAINER_NOT_RUNNING},
        {DOCKER_ON_CONTAINER, 409, "You cannot remove a running container " ID, ERROR_CONFLICT},
        {DOCKER_ON_CONTAINER, 500, "invalid character", ERROR_ENGINE_FAILED},
        {DOCKER_ON_EXEC, 500, "cannot resize a stopped container: unknown", ERROR_NOT_FOUND},
        {DOCKER_ON_EXEC, 500, "cannot resize a deleted process: unknown", ERROR_NOT_FOUND},
        {DOCKER_ON_EXEC, 500, "no such exec", ERROR_NOT_FOUND},
        {DOCKER_ON_EXEC, 500, "process does not exist " ID ": not found", ERROR_NOT_FOUND},
        {DOCKER_ON_EXEC, 404, "No such exec instance: e1", ERROR_NOT_FOUND},
        {DOCKER_ON_EXEC, 409, "Error: Exec command e1 has already run", ERROR_CONFLICT},
        {DOCKER_ON_EXEC, 409, "Container " ID " is not running", ERROR_CONTAINER_NOT_RUNNING},
        {DOCKER_ON_IMAGE, 404, "No such image: nope", ERROR_IMAGE_NOT_FOUND},
        {DOCKER_ON_IMAGE, 409, "conflict: unable to remove repository reference", ERROR_CONFLICT},
        {DOCKER_ON_BUILD, 400, "dockerfile parse error line 1: unknown instruction: X", ERROR_IMAGE_BUILD_FAILED},
        {DOCKER_ON_BUILD, 500, "archive/tar: invalid tar header", ERROR_IMAGE_BUILD_FAILED},
        {DOCKER_ON_ENGINE, 400, "invalid filter", ERROR_ENGINE_REQUEST_INVALID},
        {DOCKER_ON_ENGINE, 503, "swarm", ERROR_ENGINE_FAILED},
};

static void every_refusal_has_its_own_code_and_the_reason(void **state)
{
        (void)state;
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
                auto_free char *body = text_format("{\"message\":\"%s\"}\n", rows[i].message);
                auto_error error = {0};
                assert_false(docker_failure(rows[i].operation, rows[i].status, body, strlen(body), &error));
                if (error.code != rows[i].code)
                        print_message("row %zu: %s\n", i, error.message);
                assert_int_equal(error.code, rows[i].code);
                assert_memory_equal(error.message, "Docker engine: ", strlen("Docker engine: "));
                const char *id = document_get_string(error.details, "id");
                if (error.code == ERROR_CONTAINER_NAME_TAKEN)
                        assert_string_equal(id, ID);
                else
                        assert_null(id);
        }
}

static void a_reason_is_bounded_clean_text_of_one_line(void **state)
{
        char reason[DOCKER_REASON_SIZE], body[3000];

        (void)state;
        docker_reason("a\xff"
                      "b\nc\n",
                      6, reason);
        assert_string_equal(reason, "a\xef\xbf\xbd"
                                    "b c");
        docker_reason("{\"message\":\"one\\ntwo\"}", strlen("{\"message\":\"one\\ntwo\"}"), reason);
        assert_string_equal(reason, "one two");
        docker_reason("", 0, reason);
        assert_string_equal(reason, "");
        for (size_t i = 0; i + 1 < sizeof body; i += 2)
                memcpy(body + i, "\xc3\xa9", 2);
        docker_reason(body, sizeof body, reason);
        assert_true(strlen(reason) > DOCKER_REASON_SIZE - 8);
        assert_true(utf8_is_valid(reason, strlen(reason)));
        assert_int_equal(strlen(reason) % 2, 0);
}

static void a_refusal_without_a_body_tells_the_status(void **state)
{
        auto_error error = {0};

        (void)state;
        assert_false(docker_failure(DOCKER_ON_ENGINE, 502, "", 0, &error));
        assert_non_null(strstr(error.message, "502"));
}

static void a_name_that_would_be_another_resource_never_reaches_the_engine(void **state)
{
        static const char *const wrong[] = {"", ".", "..", "/x", "-x", "%2e"};

        (void)state;
        auto_fake *fake = FAKE({.request = "GET /none"});
        auto_docker *docker = fake_docker(fake);
        for (size_t i = 0; i < COUNT_OF(wrong); i++) {
                auto_error error = {0};
                auto_docker_container_state container = {0};
                assert_false(docker_container_remove(docker, wrong[i], true, &error));
                assert_int_equal(error.code, ERROR_INVALID_INPUT);
                assert_false(docker_container_inspect(docker, wrong[i], &container, &error));
                assert_false(docker_image_remove(docker, wrong[i], false, &error));
                assert_int_equal(error.code, ERROR_INVALID_INPUT);
        }
        auto_error error = {0};
        assert_false(docker_image_inspect(docker, "a/../../containers/json", NULL, &error));
        assert_int_equal(error.code, ERROR_INVALID_INPUT);
        assert_int_equal(fake_count(fake, ""), 0);
        assert_false(docker_container_start(docker, "a/../b?c=d#e f", &error));
        assert_int_equal(fake_count(fake, "POST /v1.41/containers/a%2F..%2Fb%3Fc%3Dd%23e%20f/start HTTP/1.1"), 1);
}

int test_failures(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(every_refusal_has_its_own_code_and_the_reason),
                cmocka_unit_test(a_reason_is_bounded_clean_text_of_one_line),
                cmocka_unit_test(a_refusal_without_a_body_tells_the_status),
                cmocka_unit_test(a_name_that_would_be_another_resource_never_reaches_the_engine),
        };

        return cmocka_run_group_tests_name("docker failures", tests, NULL, NULL);
}
