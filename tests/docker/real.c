#include "tests/docker/real.h"

#include <stdlib.h>

#include "docker/logs.h"
#include "tests/cmocka.h"

struct docker *real_docker(void)
{
        auto_error error = {0};
        struct docker *docker = docker_new(getenv("LONGSHORE_TEST_DOCKER_HOST"), &error);

        if (!docker)
                fail_msg("%s", error.message);
        return docker;
}

struct docker_container_spec real_spec(const char *command[4], const char *script)
{
        static const struct docker_pair labels[] = {{REAL_LABEL, "yes"}, {"org.longshore.task", "t1"}};

        command[0] = "sh";
        command[1] = "-c";
        command[2] = script;
        command[3] = NULL;
        return (struct docker_container_spec){.image = REAL_IMAGE,
                                              .command = command,
                                              .labels = labels,
                                              .label_count = COUNT_OF(labels),
                                              .memory = 64 << 20,
                                              .nano_cpus = 500000000,
                                              .keeps_log = true};
}

void real_start(struct docker *docker, const struct docker_container_spec *spec, char id[DOCKER_ID_SIZE])
{
        auto_error error = {0};

        if (!docker_container_create(docker, spec, id, &error) || !docker_container_start(docker, id, &error))
                fail_msg("%s", error.message);
}

static bool collect(enum docker_stream_kind kind, const char *bytes, size_t length, void *context)
{
        (void)kind;
        text_append(context, bytes, length);
        return true;
}

int real_run(struct docker *docker, const struct docker_container_spec *spec, struct text *output)
{
        auto_error error = {0};
        char id[DOCKER_ID_SIZE];
        int exit_code = -1;

        real_start(docker, spec, id);
        if (!docker_container_wait(docker, id, -1, &exit_code, &error) ||
            !docker_container_logs(docker, id, false, 0, -1, collect, output, &error) ||
            !docker_container_remove(docker, id, false, &error))
                fail_msg("%s", error.message);
        return exit_code;
}

int real_sweep(void **state)
{
        auto_error error = {0};
        auto_docker *docker = real_docker();
        auto_docker_container_list list = {0};

        (void)state;
        if (!docker_container_find(docker, REAL_LABEL, &list, &error))
                return -1;
        for (size_t i = 0; i < list.count; i++)
                if (!docker_container_remove(docker, list.entries[i].id, true, &error))
                        return -1;
        return 0;
}
