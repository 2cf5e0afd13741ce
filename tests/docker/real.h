/* What the tests against a real engine share. */
#ifndef TESTS_DOCKER_REAL_H
#define TESTS_DOCKER_REAL_H

#include "docker/container.h"
#include "server/base/text.h"

#define REAL_IMAGE "longshore/task:1"
#define REAL_LABEL "org.longshore.test-docker"
/* Longest wait for anything of the engine, in milliseconds. */
#define REAL_PATIENCE 60000

/* The driver for LONGSHORE_TEST_DOCKER_HOST; the caller frees it. */
struct docker *real_docker(void);
/* A spec that runs the script with sh in a container without network, labelled, with 64 MiB and half a processor, that
 * keeps its log. `command` is filled and must live as long as the spec. */
struct docker_container_spec real_spec(const char *command[4], const char *script);
/* Creates and starts it; the test fails when that fails. */
void real_start(struct docker *docker, const struct docker_container_spec *spec, char id[DOCKER_ID_SIZE]);
/* Runs the script to its end, appends what it wrote, removes the container and gives its exit code. */
int real_run(struct docker *docker, const struct docker_container_spec *spec, struct text *output);
/* Removes every container of these tests. */
int real_sweep(void **state);

static inline void real_release(struct docker **docker)
{
        docker_free(*docker);
}
#define auto_docker CLEANUP(real_release) struct docker

#endif
