#include "server/base/text.h"
#include "tests/http/fixture.h"

static struct http_server *server;
static struct connection *client;

static int start(void **state)
{
        struct http_server_options options = fixture_options();

        (void)state;
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

static char *letters(size_t length)
{
        char *text = memory_new(length + 1);

        for (size_t i = 0; i < length; i++)
                text[i] = (char)('a' + i % 23);
        return text;
}

static void a_body_in_many_pieces_arrives_whole(void **state)
{
        auto_free char *body = letters(150000);

        (void)state;
        connection_send(client, "POST /bytes HTTP/1.1\r\nHost: a\r\nContent-Length: 150000\r\n\r\n");
        for (size_t i = 0; i < 150000; i += 30000)
                connection_send_bytes(client, body + i, 30000);
        auto_reply *reply = connection_read(client, true);
        assert_int_equal(reply->status, 200);
        assert_int_equal(reply->length, 150000);
        assert_memory_equal(reply->body, body, 150000);
}

static void a_chunked_body_arrives_whole(void **state)
{
        (void)state;
        connection_send(client, "POST /bytes HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                                "5\r\nhello\r\n6\r\n there\r\n0\r\n\r\n");
        auto_reply *reply = connection_read(client, true);
        assert_string_equal(reply->body, "hello there");
}

static void a_body_of_exactly_the_maximum_is_accepted(void **state)
{
        (void)state;
        auto_reply *reply = ask(client, "POST", "/any", "", "0123456789");
        assert_int_equal(reply->status, 200);
        auto_reply *more = ask(client, "POST", "/any", "", "0123456789a");
        assert_int_equal(more->status, 413);
        assert_null(reply_header(more, "Connection"));
}

static void an_announced_body_far_too_large_is_refused_unseen(void **state)
{
        (void)state;
        connection_send(client, "POST /bytes HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000000\r\n\r\n");
        auto_reply *reply = connection_read(client, true);
        assert_int_equal(reply->status, 413);
        assert_string_equal(reply_header(reply, "Connection"), "close");
        assert_true(connection_is_closed(client));
}

static void a_client_that_asks_first_is_refused_without_its_body(void **state)
{
        (void)state;
        connection_send(client, "POST /any HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 20\r\n\r\n");
        auto_reply *reply = connection_read(client, true);
        assert_int_equal(reply->status, 413);
}

static void a_chunked_body_is_counted(void **state)
{
        auto_free char *body = letters(20000);

        (void)state;
        connection_send(client, "POST /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4e20\r\n");
        connection_send(client, body);
        connection_send(client, "\r\n0\r\n\r\n");
        auto_reply *reply = connection_read(client, true);
        assert_int_equal(reply->status, 413);
        auto_reply *next = ask(client, "GET", "/hello", "", NULL);
        assert_int_equal(next->status, 200);
}

static void a_chunked_body_without_end_is_cut_off(void **state)
{
        auto_free char *body = letters(0x4000);

        (void)state;
        connection_send(client, "POST /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
        for (int i = 0; i < 8; i++) {
                connection_send(client, "4000\r\n");
                connection_send(client, body);
                connection_send(client, "\r\n");
        }
        assert_true(connection_is_closed(client));
}

static void a_body_that_is_not_json_is_415_where_json_is_wanted(void **state)
{
        (void)state;
        auto_reply *text = ask(client, "POST", "/hello", "Content-Type: text/plain\r\n", "{}");
        assert_int_equal(text->status, 415);
        auto_reply *json = ask(client, "POST", "/hello", "Content-Type: Application/JSON; charset=utf-8\r\n", "{}");
        assert_int_equal(json->status, 200);
        auto_reply *suffix = ask(client, "POST", "/hello", "Content-Type: application/x+json\r\n", "{}");
        assert_int_equal(suffix->status, 200);
        auto_reply *none = ask(client, "POST", "/hello", "", "{}");
        assert_int_equal(none->status, 200);
}

static void headers_too_large_are_431(void **state)
{
        auto_free char *value = letters(40000);

        (void)state;
        connection_send(client, "GET /hello HTTP/1.1\r\nHost: a\r\nX-Long: ");
        connection_send(client, value);
        connection_send(client, "\r\n\r\n");
        auto_reply *reply = connection_read(client, true);
        assert_int_equal(reply->status, 431);
}

static void headers_of_eight_kilobytes_are_accepted(void **state)
{
        auto_free char *value = letters(8000);
        auto_free char *line = text_format("X-Long: %s\r\n", value);

        (void)state;
        auto_reply *reply = ask(client, "GET", "/hello", line, NULL);
        assert_int_equal(reply->status, 200);
}

#define ON_A_SERVER(test) cmocka_unit_test_setup_teardown(test, start, stop)

int run_body_tests(void)
{
        const struct CMUnitTest tests[] = {
                ON_A_SERVER(a_body_in_many_pieces_arrives_whole),
                ON_A_SERVER(a_chunked_body_arrives_whole),
                ON_A_SERVER(a_body_of_exactly_the_maximum_is_accepted),
                ON_A_SERVER(an_announced_body_far_too_large_is_refused_unseen),
                ON_A_SERVER(a_client_that_asks_first_is_refused_without_its_body),
                ON_A_SERVER(a_chunked_body_is_counted),
                ON_A_SERVER(a_chunked_body_without_end_is_cut_off),
                ON_A_SERVER(a_body_that_is_not_json_is_415_where_json_is_wanted),
                ON_A_SERVER(headers_too_large_are_431),
                ON_A_SERVER(headers_of_eight_kilobytes_are_accepted),
        };

        return cmocka_run_group_tests_name("bodies", tests, NULL, NULL);
}
