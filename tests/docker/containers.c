#include "docker/container.h"
#include "server/base/document.h"
#include "tests/cmocka.h"
#include "tests/docker/fake.h"
#include "tests/docker/suite.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void a_container_is_made_in_the_hardened_shape(void **state)
{
        static const char *const command[] = {"/opt/runner", "--x", NULL};
        static const struct docker_pair environment[] = {{"HOME", "/home/agent"}, {"A", "b=c\xff"}};
        static const struct docker_pair labels[] = {{"org.longshore.task", "t1"}};
        static const struct docker_mount mounts[] = {{"/srv/ws", "/workspace", false}, {"/srv/r", "/opt/r", true}};
        struct docker_container_spec spec = {.name = "task 1",
                                             .image = "longshore/task:1",
                                             .command = command,
                                             .working_dir = "/workspace",
                                             .environment = environment,
                                             .environment_count = 2,
                                             .labels = labels,
                                             .label_count = 1,
                                             .mounts = mounts,
                                             .mount_count = 2,
                                             .memory = 1 << 30,
                                             .nano_cpus = 1500000000,
                                             .pids = 300,
                                             .home = "/home/agent",
                                             .home_uid = 1000,
                                             .home_gid = 1000};
        char id[DOCKER_ID_SIZE];

        (void)state;
        auto_fake *fake = FAKE({.request = "POST /v1.41/containers/create?name=task%201 ",
                                .status = 201,
                                .body = "{\"Id\":\"" ID "\",\"Warnings\":[]}"});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        assert_true(docker_container_create(docker, &spec, id, &error));
        assert_string_equal(id, ID);
        const char *body = strstr(fake_request(fake, "POST "), "\r\n\r\n") + 4;
        auto_json *sent = document_parse(body, strlen(body), &error);
        auto_json *expected = json_pack(
                "{s:s, s:s, s:s, s:i, s:{s:s}, s:[s, s], s:[s, s], s:s,"
                " s:{s:b, s:{s:s}, s:[s], s:[s, s, s, s], s:[s], s:b, s:s, s:i, s:s, s:{s:s},"
                " s:[{s:s, s:s, s:s, s:b}, {s:s, s:s, s:s, s:b}], s:{s:s, s:s},"
                " s:[{s:s, s:i, s:i}, {s:s, s:i, s:i}], s:i, s:i, s:I, s:i, s:i}}",
                "Image", "longshore/task:1", "User", "0:0", "StopSignal", "SIGTERM", "StopTimeout", 10, "Labels",
                "org.longshore.task", "t1", "Env", "HOME=/home/agent", "A=b=c\xef\xbf\xbd", "Cmd", "/opt/runner", "--x",
                "WorkingDir", "/workspace", "HostConfig", "Init", 1, "RestartPolicy", "Name", "no", "CapDrop", "ALL",
                "CapAdd", "SETUID", "SETGID", "KILL", "SETPCAP", "SecurityOpt", "no-new-privileges:true",
                "ReadonlyRootfs", 1, "IpcMode", "private", "OomScoreAdj", 500, "NetworkMode", "none", "LogConfig",
                "Type", "none", "Mounts", "Type", "bind", "Source", "/srv/ws", "Target", "/workspace", "ReadOnly", 0,
                "Type", "bind", "Source", "/srv/r", "Target", "/opt/r", "ReadOnly", 1, "Tmpfs", "/tmp",
                "rw,exec,nosuid,nodev,size=268435456,mode=1777", "/home/agent",
                "rw,exec,nosuid,nodev,size=268435456,uid=1000,gid=1000,mode=0700", "Ulimits", "Name", "nofile", "Soft",
                4096, "Hard", 4096, "Name", "core", "Soft", 0, "Hard", 0, "PidsLimit", 300, "ShmSize", 67108864,
                "NanoCpus", (json_int_t)1500000000, "Memory", 1 << 30, "MemorySwap", 1 << 30);
        assert_non_null(expected);
        auto_free char *want = document_canonical(expected);
        auto_free char *have = document_canonical(sent);
        assert_string_equal(have, want);
}

static void a_container_without_an_id_is_a_failure(void **state)
{
        struct docker_container_spec spec = {.image = "i"};
        char id[DOCKER_ID_SIZE];

        (void)state;
        auto_fake *fake =
                FAKE({.request = "POST /v1.41/containers/create ", .status = 201, .body = "{\"Id\":\"short\"}"});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        assert_false(docker_container_create(docker, &spec, id, &error));
        assert_int_equal(error.code, ERROR_ENGINE_FAILED);
}

static void what_is_so_already_is_success(void **state)
{
        (void)state;
        auto_fake *fake = FAKE({.request = "POST /v1.41/containers/c1/start ", .status = 304},
                               {.request = "POST /v1.41/containers/c1/stop?t=3 ", .status = 304},
                               {.request = "DELETE /v1.41/containers/c1?v=1&force=1 ",
                                .status = 404,
                                .body = "{\"message\":\"No such container: c1\"}"});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        assert_true(docker_container_start(docker, "c1", &error));
        assert_true(docker_container_stop(docker, "c1", 3, &error));
        assert_true(docker_container_remove(docker, "c1", true, &error));
        assert_int_equal(error.code, ERROR_NONE);
}

static void a_removal_by_somebody_else_is_waited_for(void **state)
{
        (void)state;
        auto_fake *fake =
                FAKE({.request = "DELETE /v1.41/containers/c1?v=1 ",
                      .status = 409,
                      .body = "{\"message\":\"removal of container c1 is already in progress\"}",
                      .is_repeated = true},
                     {.request = "POST /v1.41/containers/c1/wait?condition=removed ",
                      .status = 200,
                      .body = "{\"StatusCode\":0}"},
                     {.request = "POST /v1.41/containers/c1/wait?condition=removed ", .status = 404, .body = "{}"});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        assert_true(docker_container_remove(docker, "c1", false, &error));
        assert_true(docker_container_remove(docker, "c1", false, &error));
        assert_int_equal(fake_count(fake, "POST /v1.41/containers/c1/wait"), 2);
}

static void a_running_container_is_not_removed_without_force(void **state)
{
        (void)state;
        auto_fake *fake = FAKE({.request = "DELETE /v1.41/containers/c1?v=1 ",
                                .status = 409,
                                .body = "{\"message\":\"You cannot remove a running container c1\"}"});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        assert_false(docker_container_remove(docker, "c1", false, &error));
        assert_int_equal(error.code, ERROR_CONFLICT);
}

static void a_state_is_read_whole(void **state)
{
        (void)state;
        auto_fake *fake = FAKE(
                {.request = "GET /v1.41/containers/c1/json ",
                 .status = 200,
                 .body = "{\"Id\":\"" ID "\",\"Name\":\"/task-1\",\"Image\":\"sha256:ab\",\"Config\":{\"Labels\":"
                         "{\"org.longshore.task\":\"t1\"}},\"State\":{\"Status\":\"exited\",\"Running\":false,"
                         "\"OOMKilled\":true,\"ExitCode\":137,\"Pid\":0,\"Error\":\"because\","
                         "\"StartedAt\":\"2024-05-29T16:26:40.123456789Z\",\"FinishedAt\":\"0001-01-01T00:00:00Z\"}}"},
                {.request = "GET /v1.41/containers/c1/json ",
                 .status = 200,
                 .body = "{\"Config\":{\"Labels\":null},\"State\":{\"Running\":true}}"},
                {.request = "GET /v1.41/containers/c1/json ", .status = 200, .body = "{}"});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        auto_docker_container_state full = {0}, bare = {0}, none = {0};
        assert_true(docker_container_inspect(docker, "c1", &full, &error));
        assert_string_equal(full.id, ID);
        assert_string_equal(full.name, "task-1");
        assert_string_equal(full.status, "exited");
        assert_string_equal(full.error, "because");
        assert_true(full.is_oom_killed && !full.is_running);
        assert_int_equal(full.exit_code, 137);
        assert_int_equal(full.started_at, 1717000000123);
        assert_int_equal(full.finished_at, 0);
        assert_string_equal(document_get_string(full.labels, "org.longshore.task"), "t1");
        assert_true(docker_container_inspect(docker, "c1", &bare, &error));
        assert_true(bare.is_running);
        assert_int_equal(json_object_size(bare.labels), 0);
        assert_false(docker_container_inspect(docker, "c1", &none, &error));
        assert_int_equal(error.code, ERROR_ENGINE_FAILED);
}

static void a_list_asks_for_the_label_and_keeps_what_others_leave_out(void **state)
{
        (void)state;
        auto_fake *fake =
                FAKE({.request = "GET /v1.41/containers/json?all=1&filters=%7B%22label%22%3A%5B%22a.b%3Dc%22%5D%7D ",
                      .status = 200,
                      .body = "[{\"Id\":\"" ID "\",\"Names\":[\"/x\"],\"State\":\"paused\",\"Created\":17,"
                              "\"Labels\":{\"a.b\":\"c\"}},{\"Names\":null,\"Labels\":null}]"});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        auto_docker_container_list list = {0};
        assert_true(docker_container_find(docker, "a.b=c", &list, &error));
        assert_int_equal(list.count, 2);
        assert_string_equal(list.entries[0].name, "x");
        assert_true(list.entries[0].is_running);
        assert_int_equal(list.entries[0].created_at, 17000);
        assert_string_equal(document_get_string(list.entries[0].labels, "a.b"), "c");
        assert_string_equal(list.entries[1].id, "");
}

int test_containers(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_container_is_made_in_the_hardened_shape),
                cmocka_unit_test(a_container_without_an_id_is_a_failure),
                cmocka_unit_test(what_is_so_already_is_success),
                cmocka_unit_test(a_removal_by_somebody_else_is_waited_for),
                cmocka_unit_test(a_running_container_is_not_removed_without_force),
                cmocka_unit_test(a_state_is_read_whole),
                cmocka_unit_test(a_list_asks_for_the_label_and_keeps_what_others_leave_out),
        };

        return cmocka_run_group_tests_name("docker containers", tests, NULL, NULL);
}
