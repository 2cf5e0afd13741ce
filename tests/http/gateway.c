/* The gateway: what of a request and a response passes, and how long. The test plays both the client and the target. */
#include "server/http/gateway.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/base/text.h"
#include "server/http/message_head.h"
#include "tests/http/fixture.h"

#define WAIT_SECONDS 20

static bool is_own(const char *name, size_t length)
{
        return length == 3 && !strncmp(name, "own", 3);
}

static const struct head_forward forward = {.client = "192.0.2.1", .scheme = "http", .is_own_cookie = is_own};

static void what_could_be_understood_in_two_ways_is_refused(void **state)
{
        static const struct {
                const char *head;
                bool is_good;
        } rows[] = {
                {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", true},
                {"POST /a?b=c HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n", true},
                {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", true},
                {"GET / HTTP/1.0\r\n\r\n", false},
                {"GET / HTTP/2\r\n\r\n", false},
                {"GET http://a/ HTTP/1.1\r\n\r\n", false},
                {"OPTIONS * HTTP/1.1\r\n\r\n", false},
                {"CONNECT /a HTTP/1.1\r\n\r\n", false},
                {"GET /\r\n\r\n", false},
                {"GET / HTTP/1.1 x\r\n\r\n", false},
                {"GET /\x01 HTTP/1.1\r\n\r\n", false},
                {"GET / HTTP/1.1\r\nHost : a\r\n\r\n", false},
                {"GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", false},
                {"GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n", false},
                {"GET / HTTP/1.1\r\nA: b\rC: d\r\n\r\n", false},
                {"GET / HTTP/1.1\r\n: b\r\n\r\n", false},
                {"GET / HTTP/1.1\r\nno field\r\n\r\n", false},
                {"POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", false},
                {"POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n", false},
                {"POST / HTTP/1.1\r\nContent-Length: 5, 5\r\n\r\n", false},
                {"POST / HTTP/1.1\r\nContent-Length: +5\r\n\r\n", false},
                {"POST / HTTP/1.1\r\nContent-Length: 0x5\r\n\r\n", false},
                {"POST / HTTP/1.1\r\nContent-Length:\r\n\r\n", false},
                {"POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", false},
                {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n", false},
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
                auto_free char *bytes = text_copy(rows[i].head);
                struct message_head head;
                size_t length = strlen(bytes);
                assert_int_equal(head_length(bytes, length), length);
                if (head_read_request(bytes, length, &head) != rows[i].is_good)
                        fail_msg("row %zu: %s", i, rows[i].head);
        }
}

static void assert_request(const char *from, const struct head_forward *how, const char *to)
{
        auto_free char *bytes = text_copy(from);
        auto_text out = TEXT_WITH_MAXIMUM(HEAD_MAXIMUM);
        struct message_head head;

        assert_true(head_read_request(bytes, strlen(bytes), &head));
        head_write_request(&head, how, &out);
        assert_string_equal(text_string(&out), to);
}

static void a_request_loses_what_is_not_the_applications_business(void **state)
{
        struct head_forward told = forward;

        (void)state;
        told.is_told = true;
        assert_request("GET /a HTTP/1.1\r\nHost: app.example\r\nAuthorization: Bearer x\r\nAccept: */*\r\n"
                       "Cookie: own=1; a=b;own=2\r\nCookie: c=d\r\nConnection: keep-alive, X-Mine\r\nX-Mine: 1\r\n"
                       "Keep-Alive: 5\r\nTE: trailers\r\nProxy-Authorization: x\r\nForwarded: for=1\r\n"
                       "X-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Proto: https\r\nExpect: 100-continue\r\n\r\n",
                       &forward,
                       "GET /a HTTP/1.1\r\nHost: app.example\r\nAccept: */*\r\nCookie: a=b; c=d\r\n"
                       "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: app.example\r\n"
                       "Connection: close\r\n\r\n");
        assert_request("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\nX-Forwarded-For: 1.2.3.4\r\n"
                       "X-Forwarded-Proto: https\r\n\r\n",
                       &told,
                       "POST /a HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: https\r\nContent-Length: 7\r\n"
                       "X-Forwarded-For: 1.2.3.4, 192.0.2.1\r\nX-Forwarded-Host: a\r\nConnection: close\r\n\r\n");
        assert_request(
                "GET /s HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n"
                "Sec-WebSocket-Key: k\r\n\r\n",
                &forward,
                "GET /s HTTP/1.1\r\nHost: a\r\nSec-WebSocket-Key: k\r\nX-Forwarded-For: 192.0.2.1\r\n"
                "X-Forwarded-Proto: http\r\nX-Forwarded-Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
        assert_request("GET /s HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", &forward,
                       "GET /s HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: http\r\n"
                       "X-Forwarded-Host: a\r\nConnection: close\r\n\r\n");
}

static void a_response_sets_no_cookie_of_ours_or_of_other_hosts(void **state)
{
        auto_free char *bytes =
                text_copy("HTTP/1.0 200 OK\r\nContent-Length: 3\r\nSet-Cookie: own=evil; Path=/\r\n"
                          "Set-Cookie: a=b; Domain=example.com; Path=/\r\nSet-Cookie: c=d;domain = x;HttpOnly\r\n"
                          "Set-Cookie: domain=x; Secure\r\nConnection: X-Hop\r\nX-Hop: 1\r\nX-Kept: 1\r\n\r\n");
        auto_text out = TEXT_WITH_MAXIMUM(HEAD_MAXIMUM);
        struct message_head head;

        (void)state;
        assert_true(head_read_response(bytes, strlen(bytes), "GET", &head));
        head_write_response(&head, &forward, true, &out);
        assert_string_equal(text_string(&out),
                            "HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Path=/\r\nSet-Cookie: c=d;HttpOnly\r\n"
                            "Set-Cookie: domain=x; Secure\r\nX-Kept: 1\r\nContent-Length: 3\r\n\r\n");
}

/* A gateway whose targets the test plays. */
struct scene {
        struct gateway *gateway;
        int targets[2]; /* [0] is handed to the gateway by the next decision, [1] is the test's; -1: answered with 401
                         */
        atomic_bool is_allowed;
        atomic_int tickets, released;
};

static void decide(const struct gateway_request *request, struct gateway_decision *decision, void *context)
{
        struct scene *scene = context;
        auto_free char *cookie = gateway_cookie(request, "own");

        if (!cookie || scene->targets[0] < 0) {
                decision->status = 401;
                decision->text = "no\n";
                decision->cookie = text_copy("own=1; HttpOnly");
                return;
        }
        decision->target = take_fd(&scene->targets[0]);
        decision->ticket = scene;
        atomic_fetch_add(&scene->tickets, 1);
}

static bool is_allowed(void *ticket, void *context)
{
        (void)ticket;
        return atomic_load(&((struct scene *)context)->is_allowed);
}

static void release(void *ticket, void *context)
{
        (void)ticket;
        atomic_fetch_add(&((struct scene *)context)->released, 1);
}

static int open_scene(void **state)
{
        struct scene *scene = memory_new(sizeof *scene);
        struct gateway_options options = {.host = "127.0.0.1",
                                          .connection_maximum = 2,
                                          .look_ms = 20,
                                          .body_maximum = 100000,
                                          .context = scene,
                                          .decide = decide,
                                          .is_allowed = is_allowed,
                                          .release = release,
                                          .is_own_cookie = is_own};
        auto_error error = {0};

        scene->targets[0] = scene->targets[1] = -1;
        atomic_store(&scene->is_allowed, true);
        scene->gateway = gateway_start(&options, &error);
        assert_string_equal(error.message, "");
        *state = scene;
        return 0;
}

static int close_scene(void **state)
{
        struct scene *scene = *state;

        gateway_stop(scene->gateway);
        for (size_t i = 0; i < 2; i++)
                if (scene->targets[i] >= 0)
                        close(scene->targets[i]);
        assert_int_equal(atomic_load(&scene->tickets), atomic_load(&scene->released));
        free(scene);
        return 0;
}

static void set_limit(int fd)
{
        struct timeval limit = {.tv_sec = WAIT_SECONDS};

        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

/* The next request goes to a new target. */
static void new_target(struct scene *scene)
{
        if (scene->targets[1] >= 0)
                close(scene->targets[1]);
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, scene->targets), 0);
        set_limit(scene->targets[1]);
}

static int new_client(struct scene *scene)
{
        struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons(gateway_port(scene->gateway)),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        set_limit(fd);
        assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
        return fd;
}

static void say(int fd, const char *text)
{
        assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Reads until what came ends in the text (NULL: until the end). */
static char *hear(int fd, const char *until)
{
        struct text heard = TEXT_WITH_MAXIMUM(1000000);
        char byte;
        ssize_t got = 0;

        while ((!until || heard.length < strlen(until) ||
                memcmp(heard.data + heard.length - strlen(until), until, strlen(until)) != 0) &&
               (got = recv(fd, &byte, 1, 0)) == 1)
                text_append(&heard, &byte, 1);
        if (until && got != 1)
                fail_msg("\"%s\" did not come, but: %s", until, text_string(&heard));
        return text_take(&heard);
}

#define GET "GET / HTTP/1.1\r\nHost: a\r\nCookie: own=1\r\n\r\n"

static void expect_exchange(struct scene *scene, int client, const char *request, const char *response,
                            const char *answer)
{
        new_target(scene);
        say(client, request);
        auto_free char *asked = hear(scene->targets[1], "\r\n\r\n");
        assert_null(strstr(asked, "own=1"));
        say(scene->targets[1], response);
        shutdown(scene->targets[1], SHUT_WR);
        auto_free char *heard = hear(client, answer);
        (void)heard;
}

static void a_connection_is_used_again_after_a_response_of_known_length(void **state)
{
        struct scene *scene = *state;
        auto_fd client = new_client(scene);

        say(client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        auto_free char *refused = hear(client, "\r\n\r\nno\n");
        assert_non_null(strstr(refused, "HTTP/1.1 401 "));
        assert_non_null(strstr(refused, "Set-Cookie: own=1; HttpOnly\r\n"));
        expect_exchange(scene, client, GET, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "\r\n\r\nhello");
        expect_exchange(scene, client, GET, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
                        "HTTP/1.1 204 No Content\r\n\r\n");
        expect_exchange(scene, client, "HEAD / HTTP/1.1\r\nCookie: own=1\r\n\r\n",
                        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "Content-Length: 5\r\n\r\n");
        expect_exchange(scene, client, GET, "HTTP/1.1 200 OK\r\n\r\nto the end", "Connection: close\r\n\r\nto the end");
        auto_free char *rest = hear(client, NULL);
        assert_string_equal(rest, "");
}

static void a_body_passes_and_only_as_much_as_was_told(void **state)
{
        struct scene *scene = *state;
        auto_fd client = new_client(scene);

        new_target(scene);
        say(client, "POST / HTTP/1.1\r\nCookie: own=1\r\nContent-Length: 6\r\n\r\nabc");
        auto_free char *first = hear(scene->targets[1], "\r\n\r\nabc");
        say(client, "def" GET);
        auto_free char *second = hear(scene->targets[1], "def");
        assert_string_equal(second, "def");
        int target = take_fd(&scene->targets[1]);
        new_target(scene);
        say(target, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        auto_free char *answer = hear(client, "\r\n\r\nok");
        /* What came behind the body is the next request, for another target. */
        auto_free char *next = hear(scene->targets[1], "\r\n\r\n");
        assert_non_null(strstr(next, "GET / HTTP/1.1\r\n"));
        close(target);
}

static void what_is_too_large_or_no_request_is_refused(void **state)
{
        static const char *const rows[][2] = {
                {"POST / HTTP/1.1\r\nCookie: own=1\r\nContent-Length: 100001\r\n\r\n", "HTTP/1.1 413 "},
                {"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "HTTP/1.1 400 "},
                {"GET / HTTP/1.1\r\nOrigin: a\r\nOrigin: b\r\n\r\n", "HTTP/1.1 400 "},
                {"nonsense\r\n\r\n", "HTTP/1.1 400 "},
        };

        for (size_t i = 0; i < COUNT_OF(rows); i++) {
                auto_fd client = new_client(*state);
                say(client, rows[i][0]);
                auto_free char *answer = hear(client, NULL);
                if (strncmp(answer, rows[i][1], strlen(rows[i][1])) != 0)
                        fail_msg("row %zu: %s", i, answer);
        }
        auto_fd client = new_client(*state);
        auto_free char *large = memory_new(HEAD_MAXIMUM + 1);
        memset(large, 'x', HEAD_MAXIMUM);
        say(client, large);
        auto_free char *answer = hear(client, NULL);
        assert_int_equal(strncmp(answer, "HTTP/1.1 431 ", 13), 0);
}

static void a_target_that_speaks_no_http_or_says_nothing_is_a_bad_gateway(void **state)
{
        static const char *const rows[] = {
                "",
                "hello\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
                "HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n",
        };
        struct scene *scene = *state;

        for (size_t i = 0; i < COUNT_OF(rows); i++) {
                auto_fd client = new_client(scene);
                new_target(scene);
                say(client, GET);
                auto_free char *asked = hear(scene->targets[1], "\r\n\r\n");
                say(scene->targets[1], rows[i]);
                close(take_fd(&scene->targets[1]));
                auto_free char *answer = hear(client, NULL);
                if (strncmp(answer, "HTTP/1.1 502 ", 13) != 0)
                        fail_msg("row %zu: %s", i, answer);
        }
}

static void open_socket(struct scene *scene, int client)
{
        new_target(scene);
        say(client, "GET / HTTP/1.1\r\nCookie: own=1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nearly");
        auto_free char *asked = hear(scene->targets[1], "\r\n\r\n");
        say(scene->targets[1],
            "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nfirst");
        auto_free char *answer = hear(client, "\r\n\r\nfirst"), *early = hear(scene->targets[1], "early");
        assert_non_null(strstr(answer, "Upgrade: websocket\r\n"));
        assert_string_equal(early, "early");
}

static void a_socket_is_carried_until_either_end_goes(void **state)
{
        struct scene *scene = *state;
        auto_fd client = new_client(scene);

        open_socket(scene, client);
        say(client, "up");
        auto_free char *up = hear(scene->targets[1], "up");
        say(scene->targets[1], "down");
        auto_free char *down = hear(client, "down");
        close(take_fd(&scene->targets[1]));
        auto_free char *rest = hear(client, NULL);
        assert_string_equal(rest, "");
        auto_fd other = new_client(scene);
        open_socket(scene, other);
        close(take_fd(&other));
        auto_free char *end = hear(scene->targets[1], NULL);
        assert_string_equal(end, "");
}

static void access_that_is_lost_ends_what_is_carried(void **state)
{
        struct scene *scene = *state;
        auto_fd client = new_client(scene);

        open_socket(scene, client);
        atomic_store(&scene->is_allowed, false);
        auto_free char *rest = hear(client, NULL);
        assert_string_equal(rest, "");
}

static void a_client_that_goes_away_frees_its_target(void **state)
{
        struct scene *scene = *state;
        auto_fd client = new_client(scene);

        new_target(scene);
        say(client, GET);
        auto_free char *asked = hear(scene->targets[1], "\r\n\r\n");
        close(take_fd(&client));
        auto_free char *rest = hear(scene->targets[1], NULL);
        assert_string_equal(rest, "");
}

static void connections_have_a_maximum_and_all_end_with_the_gateway(void **state)
{
        struct scene *scene = *state;
        auto_fd one = new_client(scene), two = new_client(scene);

        open_socket(scene, one);
        int first = take_fd(&scene->targets[1]);
        open_socket(scene, two);
        auto_fd three = new_client(scene);
        auto_free char *nothing = hear(three, NULL);
        assert_string_equal(nothing, "");
        gateway_stop(take(scene->gateway));
        auto_free char *rest = hear(one, NULL);
        assert_string_equal(rest, "");
        close(first);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_scene, close_scene)

int run_gateway_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(what_could_be_understood_in_two_ways_is_refused),
                cmocka_unit_test(a_request_loses_what_is_not_the_applications_business),
                cmocka_unit_test(a_response_sets_no_cookie_of_ours_or_of_other_hosts),
                TEST(a_connection_is_used_again_after_a_response_of_known_length),
                TEST(a_body_passes_and_only_as_much_as_was_told),
                TEST(what_is_too_large_or_no_request_is_refused),
                TEST(a_target_that_speaks_no_http_or_says_nothing_is_a_bad_gateway),
                TEST(a_socket_is_carried_until_either_end_goes),
                TEST(access_that_is_lost_ends_what_is_carried),
                TEST(a_client_that_goes_away_frees_its_target),
                TEST(connections_have_a_maximum_and_all_end_with_the_gateway),
        };

        return cmocka_run_group_tests_name("gateway", tests, NULL, NULL);
}
