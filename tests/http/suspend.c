#include <pthread.h>
#include <sys/socket.h>

#include "server/base/text.h"
#include "tests/http/fixture.h"

static struct http_server *server;

static int start(void **state)
{
        struct http_server_options options = fixture_options();

        (void)state;
        server = fixture_start(&options);
        return 0;
}

static int stop(void **state)
{
        (void)state;
        http_server_stop(server);
        return 0;
}

static void answer(struct http_request *request, const char *text)
{
        http_respond(request, 200, "text/plain", text_copy(text), strlen(text));
}

static void *answer_from_here(void *request)
{
        http_request_add_header(request, "X-From", "elsewhere");
        answer(request, "from another thread");
        return NULL;
}

static void another_thread_answers_a_suspended_request(void **state)
{
        struct connection *client = connection_open(server);
        pthread_t thread;

        (void)state;
        connection_send(client, "POST /wait HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody");
        struct http_request *request = fixture_next_parked();
        size_t length;
        assert_string_equal(http_request_body(request, &length), "body");
        assert_int_equal(length, 4);
        pthread_create(&thread, NULL, answer_from_here, request);
        auto_reply *reply = connection_read(client, true);
        pthread_join(thread, NULL);
        assert_int_equal(reply->status, 200);
        assert_string_equal(reply->body, "from another thread");
        assert_string_equal(reply_header(reply, "X-From"), "elsewhere");
        auto_reply *next = ask(client, "GET", "/hello", "", NULL);
        assert_int_equal(next->status, 200);
        connection_close(client);
}

static pthread_t finished_on;

static void finish(void *request)
{
        finished_on = pthread_self();
        answer(request, "from the worker's thread");
}

static void a_suspended_request_is_finished_by_its_worker(void **state)
{
        struct connection *client = connection_open(server);

        (void)state;
        for (int i = 0; i < 100; i++) {
                connection_send(client, "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
                struct http_request *request = fixture_next_parked();
                http_request_finish(request, finish, request);
                auto_reply *reply = connection_read(client, true);
                assert_string_equal(reply->body, "from the worker's thread");
                assert_false(pthread_equal(finished_on, pthread_self()));
        }
        connection_close(client);
}

static void a_handler_may_suspend_and_answer_at_once(void **state)
{
        struct connection *client = connection_open(server);

        (void)state;
        for (int i = 0; i < 100; i++) {
                auto_reply *reply = ask(client, "GET", "/at-once", "", NULL);
                assert_string_equal(reply->body, "same thread");
        }
        connection_close(client);
}

static void other_clients_are_served_meanwhile(void **state)
{
        struct connection *waiting = connection_open(server), *other = connection_open(server);

        (void)state;
        connection_send(waiting, "GET /wait HTTP/1.1\r\nHost: a\r\n\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
        struct http_request *request = fixture_next_parked();
        auto_reply *reply = ask(other, "GET", "/hello", "", NULL);
        assert_int_equal(reply->status, 200);
        answer(request, "late");
        auto_reply *late = connection_read(waiting, true);
        assert_string_equal(late->body, "late");
        auto_reply *pipelined = connection_read(waiting, true);
        assert_string_equal(pipelined->body, "\"hello\"");
        connection_close(waiting);
        connection_close(other);
}

static void a_client_that_went_away_harms_nothing(void **state)
{
        struct linger reset = {.l_onoff = 1};

        (void)state;
        for (int i = 0; i < 20; i++) {
                struct connection *client = connection_open(server);
                connection_send(client, "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
                struct http_request *request = fixture_next_parked();
                if (i % 2)
                        setsockopt(client->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
                connection_close(client);
                answer(request, "nobody reads this");
                fixture_await_observed((unsigned)i + 1);
        }
        struct connection *client = connection_open(server);
        auto_reply *reply = ask(client, "GET", "/hello", "", NULL);
        assert_int_equal(reply->status, 200);
        connection_close(client);
}

static void many_suspended_requests_are_answered_in_any_order(void **state)
{
        struct connection *clients[300];
        struct http_request *requests[COUNT_OF(clients)];

        (void)state;
        for (size_t i = 0; i < COUNT_OF(clients); i++) {
                clients[i] = connection_open(server);
                connection_send(clients[i], "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
        }
        for (size_t i = 0; i < COUNT_OF(clients); i++)
                requests[i] = fixture_next_parked();
        for (size_t i = 0; i < COUNT_OF(clients); i++)
                answer(requests[i * 7 % COUNT_OF(clients)], "one of many");
        for (size_t i = 0; i < COUNT_OF(clients); i++) {
                auto_reply *reply = connection_read(clients[i], true);
                assert_string_equal(reply->body, "one of many");
                connection_close(clients[i]);
        }
}

static void too_many_suspended_requests_are_429(void **state)
{
        struct http_server_options options = fixture_options();

        (void)state;
        options.suspended_maximum = 1;
        struct http_server *small = fixture_start(&options);
        struct connection *first = connection_open(small), *second = connection_open(small);
        connection_send(first, "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
        struct http_request *request = fixture_next_parked();
        auto_reply *refused = ask(second, "GET", "/wait", "", NULL);
        assert_int_equal(refused->status, 429);
        assert_string_equal(reply_header(refused, "Retry-After"), "1");
        answer(request, "done");
        auto_reply *done = connection_read(first, true);
        assert_int_equal(done->status, 200);
        connection_send(second, "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
        answer(fixture_next_parked(), "room again");
        auto_reply *again = connection_read(second, true);
        assert_string_equal(again->body, "room again");
        connection_close(first);
        connection_close(second);
        http_server_stop(small);
}

#define ON_A_SERVER(test) cmocka_unit_test_setup_teardown(test, start, stop)

int run_suspend_tests(void)
{
        const struct CMUnitTest tests[] = {
                ON_A_SERVER(another_thread_answers_a_suspended_request),
                ON_A_SERVER(a_suspended_request_is_finished_by_its_worker),
                ON_A_SERVER(a_handler_may_suspend_and_answer_at_once),
                ON_A_SERVER(other_clients_are_served_meanwhile),
                ON_A_SERVER(a_client_that_went_away_harms_nothing),
                ON_A_SERVER(many_suspended_requests_are_answered_in_any_order),
                cmocka_unit_test(too_many_suspended_requests_are_429),
        };

        return cmocka_run_group_tests_name("suspended requests", tests, NULL, NULL);
}
