#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "server/base/path.h"
#include "server/base/text.h"
#include "server/http/range.h"
#include "tests/http/fixture.h"

#define CONTENT "0123456789abcdefghij"
#define MAXIMUM (40 * 1024 * 1024)

static struct http_server *server;
static struct connection *client;
static char folder[64];

/* Answers with the file that was sent. */
static void answer_upload(struct http_request *request, void *context)
{
        uint64_t size = 0;

        (void)context;
        int file = http_request_take_file(request, &size);
        http_respond_file(request, file, size, "application/octet-stream", NULL);
}

/* Tells where the body is, and answers with it. */
static void answer_json(struct http_request *request, void *context)
{
        uint64_t size = 0;
        size_t length;

        (void)context;
        int file = http_request_take_file(request, &size);
        http_request_add_header(request, "X-Body", file < 0 ? "memory" : "file");
        if (file >= 0) {
                http_respond_file(request, file, size, "application/octet-stream", NULL);
                return;
        }
        char *body = http_request_take_body(request, &length);
        http_respond(request, 200, "text/plain", body, length);
}

static size_t body_maximum(struct http_request *request, void *context)
{
        (void)context;
        return strcmp(http_request_path(request), "/limited") ? SIZE_MAX : 2000;
}

/* Leaves the file untaken. */
static void answer_ignored(struct http_request *request, void *context)
{
        (void)context;
        http_respond_static(request, 200, NULL, "ignored", 7);
}

static void answer_content(struct http_request *request, void *context)
{
        auto_free char *path = path_join(folder, "content");
        auto_error error = {0};

        (void)context;
        assert_true(path_write(path, CONTENT, strlen(CONTENT), 0600, &error));
        if (http_request_query(request, "later") && !http_suspend(request))
                return;
        http_respond_file(request, open(path, O_RDONLY | O_CLOEXEC), strlen(CONTENT), "text/plain", "\"v1\"");
}

static void answer_empty(struct http_request *request, void *context)
{
        (void)context;
        http_respond_file(request, open("/dev/null", O_RDONLY | O_CLOEXEC), 0, "text/plain", NULL);
}

static void answer_cookie(struct http_request *request, void *context)
{
        const char *cookie = http_request_cookie(request, "session");

        (void)context;
        http_request_set_cookie(request, "session", "abc", 60, true);
        http_request_set_cookie(request, "old", "", 0, false);
        char *body = text_copy(cookie ? cookie : "none");
        http_respond(request, 200, "text/plain", body, strlen(body));
}

static const struct http_route routes[] = {
        {"POST", "/upload", HTTP_ACCESS_PUBLIC, HTTP_BODY_FILE, MAXIMUM, answer_upload},
        {"POST", "/json", HTTP_ACCESS_PUBLIC, HTTP_BODY_JSON, MAXIMUM, answer_json},
        {"POST", "/limited", HTTP_ACCESS_PUBLIC, HTTP_BODY_JSON, MAXIMUM, answer_json},
        {"POST", "/ignored", HTTP_ACCESS_PUBLIC, HTTP_BODY_FILE, 1000, answer_ignored},
        {"GET", "/content", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, answer_content},
        {"HEAD", "/content", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, answer_content},
        {"GET", "/empty", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, answer_empty},
        {"GET", "/cookie", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, answer_cookie},
};

static int start(void **state)
{
        struct http_server_options options = fixture_options();

        (void)state;
        snprintf(folder, sizeof folder, "/tmp/spool.XXXXXX");
        assert_non_null(mkdtemp(folder));
        options.routes = routes;
        options.route_count = COUNT_OF(routes);
        options.spool_folder = folder;
        options.spool_maximum = 1;
        options.body_memory_each = 1000;
        options.body_memory_total = 1500;
        options.body_maximum = body_maximum;
        server = fixture_start(&options);
        client = connection_open(server);
        return 0;
}

static int stop(void **state)
{
        auto_error error = {0};

        (void)state;
        connection_close(client);
        http_server_stop(server);
        assert_true(path_remove_tree(folder, &error));
        return 0;
}

static char *letters(size_t length)
{
        char *text = memory_new(length + 1);

        for (size_t i = 0; i < length; i++)
                text[i] = (char)('a' + i % 23);
        return text;
}

static void a_large_body_is_spooled_and_comes_back(void **state)
{
        auto_free char *body = letters(250000);

        (void)state;
        auto_reply *reply = ask(client, "POST", "/upload", "Content-Type: image/png\r\n", body);
        assert_int_equal(reply->status, 200);
        assert_int_equal(reply->length, 250000);
        assert_memory_equal(reply->body, body, 250000);
        connection_send(client, "POST /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                                "5\r\nhello\r\n6\r\n there\r\n0\r\n\r\n");
        auto_reply *chunked = connection_read(client, true);
        assert_string_equal(chunked->body, "hello there");
        auto_reply *empty = ask(client, "POST", "/upload", "", "");
        assert_int_equal(empty->length, 0);
}

static void a_file_that_is_not_taken_is_gone(void **state)
{
        (void)state;
        for (int i = 0; i < 3; i++) {
                auto_reply *reply = ask(client, "POST", "/ignored", "", "some bytes");
                assert_string_equal(reply->body, "ignored");
        }
}

static void a_file_too_large_is_refused_and_its_place_is_free_again(void **state)
{
        auto_free char *body = letters(1001);

        (void)state;
        auto_reply *announced = ask(client, "POST", "/ignored", "", body);
        assert_int_equal(announced->status, 413);
        connection_send(client, "POST /ignored HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n");
        connection_send(client, body);
        connection_send(client, "\r\n0\r\n\r\n");
        auto_reply *counted = connection_read(client, true);
        assert_int_equal(counted->status, 413);
        auto_reply *next = ask(client, "POST", "/ignored", "", "small");
        assert_int_equal(next->status, 200);
}

/* Sends half a file and waits until the server has begun to keep it. */
static struct connection *send_half_a_file(void)
{
        struct connection *other = connection_open(server);

        connection_send(other, "POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n01234");
        for (int i = 0;; i++) {
                auto_reply *reply = ask(client, "POST", "/upload", "", "x");
                if (reply->status == 429)
                        return other;
                assert_true(i < 10000);
        }
}

static void too_many_files_at_once_are_429(void **state)
{
        struct connection *other = send_half_a_file();

        (void)state;
        connection_send(other, "56789");
        auto_reply *done = connection_read(other, true);
        assert_string_equal(done->body, "0123456789");
        auto_reply *again = ask(client, "POST", "/upload", "", "x");
        assert_int_equal(again->status, 200);
        connection_close(other);
}

static void a_client_that_goes_away_frees_its_place(void **state)
{
        (void)state;
        connection_close(send_half_a_file());
        for (int i = 0;; i++) {
                auto_reply *reply = ask(client, "POST", "/upload", "", "x");
                if (reply->status == 200)
                        return;
                assert_true(i < 10000);
        }
}

static void expect_json(struct reply *reply, const char *body, size_t length, const char *where)
{
        assert_int_equal(reply->status, 200);
        assert_string_equal(reply_header(reply, "X-Body"), where);
        assert_int_equal(reply->length, length);
        assert_memory_equal(reply->body, body, length);
        free(reply);
}

static void a_json_body_too_large_for_memory_goes_to_a_file(void **state)
{
        auto_free char *body = letters(250000);

        (void)state;
        expect_json(ask(client, "POST", "/json", "", body), body, 250000, "file");
        body[1000] = '\0';
        expect_json(ask(client, "POST", "/json", "", body), body, 1000, "memory");
        connection_send(client, "POST /json HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
        for (int i = 0; i < 4; i++)
                connection_send(client, "c8\r\n"), connection_send_bytes(client, body + i * 200, 200),
                        connection_send(client, "\r\n");
        connection_send(client, "0\r\n\r\n");
        expect_json(connection_read(client, true), body, 800, "memory");
        connection_send(client, "POST /json HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n");
        connection_send(client, body);
        connection_send(client, "\r\n1\r\nZ\r\n0\r\n\r\n");
        auto_free char *longer = text_format("%sZ", body);
        expect_json(connection_read(client, true), longer, 1001, "file");
}

static void the_server_may_set_a_maximum_of_the_moment(void **state)
{
        auto_free char *body = letters(2001);

        (void)state;
        auto_reply *refused = ask(client, "POST", "/limited", "", body);
        assert_int_equal(refused->status, 413);
        body[2000] = '\0';
        expect_json(ask(client, "POST", "/limited", "", body), body, 2000, "file");
}

/* One thread serves: what the first connection sent has been read once a later request of another one was answered. */
static void bodies_in_memory_have_a_maximum_together(void **state)
{
        auto_free char *body = letters(900);
        struct connection *other = connection_open(server);

        (void)state;
        connection_send(other, "POST /json HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n");
        connection_send_bytes(other, body, 900);
        free(ask(client, "GET", "/content", "", NULL));
        free(ask(client, "GET", "/content", "", NULL));
        auto_reply *refused = ask(client, "POST", "/json", "", body);
        assert_int_equal(refused->status, 429);
        assert_string_equal(reply_header(refused, "Retry-After"), "1");
        connection_send_bytes(other, body, 100);
        auto_reply *whole = connection_read(other, true);
        assert_int_equal(whole->length, 1000);
        expect_json(ask(client, "POST", "/json", "", body), body, 900, "memory");
        connection_close(other);
}

static void a_full_disk_is_507_and_the_reserve_stays(void **state)
{
        size_t length = 20 * 1024 * 1024;
        auto_free char *body = letters(length);

        (void)state;
        if (mount("tmpfs", folder, "tmpfs", 0, "size=40m,mode=700"))
                skip();
        auto_free char *head = text_format("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: %zu\r\n\r\n", length);
        connection_send(client, head);
        connection_send_bytes(client, body, length);
        auto_reply *reply = connection_read(client, true);
        assert_int_equal(reply->status, 507);
        auto_reply *next = ask(client, "POST", "/upload", "", "small");
        assert_int_equal(next->status, 200);
        umount2(folder, MNT_DETACH);
}

static void ranges_of_a_file(void **state)
{
        static const struct {
                const char *header;
                int status;
                const char *body, *range;
        } cases[] = {
                {"", 200, CONTENT, NULL},
                {"Range: bytes=0-0\r\n", 206, "0", "bytes 0-0/20"},
                {"Range: bytes=5-9\r\n", 206, "56789", "bytes 5-9/20"},
                {"Range: bytes=15-\r\n", 206, "fghij", "bytes 15-19/20"},
                {"Range: bytes=15-999\r\n", 206, "fghij", "bytes 15-19/20"},
                {"Range: bytes=-3\r\n", 206, "hij", "bytes 17-19/20"},
                {"Range: bytes=-999\r\n", 206, CONTENT, "bytes 0-19/20"},
                {"Range: BYTES=1-2\r\n", 206, "12", "bytes 1-2/20"},
                {"Range: bytes=20-\r\n", 416, NULL, "bytes */20"},
                {"Range: bytes=-0\r\n", 416, NULL, "bytes */20"},
                {"Range: bytes=99999999999999999999999-\r\n", 416, NULL, "bytes */20"},
                {"Range: bytes=0-1,4-5\r\n", 200, CONTENT, NULL},
                {"Range: bytes=9-5\r\n", 200, CONTENT, NULL},
                {"Range: bytes=x\r\n", 200, CONTENT, NULL},
                {"Range: lines=0-1\r\n", 200, CONTENT, NULL},
                {"Range: bytes=0-1\r\nIf-Range: \"v1\"\r\n", 206, "01", "bytes 0-1/20"},
                {"Range: bytes=0-1\r\nIf-Range: \"v2\"\r\n", 200, CONTENT, NULL},
                {"Range: bytes=0-1\r\nIf-Range: W/\"v1\"\r\n", 200, CONTENT, NULL},
                {"Range: bytes=0-1\r\nIf-Range: Sat, 01 Jan 2000 00:00:00 GMT\r\n", 200, CONTENT, NULL},
        };

        (void)state;
        for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
                size_t row = i / 2;
                auto_reply *reply = ask(client, "GET", i % 2 ? "/content?later" : "/content", cases[row].header, NULL);
                assert_int_equal(reply->status, cases[row].status);
                if (cases[row].body)
                        assert_string_equal(reply->body, cases[row].body);
                const char *range = reply_header(reply, "Content-Range");
                if (cases[row].range)
                        assert_string_equal(range, cases[row].range);
                else
                        assert_null(range);
                assert_string_equal(reply_header(reply, "Accept-Ranges"), "bytes");
                assert_string_equal(reply_header(reply, "ETag"), "\"v1\"");
        }
}

static void a_head_request_tells_the_length_of_a_file(void **state)
{
        (void)state;
        auto_reply *reply = ask(client, "HEAD", "/content", "", NULL);
        assert_int_equal(reply->status, 200);
        assert_string_equal(reply_header(reply, "Content-Length"), "20");
        auto_reply *next = ask(client, "GET", "/empty", "", NULL);
        assert_int_equal(next->status, 200);
        assert_int_equal(next->length, 0);
        auto_reply *none = ask(client, "GET", "/empty", "Range: bytes=0-\r\n", NULL);
        assert_int_equal(none->status, 416);
}

static void cookies_come_and_go(void **state)
{
        (void)state;
        auto_reply *none = ask(client, "GET", "/cookie", "", NULL);
        assert_string_equal(none->body, "none");
        auto_reply *reply = ask(client, "GET", "/cookie", "Cookie: other=1; session=s3cr.et; x=y\r\n", NULL);
        assert_string_equal(reply->body, "s3cr.et");
        assert_non_null(
                strstr(reply->head, "Set-Cookie: session=abc; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure\r\n"));
        auto_free char *old = text_format("Set-Cookie: old=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax%s\r\n",
                                          client->tls ? "; Secure" : "");
        assert_non_null(strstr(reply->head, old));
}

#define ON_A_SERVER(test) cmocka_unit_test_setup_teardown(test, start, stop)

int run_file_tests(void)
{
        const struct CMUnitTest tests[] = {
                ON_A_SERVER(a_large_body_is_spooled_and_comes_back),
                ON_A_SERVER(a_file_that_is_not_taken_is_gone),
                ON_A_SERVER(a_file_too_large_is_refused_and_its_place_is_free_again),
                ON_A_SERVER(too_many_files_at_once_are_429),
                ON_A_SERVER(a_client_that_goes_away_frees_its_place),
                ON_A_SERVER(a_json_body_too_large_for_memory_goes_to_a_file),
                ON_A_SERVER(the_server_may_set_a_maximum_of_the_moment),
                ON_A_SERVER(bodies_in_memory_have_a_maximum_together),
                ON_A_SERVER(a_full_disk_is_507_and_the_reserve_stays),
                ON_A_SERVER(ranges_of_a_file),
                ON_A_SERVER(a_head_request_tells_the_length_of_a_file),
                ON_A_SERVER(cookies_come_and_go),
        };

        return cmocka_run_group_tests_name("files, ranges and cookies", tests, NULL, NULL);
}
