#include "server/base/text.h"
#include "tests/http/fixture.h"

static struct http_server *server;
static struct connection *client;

static int start(void **state)
{
        static const char *const once[] = {"X-Once", NULL};
        struct http_server_options options = fixture_options();

        (void)state;
        options.headers_once = once;
        server = fixture_start(&options);
        client = connection_open(server);
        return 0;
}

static int stop(void **state)
{
        (void)state;
        connection_close(client);
        http_server_stop(server);
        return 0;
}

static void a_listed_route_is_answered_by_its_handler(void **state)
{
        (void)state;
        auto_reply *reply = ask(client, "GET", "/hello", "", NULL);
        assert_int_equal(reply->status, 200);
        assert_string_equal(reply->body, "\"hello\"");
        assert_string_equal(reply_header(reply, "Content-Type"), "application/json");
        assert_string_equal(reply_header(reply, "X-Content-Type-Options"), "nosniff");
        assert_string_equal(reply_header(reply, "Cache-Control"), "no-store");
}

static void an_unknown_path_is_404_and_keeps_the_connection(void **state)
{
        (void)state;
        for (int i = 0; i < 3; i++) {
                auto_reply *reply = ask(client, i ? "POST" : "GET", "/hello/", "", i ? "{\"a\":1}" : NULL);
                assert_int_equal(reply->status, 404);
                assert_null(reply_header(reply, "Connection"));
                assert_string_equal(reply->body, "{\"error\":\"not_found\",\"code\":\"not_found\","
                                                 "\"message\":\"There is no such resource.\"}");
        }
}

static void a_path_too_long_for_any_row_is_404(void **state)
{
        char path[1200];

        (void)state;
        memset(path, 'a', sizeof path - 1);
        path[0] = '/';
        path[sizeof path - 1] = '\0';
        auto_reply *reply = ask(client, "GET", path, "", NULL);
        assert_int_equal(reply->status, 404);
}

static const char *const doubtful[] = {
        "Host: 127.0.0.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n",
        "Host: 127.0.0.1\r\nAuthorization: Bearer a\r\nauthorization: Bearer b\r\nContent-Length: 2\r\n",
        "Host: 127.0.0.1\r\nOrigin: http://a\r\nOrigin: http://b\r\nContent-Length: 2\r\n",
        "Host: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n",
        "Host: 127.0.0.1\r\nX-Once: 1\r\nX-Once: 1\r\nContent-Length: 2\r\n",
        "Host: 127.0.0.1\r\nContent-Length: 2\r\nContent-Length: 2\r\n",
        "Host: 127.0.0.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n",
};

/* What a proxy in front may have read otherwise is not acted on, nor is what follows on the connection. */
static void what_headers_say_twice_is_refused_and_ends_the_connection(void **state)
{
        (void)state;
        for (size_t i = 0; i < COUNT_OF(doubtful); i++) {
                struct connection *own = connection_open(server);
                auto_free char *request = text_format("POST /hello HTTP/1.1\r\n%s\r\n", doubtful[i]);
                connection_send(own, request);
                auto_reply *reply = connection_read(own, true);
                if (reply->status != 400)
                        fail_msg("%s: %d", doubtful[i], reply->status);
                assert_string_equal(reply_header(reply, "Connection"), "close");
                connection_close(own);
        }
        auto_reply *others = ask(client, "GET", "/hello", "Accept: a\r\nAccept: b\r\nX-Once: 1\r\n", NULL);
        assert_int_equal(others->status, 200);
}

static void an_unlisted_method_is_405_and_names_the_others(void **state)
{
        (void)state;
        auto_reply *reply = ask(client, "DELETE", "/hello", "", NULL);
        assert_int_equal(reply->status, 405);
        assert_string_equal(reply_header(reply, "Allow"), "GET, POST, OPTIONS");
        assert_null(reply_header(reply, "Connection"));
        auto_reply *head = ask(client, "HEAD", "/hello", "", NULL);
        assert_int_equal(head->status, 405);
        auto_reply *odd = ask(client, "PROPFINDPROPFINDPROPFIND", "/hello", "", NULL);
        assert_int_equal(odd->status, 405);
}

static void head_is_answered_where_it_is_listed(void **state)
{
        (void)state;
        auto_reply *reply = ask(client, "HEAD", "/about", "", NULL);
        assert_int_equal(reply->status, 201);
        auto_reply *next = ask(client, "GET", "/hello", "", NULL);
        assert_string_equal(next->body, "\"hello\"");
}

static void options_tells_the_methods_without_a_credential(void **state)
{
        (void)state;
        auto_reply *reply = ask(client, "OPTIONS", "/private", "", NULL);
        assert_int_equal(reply->status, 204);
        assert_string_equal(reply_header(reply, "Allow"), "GET, POST, OPTIONS");
}

static void a_star_row_answers_the_other_methods(void **state)
{
        (void)state;
        auto_reply *other = ask(client, "PATCH", "/any", "X-Test: yes\r\n", NULL);
        assert_int_equal(other->status, 201);
        auto_reply *own = ask(client, "POST", "/any", "", "0123456789");
        assert_string_equal(own->body, "0123456789");
}

static void named_parts_of_a_path_are_decoded(void **state)
{
        (void)state;
        auto_reply *reply = ask(client, "GET", "/tasks/a%20b/files/x/y%3Az?q=1+2%26&z", "", NULL);
        assert_string_equal(reply->body, "a b|x/y:z|1 2&|no x");
        auto_reply *empty = ask(client, "GET", "/tasks/7/files/", "", NULL);
        assert_string_equal(empty->body, "7||none|no x");
        auto_reply *missing = ask(client, "GET", "/tasks//files/x", "", NULL);
        assert_int_equal(missing->status, 404);
        auto_reply *special = ask(client, "GET", "/tasks/special/files/x", "", NULL);
        assert_string_equal(special->body, "\"hello\"");
}

static void an_encoded_nul_does_not_cut_a_path(void **state)
{
        (void)state;
        auto_reply *reply = ask(client, "GET", "/hello%00x", "", NULL);
        assert_int_equal(reply->status, 404);
}

static void a_request_tells_about_itself(void **state)
{
        (void)state;
        auto_reply *reply = ask(client, "GET", "/about", "X-Test: value\r\n", NULL);
        assert_int_equal(reply->status, 201);
        assert_string_equal(reply->body, "GET /about 127.0.0.1 value its-thread");
        assert_string_equal(reply_header(reply, "Cache-Control"), "max-age=60");
}

static void every_answer_carries_an_id_of_its_own(void **state)
{
        char first[64];

        (void)state;
        auto_reply *reply = ask(client, "GET", "/hello", "", NULL);
        assert_non_null(reply_header(reply, "X-Request-Id"));
        snprintf(first, sizeof first, "%s", reply_header(reply, "X-Request-Id"));
        auto_reply *refused = ask(client, "GET", "/nowhere", "", NULL);
        assert_non_null(reply_header(refused, "X-Request-Id"));
        assert_string_not_equal(reply_header(refused, "X-Request-Id"), first);
}

static void a_missing_credential_is_401_and_keeps_the_connection(void **state)
{
        (void)state;
        auto_reply *reply = ask(client, "GET", "/private", "", NULL);
        assert_int_equal(reply->status, 401);
        assert_string_equal(reply_header(reply, "WWW-Authenticate"), "Bearer");
        auto_reply *with_body = ask(client, "POST", "/private", "Authorization: Bearer wrong\r\n", "{}");
        assert_int_equal(with_body->status, 401);
        assert_null(reply_header(with_body, "Connection"));
        auto_reply *right = ask(client, "POST", "/private", "Authorization: Bearer right\r\n", "{}");
        assert_int_equal(right->status, 200);
        assert_string_equal(right->body, "ada");
}

static void a_foreign_origin_is_403_before_anything_else(void **state)
{
        (void)state;
        auto_reply *reply = ask(client, "OPTIONS", "/private", "Origin: http://evil.example\r\n", NULL);
        assert_int_equal(reply->status, 403);
        auto_reply *own = ask(client, "OPTIONS", "/private", "Origin: http://localhost\r\n", NULL);
        assert_int_equal(own->status, 204);
}

static void a_handler_that_does_not_answer_is_500(void **state)
{
        (void)state;
        auto_reply *reply = ask(client, "GET", "/never", "", NULL);
        assert_int_equal(reply->status, 500);
}

static void pipelined_requests_are_answered_in_order(void **state)
{
        (void)state;
        connection_send(client,
                        "GET /hello HTTP/1.1\r\nHost: a\r\n\r\nPOST /hello HTTP/1.1\r\nHost: a\r\nContent-Length: "
                        "3\r\n\r\n[1]GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n");
        auto_reply *first = connection_read(client, true);
        assert_string_equal(first->body, "\"hello\"");
        auto_reply *second = connection_read(client, true);
        assert_string_equal(second->body, "[1]");
        auto_reply *third = connection_read(client, true);
        assert_int_equal(third->status, 404);
}

static void every_request_is_observed(void **state)
{
        unsigned status;

        (void)state;
        auto_reply *reply = ask(client, "GET", "/nowhere", "", NULL);
        assert_int_equal(reply->status, 404);
        fixture_await_observed(1);
        assert_int_equal(fixture_observed(&status), 1);
        assert_int_equal(status, 404);
}

static void a_row_without_an_access_is_refused(void **state)
{
        static const struct http_route open[] = {{.method = "GET", .path = "/", .handler = (http_handler)abort}};
        static const struct http_route half[] = {{"GET", "/a:b", HTTP_ACCESS_PUBLIC, 0, 0, (http_handler)abort}};
        struct http_server_options options = {.routes = open, .route_count = 1};
        auto_error error = {0};

        (void)state;
        assert_null(http_server_start(&options, &error));
        assert_int_equal(error.code, ERROR_INVALID_INPUT);
        options.routes = half;
        assert_null(http_server_start(&options, &error));
        assert_int_equal(error.code, ERROR_INVALID_INPUT);
}

#define ON_A_SERVER(test) cmocka_unit_test_setup_teardown(test, start, stop)

int run_routing_tests(void)
{
        const struct CMUnitTest tests[] = {
                ON_A_SERVER(a_listed_route_is_answered_by_its_handler),
                ON_A_SERVER(an_unknown_path_is_404_and_keeps_the_connection),
                ON_A_SERVER(a_path_too_long_for_any_row_is_404),
                ON_A_SERVER(what_headers_say_twice_is_refused_and_ends_the_connection),
                ON_A_SERVER(an_unlisted_method_is_405_and_names_the_others),
                ON_A_SERVER(head_is_answered_where_it_is_listed),
                ON_A_SERVER(options_tells_the_methods_without_a_credential),
                ON_A_SERVER(a_star_row_answers_the_other_methods),
                ON_A_SERVER(named_parts_of_a_path_are_decoded),
                ON_A_SERVER(an_encoded_nul_does_not_cut_a_path),
                ON_A_SERVER(a_request_tells_about_itself),
                ON_A_SERVER(every_answer_carries_an_id_of_its_own),
                ON_A_SERVER(a_missing_credential_is_401_and_keeps_the_connection),
                ON_A_SERVER(a_foreign_origin_is_403_before_anything_else),
                ON_A_SERVER(a_handler_that_does_not_answer_is_500),
                ON_A_SERVER(pipelined_requests_are_answered_in_order),
                ON_A_SERVER(every_request_is_observed),
                cmocka_unit_test(a_row_without_an_access_is_refused),
        };

        return cmocka_run_group_tests_name("routing", tests, NULL, NULL);
}
