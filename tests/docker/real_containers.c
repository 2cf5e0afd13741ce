#include <stdlib.h>
#include <sys/stat.h>

#include "docker/exec.h"
#include "docker/image.h"
#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/path.h"
#include "tests/cmocka.h"
#include "tests/docker/real.h"
#include "tests/docker/suite.h"

static void the_engine_tells_of_itself(void **state)
{
        struct docker_version version;
        struct docker_engine_info info;

        (void)state;
        auto_docker *docker = real_docker();
        auto_error error = {0};
        assert_true(docker_negotiate(docker, &version, &error));
        assert_memory_equal(version.api, "1.4", 3);
        assert_true(docker_info(docker, &info, &error));
        assert_string_equal(info.engine, version.engine);
        assert_true(info.memory > 0 && info.processors > 0 && info.has_memory_limit && info.has_process_limit);
        assert_true(info.cgroup_version[0] == '1' || info.cgroup_version[0] == '2');
        assert_true(info.root[0] == '/');
}

/* Waits, by an exec that ends then, until the container has made the file /tmp/ready. */
static void wait_ready(struct docker *docker, const char *id)
{
        const char *const command[] = {"sh", "-c", "until test -e /tmp/ready; do sleep 0.02; done", NULL};
        struct docker_exec_spec spec = {.command = command};
        auto_error error = {0};
        enum docker_read outcome = DOCKER_READ_BYTES;
        char exec[DOCKER_ID_SIZE], bytes[64];
        size_t length;

        assert_true(docker_exec_create(docker, id, &spec, exec, &error));
        struct docker_stream *stream = docker_exec_start(docker, exec, false, &error);
        assert_non_null(stream);
        while (outcome != DOCKER_READ_END)
                assert_true(docker_stream_read(stream, bytes, sizeof bytes, -1, &outcome, &length, &error));
        docker_stream_close(stream);
}

static void a_container_goes_through_its_life(void **state)
{
        const char *command[4];
        char id[DOCKER_ID_SIZE], again[DOCKER_ID_SIZE];
        struct docker_container_spec spec =
                real_spec(command, "trap 'exit 44' TERM; : >/tmp/ready; while :; do sleep 0.1; done");

        (void)state;
        auto_docker *docker = real_docker();
        auto_error error = {0};
        auto_docker_container_state before = {0}, running = {0}, after = {0}, gone = {0};
        spec.name = "longshore-test-life";
        assert_true(docker_container_create(docker, &spec, id, &error));
        assert_false(docker_container_create(docker, &spec, again, &error));
        assert_int_equal(error.code, ERROR_CONTAINER_NAME_TAKEN);
        assert_string_equal(document_get_string(error.details, "id"), id);
        assert_true(docker_container_inspect(docker, "longshore-test-life", &before, &error));
        assert_string_equal(before.status, "created");
        assert_string_equal(before.id, id);
        assert_int_equal(before.started_at, 0);
        assert_false(docker_container_kill(docker, id, "KILL", &error));
        assert_int_equal(error.code, ERROR_CONTAINER_NOT_RUNNING);

        assert_true(docker_container_start(docker, id, &error));
        assert_true(docker_container_start(docker, id, &error));
        assert_true(docker_container_inspect(docker, id, &running, &error));
        assert_true(running.is_running && running.pid > 0);
        wait_ready(docker, id);
        assert_true(llabs(clock_now() - running.started_at) < 60000);
        assert_string_equal(document_get_string(running.labels, "org.longshore.task"), "t1");
        assert_false(docker_container_remove(docker, id, false, &error));
        assert_int_equal(error.code, ERROR_CONFLICT);

        auto_docker_container_list list = {0};
        assert_true(docker_container_find(docker, REAL_LABEL "=yes", &list, &error));
        assert_int_equal(list.count, 1);
        assert_string_equal(list.entries[0].name, "longshore-test-life");
        assert_true(list.entries[0].is_running);

        assert_true(docker_container_stop(docker, id, 20, &error));
        assert_true(docker_container_stop(docker, id, 20, &error));
        assert_true(docker_container_inspect(docker, id, &after, &error));
        assert_string_equal(after.status, "exited");
        assert_int_equal(after.exit_code, 44);
        assert_true(after.finished_at >= after.started_at);
        assert_true(docker_container_remove(docker, id, false, &error));
        assert_true(docker_container_remove(docker, id, false, &error));
        assert_false(docker_container_inspect(docker, id, &gone, &error));
        assert_int_equal(error.code, ERROR_CONTAINER_NOT_FOUND);
}

/* Each line must be in what the container printed about itself. */
static void the_limits_hold_inside(void **state)
{
        static const char *const expected[] = {
                "CapBnd:\t00000000000001e0",
                "NoNewPrivs:\t1",
                "Seccomp:\t2",
                "root: read-only",
                "tmp runs: yes",
                "home: 1000:1000",
                "devices: 1",
                "memory: 67108864",
                "pids: 77",
                "files: 333",
                "core: 0",
                "uid: 0",
                "init: docker-init",
                "mount: hello",
                "mount: read-only",
                "hostname: here",
                "value: a b=c",
        };
        static const char script[] =
                "grep -E '^(CapBnd|NoNewPrivs|Seccomp):' /proc/self/status\n"
                "touch /x 2>/dev/null || echo 'root: read-only'\n"
                "cp /bin/true /tmp/t && /tmp/t && echo 'tmp runs: yes'\n"
                "echo \"home: $(stat -c '%u:%g' /home/agent)\"\n"
                "echo \"devices: $(grep -c : /proc/net/dev)\"\n"
                "echo \"memory: $(cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max "
                "2>/dev/null)\"\n"
                "echo \"pids: $(cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null)\"\n"
                "echo \"files: $(ulimit -n)\"; echo \"core: $(ulimit -c)\"\n"
                "echo \"uid: $(id -u)\"; echo \"init: $(cat /proc/1/comm)\"\n"
                "echo \"mount: $(cat /input/greeting)\"; echo x 2>/dev/null >/input/greeting || echo 'mount: "
                "read-only'\n"
                "echo \"hostname: $(cat /proc/sys/kernel/hostname)\"; echo \"value: $VALUE\"\n";
        const char *command[4];
        char folder[] = "/tmp/longshore-mount-XXXXXX";
        struct docker_container_spec spec = real_spec(command, script);
        static const struct docker_pair environment[] = {{"VALUE", "a b=c"}};

        (void)state;
        auto_docker *docker = real_docker();
        auto_error error = {0};
        auto_text output = TEXT_WITH_MAXIMUM(65536);
        assert_non_null(mkdtemp(folder));
        auto_free char *file = path_join(folder, "greeting");
        assert_true(path_write(file, "hello", 5, 0644, &error));
        struct docker_mount mount = {.source = folder, .target = "/input", .is_read_only = true};
        spec.mounts = &mount;
        spec.mount_count = 1;
        spec.environment = environment;
        spec.environment_count = 1;
        spec.pids = 77;
        spec.open_files = 333;
        spec.hostname = "here";
        spec.home = "/home/agent";
        spec.home_uid = spec.home_gid = 1000;
        assert_int_equal(real_run(docker, &spec, &output), 0);
        for (size_t i = 0; i < COUNT_OF(expected); i++)
                if (!strstr(text_string(&output), expected[i]))
                        fail_msg("\"%s\" is not in:\n%s", expected[i], output.data);
        assert_true(path_remove_tree(folder, &error));
}

static void what_cannot_be_made_has_its_own_code(void **state)
{
        const char *command[4], *nothing[] = {"/no/such/program", NULL};
        char id[DOCKER_ID_SIZE];
        struct docker_mount mount = {.source = "/no/such/folder", .target = "/input"};
        struct docker_container_spec spec = real_spec(command, "exit 0"), bad;

        (void)state;
        auto_docker *docker = real_docker();
        auto_error error = {0};
        bad = spec;
        bad.image = "longshore/no-such-image:1";
        assert_false(docker_container_create(docker, &bad, id, &error));
        assert_int_equal(error.code, ERROR_IMAGE_NOT_FOUND);
        bad = spec;
        bad.mounts = &mount;
        bad.mount_count = 1;
        assert_false(docker_container_create(docker, &bad, id, &error));
        assert_int_equal(error.code, ERROR_MOUNT_SOURCE_MISSING);
        assert_non_null(strstr(error.message, "/no/such/folder"));
        bad = spec;
        bad.name = "bad/name";
        assert_false(docker_container_create(docker, &bad, id, &error));
        assert_int_equal(error.code, ERROR_ENGINE_REQUEST_INVALID);
        bad = spec;
        bad.memory = 4096;
        assert_false(docker_container_create(docker, &bad, id, &error));
        assert_int_equal(error.code, ERROR_ENGINE_REQUEST_INVALID);
        assert_false(docker_container_start(docker, "longshore-no-such", &error));
        assert_int_equal(error.code, ERROR_CONTAINER_NOT_FOUND);
        assert_false(docker_image_inspect(docker, "longshore/no-such-image:1", NULL, &error));
        assert_int_equal(error.code, ERROR_IMAGE_NOT_FOUND);
        bad = spec;
        bad.command = nothing;
        bad.is_without_init = true;
        assert_true(docker_container_create(docker, &bad, id, &error));
        assert_false(docker_container_start(docker, id, &error));
        assert_int_equal(error.code, ERROR_CONTAINER_START_FAILED);
        assert_non_null(strstr(error.message, "/no/such/program"));
        auto_docker_container_state failed = {0};
        assert_true(docker_container_inspect(docker, id, &failed, &error));
        assert_non_null(strstr(failed.error, "/no/such/program"));
        assert_true(docker_container_remove(docker, id, false, &error));
}

static void a_mount_that_went_away_is_told_at_the_start(void **state)
{
        const char *command[4];
        char id[DOCKER_ID_SIZE], folder[] = "/tmp/longshore-mount-XXXXXX";
        struct docker_mount mount = {.source = folder, .target = "/input"};
        struct docker_container_spec spec = real_spec(command, "exit 0");

        (void)state;
        auto_docker *docker = real_docker();
        auto_error error = {0};
        assert_non_null(mkdtemp(folder));
        spec.mounts = &mount;
        spec.mount_count = 1;
        assert_true(docker_container_create(docker, &spec, id, &error));
        assert_int_equal(rmdir(folder), 0);
        assert_false(docker_container_start(docker, id, &error));
        assert_int_equal(error.code, ERROR_MOUNT_SOURCE_MISSING);
        assert_true(docker_container_remove(docker, id, true, &error));
}

static void a_killed_container_has_the_code_of_its_signal(void **state)
{
        const char *command[4];
        char id[DOCKER_ID_SIZE];
        int exit_code;
        struct docker_container_spec spec = real_spec(command, "exec sleep 1000");

        (void)state;
        auto_docker *docker = real_docker();
        auto_error error = {0};
        real_start(docker, &spec, id);
        assert_true(docker_container_kill(docker, id, "KILL", &error));
        assert_true(docker_container_wait(docker, id, -1, &exit_code, &error));
        assert_int_equal(exit_code, 137);
        assert_true(docker_container_remove(docker, id, true, &error));
}

int test_real_containers(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_engine_tells_of_itself),
                cmocka_unit_test(a_container_goes_through_its_life),
                cmocka_unit_test(the_limits_hold_inside),
                cmocka_unit_test(what_cannot_be_made_has_its_own_code),
                cmocka_unit_test(a_mount_that_went_away_is_told_at_the_start),
                cmocka_unit_test(a_killed_container_has_the_code_of_its_signal),
        };

        return cmocka_run_group_tests_name("docker, real engine: containers", tests, real_sweep, real_sweep);
}
