#include <poll.h>
#include <stdatomic.h>

#include "server/base/text.h"
#include "tests/http/fixture.h"

static bool is_served(struct connection *connection)
{
        auto_reply *reply = ask(connection, "GET", "/hello", "", NULL);

        return reply->status == 200;
}

static atomic_uint refused;

static void note_refusal(void *context)
{
        (void)context;
        atomic_fetch_add(&refused, 1);
}

static void an_address_has_so_many_connections_at_most(void **state)
{
        struct http_server_options options = fixture_options();
        struct connection *clients[3];

        (void)state;
        options.address_maximum = 3;
        options.observe_refusal = note_refusal;
        options.threads = 2;
        refused = 0;
        struct http_server *server = fixture_start(&options);
        for (size_t i = 0; i < COUNT_OF(clients); i++) {
                clients[i] = connection_open_from(server, "127.0.0.2");
                assert_true(is_served(clients[i]));
        }
        struct connection *one_more = connection_open_from(server, "127.0.0.2"),
                          *neighbour = connection_open_from(server, "127.0.0.3");
        assert_false(is_served(one_more));
        assert_true(is_served(neighbour));
        assert_int_equal(refused, 1);
        connection_close(one_more);
        connection_send(clients[0], "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        connection_drain(clients[0]);
        /* The client sees the end a moment before the server has counted it. */
        bool is_free = false;
        for (int i = 0; i < 100 && !is_free; i++) {
                struct connection *next = connection_open_from(server, "127.0.0.2");
                is_free = is_served(next);
                connection_close(next);
        }
        assert_true(is_free);
        for (size_t i = 0; i < COUNT_OF(clients); i++)
                connection_close(clients[i]);
        connection_close(neighbour);
        http_server_stop(server);
}

static void proxies_and_this_machine_may_have_more(void **state)
{
        static const char *const from[] = {"127.0.0.1", "127.0.0.1", "127.0.0.9", "127.0.0.9"};
        struct http_server_options options = fixture_options();
        struct connection *clients[COUNT_OF(from)];

        (void)state;
        options.address_maximum = 1;
        options.trusted_proxies = "127.0.0.9";
        struct http_server *server = fixture_start(&options);
        for (size_t i = 0; i < COUNT_OF(from); i++) {
                clients[i] = connection_open_from(server, from[i]);
                assert_true(is_served(clients[i]));
        }
        for (size_t i = 0; i < COUNT_OF(from); i++)
                connection_close(clients[i]);
        http_server_stop(server);
}

static void expect_peer(const struct http_server *server, const char *from, const char *headers, const char *peer)
{
        struct connection *client = connection_open_from(server, from);
        auto_reply *reply = ask(client, "GET", "/about", headers, NULL);
        auto_free char *wanted = text_format(" %s ", peer);

        if (!strstr(reply->body, wanted))
                fail_msg("%s instead of %s", reply->body, peer);
        connection_close(client);
}

static void only_a_trusted_proxy_says_who_the_client_is(void **state)
{
        struct http_server_options options = fixture_options();

        (void)state;
        options.trusted_proxies = "127.0.0.9, 10.0.0.0/8";
        struct http_server *server = fixture_start(&options);
        expect_peer(server, "127.0.0.1", "X-Test: 1\r\nX-Forwarded-For: 203.0.113.5\r\n", "127.0.0.1");
        expect_peer(server, "127.0.0.9", "X-Test: 1\r\n", "127.0.0.9");
        expect_peer(server, "127.0.0.9", "X-Test: 1\r\nX-Forwarded-For: 1.1.1.1, 203.0.113.5, 10.0.0.7\r\n",
                    "203.0.113.5");
        expect_peer(server, "127.0.0.9", "X-Test: 1\r\nX-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 203.0.113.6\r\n",
                    "203.0.113.6");
        http_server_stop(server);
        options.trusted_proxies = "10.0.0.0/8, nonsense";
        auto_error error = {0};
        assert_null(http_server_start(&options, &error));
        assert_int_equal(error.code, ERROR_INVALID_INPUT);
}

/* Sends the bytes one by one with a pause each until the server closes; how many it took. */
static size_t trickle(struct connection *client, const char *byte, unsigned pause_ms, size_t most)
{
        struct pollfd waiting = {.fd = client->fd, .events = POLLIN};
        size_t sent = 0;

        while (sent < most && poll(&waiting, 1, (int)pause_ms) == 0) {
                connection_send(client, byte);
                sent++;
        }
        return sent;
}

static void headers_that_trickle_in_are_cut_off(void **state)
{
        struct http_server_options options = fixture_options();

        (void)state;
        options.request_timeout_ms = 200;
        struct http_server *server = fixture_start(&options);
        struct connection *slow = connection_open(server), *quick = connection_open(server);
        connection_send(slow, "GET /hello HTTP/1.1\r\nHost: a\r\n");
        assert_true(trickle(slow, "X-Slow: 1\r\n", 10, 2000) < 2000);
        struct connection *fresh = connection_open(server);
        assert_true(is_served(fresh));
        connection_close(fresh);
        connection_close(slow);
        connection_close(quick);
        http_server_stop(server);
}

static void a_body_that_trickles_in_is_cut_off(void **state)
{
        struct http_server_options options = fixture_options();

        (void)state;
        options.request_timeout_ms = 200;
        struct http_server *server = fixture_start(&options);
        struct connection *slow = connection_open(server);
        connection_send(slow, "POST /bytes HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
        assert_true(trickle(slow, "x", 10, 2000) < 2000);
        connection_close(slow);
        http_server_stop(server);
}

static void a_body_that_keeps_the_rate_may_take_longer(void **state)
{
        struct http_server_options options = fixture_options();
        char piece[101];

        (void)state;
        options.request_timeout_ms = 300;
        options.body_rate = 1000;
        memset(piece, 'x', 100);
        piece[100] = '\0';
        struct http_server *server = fixture_start(&options);
        struct connection *steady = connection_open(server);
        connection_send(steady, "POST /bytes HTTP/1.1\r\nHost: a\r\nContent-Length: 3000\r\n\r\n");
        assert_int_equal(trickle(steady, piece, 20, 30), 30);
        auto_reply *reply = connection_read(steady, true);
        assert_int_equal(reply->status, 200);
        assert_int_equal(reply->length, 3000);
        connection_close(steady);
        http_server_stop(server);
}

int run_limit_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(an_address_has_so_many_connections_at_most),
                cmocka_unit_test(proxies_and_this_machine_may_have_more),
                cmocka_unit_test(only_a_trusted_proxy_says_who_the_client_is),
                cmocka_unit_test(headers_that_trickle_in_are_cut_off),
                cmocka_unit_test(a_body_that_trickles_in_is_cut_off),
                cmocka_unit_test(a_body_that_keeps_the_rate_may_take_longer),
        };

        return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
