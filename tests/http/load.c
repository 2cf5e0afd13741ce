#include "server/base/clock.h"
#include "tests/http/fixture.h"

#define ROUNDS 10

/* All clients ask before any of them reads: every socket of the one worker is ready at once. */
static void finish_closed_loop(size_t count)
{
        struct http_server_options options = fixture_options();
        struct http_server *server = fixture_start(&options);
        struct connection *clients[512];
        int64_t began = clock_monotonic();

        for (size_t i = 0; i < count; i++)
                clients[i] = connection_open(server);
        for (int round = 0; round < ROUNDS; round++) {
                for (size_t i = 0; i < count; i++)
                        connection_send(clients[i], "POST /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}");
                for (size_t i = 0; i < count; i++) {
                        auto_reply *reply = connection_read(clients[i], true);
                        assert_int_equal(reply->status, 200);
                }
        }
        assert_true(clock_monotonic() - began < 20000);
        for (size_t i = 0; i < count; i++)
                connection_close(clients[i]);
        http_server_stop(server);
}

static void closed_loops_around_128_clients_do_not_stall_a_worker(void **state)
{
        (void)state;
        finish_closed_loop(127);
        finish_closed_loop(128);
        finish_closed_loop(129);
}

static void closed_loops_of_256_and_512_clients_do_not_stall_a_worker(void **state)
{
        (void)state;
        finish_closed_loop(256);
        finish_closed_loop(512);
}

int run_load_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(closed_loops_around_128_clients_do_not_stall_a_worker),
                cmocka_unit_test(closed_loops_of_256_and_512_clients_do_not_stall_a_worker),
        };

        return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
