/* The groups of tests/docker; each returns the number of its failures. */
#ifndef TESTS_DOCKER_SUITE_H
#define TESTS_DOCKER_SUITE_H

int test_client(void);
int test_failures(void);
int test_containers(void);
int test_streams(void);
int test_builds(void);
int test_execs(void);
int test_demux(void);

/* These need an engine that LONGSHORE_TEST_DOCKER_HOST names, with the image longshore/task:1. */
int test_real_containers(void);
int test_real_streams(void);
int test_real_images(void);

#endif
