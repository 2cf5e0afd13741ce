#include <pthread.h>

#include "server/base/clock.h"
#include "server/base/text.h"
#include "tests/http/fixture.h"

static void a_second_server_on_the_port_is_refused(void **state)
{
        struct http_server_options options = fixture_options();
        struct http_server *server = fixture_start(&options);
        auto_free char *port = text_format("%u", http_server_port(server));
        auto_error error = {0};

        (void)state;
        options.port = http_server_port(server);
        assert_null(http_server_start(&options, &error));
        assert_int_equal(error.code, ERROR_UNAVAILABLE);
        assert_non_null(strstr(error.message, port));
        http_server_stop(server);
        http_server_stop(fixture_start(&options));
}

static void a_host_that_is_none_is_refused(void **state)
{
        struct http_server_options options = fixture_options();
        auto_error error = {0};

        (void)state;
        options.host = "256.0.0.1.invalid";
        assert_null(http_server_start(&options, &error));
        assert_int_equal(error.code, ERROR_INVALID_INPUT);
}

static bool fail_to_begin(void *context, void **thread, struct error *error)
{
        (void)context, (void)thread;
        return error_set(error, ERROR_STORE_FAILED, "no store");
}

static void a_thread_that_cannot_begin_fails_the_start(void **state)
{
        struct http_server_options options = fixture_options();
        auto_error error = {0};

        (void)state;
        options.threads = 3;
        options.thread_begin = fail_to_begin;
        assert_null(http_server_start(&options, &error));
        assert_int_equal(error.code, ERROR_STORE_FAILED);
}

static void *stop_server(void *server)
{
        http_server_stop(server);
        return NULL;
}

static void a_stop_waits_for_the_requests_in_flight(void **state)
{
        struct http_server_options options = fixture_options();
        pthread_t thread;

        (void)state;
        options.stop_timeout_ms = 20000;
        struct http_server *server = fixture_start(&options);
        struct connection *idle = connection_open(server), *busy = connection_open(server);
        auto_reply *hello = ask(idle, "GET", "/hello", "", NULL);
        assert_int_equal(hello->status, 200);
        connection_send(busy, "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
        struct http_request *request = fixture_next_parked();
        pthread_create(&thread, NULL, stop_server, server);
        http_respond_static(request, 200, NULL, "in time", 7);
        auto_reply *reply = connection_read(busy, true);
        assert_string_equal(reply->body, "in time");
        assert_true(connection_is_closed(busy));
        assert_true(connection_is_closed(idle));
        pthread_join(thread, NULL);
        connection_close(idle);
        connection_close(busy);
}

static void a_stop_does_not_wait_for_ever(void **state)
{
        struct http_server_options options = fixture_options();

        (void)state;
        options.stop_timeout_ms = 50;
        options.threads = 2;
        struct http_server *server = fixture_start(&options);
        struct connection *client = connection_open(server);
        connection_send(client, "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
        struct http_request *request = fixture_next_parked();
        http_server_stop(server);
        auto_reply *reply = connection_read(client, true);
        assert_int_equal(reply->status, 503);
        assert_true(connection_is_closed(client));
        http_request_add_header(request, "X-Late", "yes");
        http_respond(request, 200, NULL, text_copy("too late"), 8);
        connection_close(client);
}

static void a_late_answer_races_the_stop_without_harm(void **state)
{
        struct http_server_options options = fixture_options();

        (void)state;
        options.stop_timeout_ms = 1;
        for (int i = 0; i < 20; i++) {
                struct http_server *server = fixture_start(&options);
                struct connection *client = connection_open(server);
                pthread_t thread;
                connection_send(client, "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
                struct http_request *request = fixture_next_parked();
                pthread_create(&thread, NULL, stop_server, server);
                http_respond_static(request, 200, NULL, "late", 4);
                auto_reply *reply = connection_read(client, true);
                assert_true(reply->status == 200 || reply->status == 503);
                pthread_join(thread, NULL);
                connection_close(client);
        }
}

static void finish(void *request)
{
        http_respond_static(request, 200, NULL, "answer", 6);
}

static void a_stop_amid_answers_from_elsewhere_answers_everyone(void **state)
{
        struct http_server_options options = fixture_options();
        struct connection *clients[64];
        struct http_request *requests[COUNT_OF(clients)];
        pthread_t thread;

        (void)state;
        options.threads = 4;
        options.stop_timeout_ms = 5;
        struct http_server *server = fixture_start(&options);
        for (size_t i = 0; i < COUNT_OF(clients); i++) {
                clients[i] = connection_open(server);
                connection_send(clients[i], "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
        }
        for (size_t i = 0; i < COUNT_OF(clients); i++)
                requests[i] = fixture_next_parked();
        for (size_t i = 0; i < COUNT_OF(clients); i++) {
                if (i == COUNT_OF(clients) / 4)
                        pthread_create(&thread, NULL, stop_server, server);
                if (i == COUNT_OF(clients) / 2)
                        pthread_join(thread, NULL);
                if (i % 2)
                        http_request_finish(requests[i], finish, requests[i]);
                else
                        finish(requests[i]);
        }
        for (size_t i = 0; i < COUNT_OF(clients); i++) {
                auto_reply *reply = connection_read(clients[i], true);
                assert_true(reply->status == 200 || reply->status == 503);
                connection_close(clients[i]);
        }
}

static void a_client_that_trickles_its_headers_is_cut_off(void **state)
{
        struct http_server_options options = fixture_options();
        int64_t began = clock_monotonic();

        (void)state;
        options.request_timeout_ms = 200;
        struct http_server *server = fixture_start(&options);
        struct connection *client = connection_open(server), *silent = connection_open(server);
        connection_send(client, "GET /hello HTTP/1.1\r\nX: ");
        assert_true(connection_is_closed(client));
        assert_true(connection_is_closed(silent));
        assert_true(clock_monotonic() - began >= 200);
        connection_close(client);
        connection_close(silent);
        http_server_stop(server);
}

static void a_client_that_trickles_its_body_is_cut_off(void **state)
{
        struct http_server_options options = fixture_options();

        (void)state;
        options.request_timeout_ms = 200;
        struct http_server *server = fixture_start(&options);
        struct connection *client = connection_open(server);
        connection_send(client, "POST /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{");
        assert_true(connection_is_closed(client));
        fixture_await_observed(1);
        connection_close(client);
        http_server_stop(server);
}

static void a_suspended_request_outlives_the_request_timeout(void **state)
{
        struct http_server_options options = fixture_options();

        (void)state;
        options.request_timeout_ms = 50;
        struct http_server *server = fixture_start(&options);
        struct connection *client = connection_open(server), *silent = connection_open(server);
        connection_send(client, "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
        struct http_request *request = fixture_next_parked();
        assert_true(connection_is_closed(silent));
        http_respond_static(request, 200, NULL, "slow", 4);
        auto_reply *reply = connection_read(client, true);
        assert_string_equal(reply->body, "slow");
        connection_close(client);
        connection_close(silent);
        http_server_stop(server);
}

static void an_idle_connection_is_closed(void **state)
{
        struct http_server_options options = fixture_options();

        (void)state;
        options.idle_timeout_seconds = 1;
        struct http_server *server = fixture_start(&options);
        struct connection *client = connection_open(server);
        auto_reply *reply = ask(client, "GET", "/hello", "", NULL);
        assert_int_equal(reply->status, 200);
        assert_true(connection_is_closed(client));
        connection_close(client);
        http_server_stop(server);
}

static void it_listens_on_both_families(void **state)
{
        struct http_server_options options = fixture_options();
        auto_error error = {0};

        (void)state;
        options.host = "::";
        struct http_server *server = http_server_start(&options, &error);
        if (!server)
                skip();
        struct connection *client = connection_open(server);
        auto_reply *reply = ask(client, "GET", "/hello", "", NULL);
        assert_int_equal(reply->status, 200);
        connection_close(client);
        http_server_stop(server);
}

int run_lifecycle_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_second_server_on_the_port_is_refused),
                cmocka_unit_test(a_host_that_is_none_is_refused),
                cmocka_unit_test(a_thread_that_cannot_begin_fails_the_start),
                cmocka_unit_test(a_stop_waits_for_the_requests_in_flight),
                cmocka_unit_test(a_stop_does_not_wait_for_ever),
                cmocka_unit_test(a_late_answer_races_the_stop_without_harm),
                cmocka_unit_test(a_stop_amid_answers_from_elsewhere_answers_everyone),
                cmocka_unit_test(a_client_that_trickles_its_headers_is_cut_off),
                cmocka_unit_test(a_client_that_trickles_its_body_is_cut_off),
                cmocka_unit_test(a_suspended_request_outlives_the_request_timeout),
                cmocka_unit_test(an_idle_connection_is_closed),
                cmocka_unit_test(it_listens_on_both_families),
        };

        return cmocka_run_group_tests_name("life of a server", tests, NULL, NULL);
}
