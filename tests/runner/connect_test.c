/* Connections that the runner opens in the container's own network and hands out. */
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "docker/runner/connect.h"
#include "server/base/text.h"
#include "tests/runner/box.h"
#include "tests/runner/cases.h"

#define PATIENCE_MS 10000

/* A runner that has ended a run has begun to listen before. */
static void await_runner(const struct box *box, const char *run)
{
        box_run(box, run, "true");
        box_wait(box, run);
}

/* Listens on a free port of the loopback; the runner of a box has our network. */
static int listen_on(int family, uint16_t *port)
{
        struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
        bool is_six = family == AF_INET6;
        struct sockaddr *address = is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four;
        socklen_t size = is_six ? sizeof six : sizeof four;
        int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

        if (fd < 0 || bind(fd, address, size) || listen(fd, 8) || getsockname(fd, address, &size))
                return -1;
        *port = ntohs(is_six ? six.sin6_port : four.sin_port);
        return fd;
}

static void assert_is_carried(const struct box *box, int listener, uint16_t port)
{
        auto_error error = {0};
        char got[8] = "";
        auto_fd near = control_connect(box->control, port, PATIENCE_MS, &error);

        assert_string_equal(error.message, "");
        assert_true(near >= 0);
        auto_fd far = accept(listener, NULL, NULL);
        assert_int_equal(send(near, "there", 5, 0), 5);
        assert_int_equal(recv(far, got, sizeof got, 0), 5);
        assert_int_equal(send(far, "back", 4, 0), 4);
        struct pollfd polled = {near, POLLIN, 0};
        assert_int_equal(poll(&polled, 1, PATIENCE_MS), 1);
        assert_int_equal(recv(near, got, sizeof got, 0), 4);
        assert_memory_equal(got, "back", 4);
}

static void a_port_of_either_loopback_is_reached(void **state)
{
        const struct box *box = *state;
        uint16_t port;
        auto_fd four = listen_on(AF_INET, &port);

        await_runner(box, "first");
        assert_true(four >= 0);
        assert_is_carried(box, four, port);
        auto_fd six = listen_on(AF_INET6, &port);
        if (six >= 0)
                assert_is_carried(box, six, port);
}

static void a_port_where_nothing_listens_is_told_from_a_runner_that_is_not_there(void **state)
{
        struct box *box = *state;
        auto_error error = {0};
        uint16_t port;
        auto_fd listener = listen_on(AF_INET, &port);

        await_runner(box, "first");
        close(take_fd(&listener));
        assert_int_equal(control_connect(box->control, port, PATIENCE_MS, &error), -1);
        assert_int_equal(error.code, ERROR_UNAVAILABLE);
        error_clear(&error);
        assert_true(control_ping(box->control, PATIENCE_MS, &error));
        box_end_runner(box, SIGKILL);
        assert_false(control_ping(box->control, PATIENCE_MS, &error));
        assert_int_equal(error.code, ERROR_CONTAINER_NOT_RUNNING);
        error_clear(&error);
        assert_int_equal(control_connect(box->control, port, PATIENCE_MS, &error), -1);
        assert_int_equal(error.code, ERROR_CONTAINER_NOT_RUNNING);
}

static void keepers_do_not_answer_for_a_runner_that_died(void **state)
{
        struct box *box = *state;
        auto_error error = {0};

        box_run(box, "long", "touch begun; sleep 1000");
        box_wait_for_file(box, "begun");
        box_end_runner(box, SIGKILL);
        assert_false(control_ping(box->control, PATIENCE_MS, &error));
        assert_int_equal(error.code, ERROR_CONTAINER_NOT_RUNNING);
        box_start_runner(box);
        /* The keeper itself writes this, maybe before the next runner listens. */
        assert_int_equal(box_wait(box, "long").reason, RUNNER_LOST);
        error_clear(&error);
        await_runner(box, "next");
        assert_true(control_ping(box->control, PATIENCE_MS, &error));
}

static void many_at_once_are_served_and_nonsense_is_refused(void **state)
{
        const struct box *box = *state;
        auto_error error = {0};
        int files[3 * 16];
        uint16_t port;
        auto_fd listener = listen_on(AF_INET, &port);

        await_runner(box, "first");
        assert_int_equal(listen(listener, 128), 0);
        for (size_t i = 0; i < COUNT_OF(files); i++) {
                files[i] = control_connect(box->control, port, PATIENCE_MS, &error);
                assert_true(files[i] >= 0);
        }
        for (size_t i = 0; i < COUNT_OF(files); i++)
                close(files[i]);
        assert_true(control_ping(box->control, PATIENCE_MS, &error));
}

int connect_cases(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(a_port_of_either_loopback_is_reached, box_setup, box_teardown),
                cmocka_unit_test_setup_teardown(a_port_where_nothing_listens_is_told_from_a_runner_that_is_not_there,
                                                box_setup, box_teardown),
                cmocka_unit_test_setup_teardown(keepers_do_not_answer_for_a_runner_that_died, box_setup, box_teardown),
                cmocka_unit_test_setup_teardown(many_at_once_are_served_and_nonsense_is_refused, box_setup,
                                                box_teardown),
        };

        return cmocka_run_group_tests_name("connect", tests, NULL, NULL);
}
