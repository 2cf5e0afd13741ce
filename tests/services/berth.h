/* A world with a real engine and a running runtime. The tests that use it need LONGSHORE_TEST_DOCKER_HOST and the image
 * longshore/task:1; without them they are left out. */
#ifndef TESTS_SERVICES_BERTH_H
#define TESTS_SERVICES_BERTH_H

#include "docker/container.h"
#include "tests/cmocka.h"
#include "tests/services/world.h"

#define PATIENCE_MS 60000

struct berth {
        struct world *world;
        struct runtime *runtime;
        char *runner, *worker; /* programs */
        int64_t claim;         /* see struct runtime_times */
};

/* cmocka fixtures. The world's environments beside its own: box (network none, 128 MiB), small (64 MiB), brief (a time
 * limit of one minute), bare (an image that is not there), stuck (a remote that never answers). A minute of a turn's
 * limit is 200 ms, an engine that does not answer is asked again after 5 ms, a grace is a second. */
int berth_open(void **state);
int berth_close(void **state);
/* Starts the runtime again so that it waits long for a runner to take a turn up. */
void berth_patient(struct berth *berth);
/* Starts and stops the runtime, as a new process would and as the end of one does. */
void berth_start(struct berth *berth);
void berth_stop(struct berth *berth);

/* Makes a task in the environment; returns its id on the heap. */
char *berth_task(struct berth *berth, const char *environment, const char *script);
void berth_follow_up(struct berth *berth, const char *task_id, const char *script);
/* Waits until the latest turn has ended, and gives it. */
struct store_turn berth_ended(struct berth *berth, const char *task_id);
/* Waits until the turn is in that state. */
void berth_wait_state(struct berth *berth, const char *task_id, const char *state);
/* Waits until the script has made the file in /workspace; makes it there. */
void berth_wait_file(struct berth *berth, const char *task_id, const char *name);
void berth_make_file(struct berth *berth, const char *task_id, const char *name);
bool berth_has_file(struct berth *berth, const char *task_id, const char *name);
/* stop_task and interrupt_task; the result's `stopped` or `interrupted`. */
bool berth_end(struct berth *berth, const char *task_id, const char *kind);

/* The status of the task's container ("running", "exited"...), "gone" when there is none. */
void berth_container(struct berth *berth, const char *task_id, struct docker_container_state *state);
#define assert_container(berth, task_id, expected)                                                                     \
        do {                                                                                                           \
                auto_docker_container_state state_ = {0};                                                              \
                berth_container(berth, task_id, &state_);                                                              \
                assert_string_equal(state_.status, expected);                                                          \
        } while (0)
/* Halts the container's runner, and with `is_deep` the keepers below it. */
void berth_halt(struct berth *berth, const char *task_id, bool is_deep);
/* Makes a container that is not the runtime's, with a label of that server; NULL: none of ours. */
void berth_stranger(struct berth *berth, const char *name, const char *server, const char *task_id);
/* Runs retention as if so much time had passed. */
void berth_retain(struct berth *berth, int64_t hours);

/* The task's latest reply, on the heap. */
char *berth_reply(struct berth *berth, const char *task_id);
/* Status, type and stage ("" for none) of the task's latest turn, once it has ended. */
void berth_expect(struct berth *berth, const char *task_id, const char *status, const char *type, const char *stage);

#define BERTH_TEST(name) cmocka_unit_test_setup_teardown(name, berth_open, berth_close)

#endif
