#include "server/http/stream.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#include "server/base/clock.h"
#include "server/base/text.h"
#include "tests/http/fixture.h"

#define WAIT_SECONDS 20
#define OPENED_MAXIMUM 1200
#define BEAT_MS 100

/* What the handler opened, and what became of it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct http_stream *opened[OPENED_MAXIMUM];
static atomic_uint opened_count, closed_count, drained_count;

static struct http_server *server;

static void note(atomic_uint *counter)
{
        pthread_mutex_lock(&lock);
        atomic_fetch_add(counter, 1);
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
}

static void drained(void *context)
{
        (void)context;
        note(&drained_count);
}

static void closed(void *context)
{
        (void)context;
        note(&closed_count);
}

static const struct http_stream_calls calls = {drained, closed};

static void answer_stream(struct http_request *request, void *context)
{
        (void)context;
        struct http_stream *stream = http_respond_stream(request, 200, "text/event-stream", &calls, NULL);

        if (!stream)
                return;
        pthread_mutex_lock(&lock);
        opened[opened_count++] = stream;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
}

static void answer_hello(struct http_request *request, void *context)
{
        (void)context;
        http_respond_static(request, 200, HTTP_JSON, "\"hello\"", 7);
}

static const struct http_route routes[] = {
        {"GET", "/stream", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, answer_stream},
        {"GET", "/hello", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, answer_hello},
};

static void start_with(unsigned heartbeat_ms, size_t buffer, unsigned maximum)
{
        struct http_server_options options = {.threads = 1,
                                              .routes = routes,
                                              .route_count = COUNT_OF(routes),
                                              .heartbeat_ms = heartbeat_ms,
                                              .stream_buffer = buffer,
                                              .stream_maximum = maximum};

        opened_count = closed_count = drained_count = 0;
        server = fixture_start(&options);
}

static int start(void **state)
{
        (void)state;
        start_with(0, 0, 0);
        return 0;
}

static int start_beating(void **state)
{
        (void)state;
        start_with(BEAT_MS, 0, 0);
        return 0;
}

static void release_all(void)
{
        for (unsigned i = 0; i < opened_count; i++)
                http_stream_release(opened[i]);
        opened_count = 0;
}

static int stop(void **state)
{
        (void)state;
        http_server_stop(server);
        release_all();
        return 0;
}

/* Waits until the counter has reached `count`. */
static void await(atomic_uint *counter, unsigned count)
{
        struct timespec limit;
        int failure = 0;

        clock_gettime(CLOCK_REALTIME, &limit);
        limit.tv_sec += WAIT_SECONDS;
        pthread_mutex_lock(&lock);
        while (*counter < count && !failure)
                failure = pthread_cond_timedwait(&changed, &lock, &limit);
        unsigned reached = *counter;
        pthread_mutex_unlock(&lock);
        assert_true(reached >= count);
}

static struct connection *subscribe(void)
{
        struct connection *client = connection_open(server);
        unsigned before = opened_count;

        connection_send(client, "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n");
        await(&opened_count, before + 1);
        return client;
}

static void say(struct http_stream *stream, const char *text)
{
        assert_true(http_stream_send(stream, text, strlen(text)));
}

static void a_stream_says_what_it_is_at_once(void **state)
{
        struct connection *client = subscribe();

        (void)state;
        connection_await(client, "\r\n\r\n");
        assert_non_null(strstr(client->bytes, "HTTP/1.1 200"));
        assert_non_null(strcasestr(client->bytes, "Content-Type: text/event-stream\r\n"));
        assert_non_null(strcasestr(client->bytes, "Cache-Control: no-cache\r\n"));
        assert_non_null(strcasestr(client->bytes, "X-Accel-Buffering: no\r\n"));
        connection_close(client);
}

static void *send_from_here(void *stream)
{
        for (int i = 0; i < 100; i++) {
                auto_free char *text = text_format("data: %d\n\n", i);
                say(stream, text);
        }
        return NULL;
}

static void what_another_thread_sends_arrives_in_order(void **state)
{
        struct connection *client = subscribe();
        pthread_t thread;
        size_t at = 0;

        (void)state;
        pthread_create(&thread, NULL, send_from_here, opened[0]);
        pthread_join(thread, NULL);
        connection_await(client, "data: 99\n\n");
        for (int i = 0; i < 100; i++) {
                auto_free char *text = text_format("data: %d\n\n", i);
                char *found = strstr(client->bytes + at, text);
                assert_non_null(found);
                at = (size_t)(found - client->bytes);
        }
        connection_close(client);
}

static void a_stream_that_is_closed_ends_after_its_last_bytes(void **state)
{
        struct connection *client = subscribe();

        (void)state;
        say(opened[0], "data: last\n\n");
        http_stream_close(opened[0]);
        assert_false(http_stream_send(opened[0], "more", 4));
        connection_await(client, "data: last\n\n");
        connection_await(client, "\r\n0\r\n\r\n");
        await(&closed_count, 1);
        assert_false(http_stream_send(opened[0], "more", 4));
        connection_close(client);
}

static void a_silent_stream_gets_heartbeats(void **state)
{
        struct connection *client = subscribe();
        int64_t begun = clock_monotonic();

        (void)state;
        for (int i = 0; i < 3; i++) {
                size_t at = connection_await(client, ":\n\n");
                client->bytes[at] = 'x';
        }
        assert_true(clock_monotonic() - begun >= 3 * BEAT_MS - 20);
        assert_int_equal(closed_count, 0);
        connection_close(client);
}

static void a_client_that_hangs_up_is_noticed_at_once(void **state)
{
        struct connection *client = subscribe();

        (void)state;
        connection_await(client, "\r\n\r\n");
        connection_close(client);
        await(&closed_count, 1);
}

/* As a machine that was switched off: no farewell is sent. */
static void a_client_that_vanished_is_noticed_by_the_heartbeat(void **state)
{
        struct connection *client = subscribe();
        int on = 1;

        (void)state;
        connection_await(client, ":\n\n");
        if (setsockopt(client->fd, IPPROTO_TCP, TCP_REPAIR, &on, sizeof on))
                skip();
        connection_close(client);
        await(&closed_count, 1);
}

/* Its peer takes nothing more: neither room for a heartbeat nor an end. */
static void a_client_that_takes_nothing_is_given_up(void **state)
{
        struct connection *client = subscribe();
        auto_free char *much = memory_new(60000);
        int64_t begun = clock_monotonic();

        (void)state;
        memset(much, 'x', 60000);
        while (http_stream_offer(opened[0], much, 60000) || clock_monotonic() < begun + BEAT_MS / 2)
                ;
        await(&closed_count, 1);
        connection_close(client);
}

static void a_consumer_that_does_not_keep_up_is_cut_off_and_blocks_nobody(void **state)
{
        struct connection *slow = subscribe(), *quick = subscribe();
        auto_free char *much = memory_new(30000);
        size_t sent = 0;

        (void)state;
        memset(much, 'x', 30000);
        while (http_stream_send(opened[0], much, 30000))
                sent += 30000;
        say(opened[1], "data: alive\n\n");
        connection_await(quick, "data: alive\n\n");
        await(&closed_count, 1);
        assert_true(connection_drain(slow) < sent + 65536);
        connection_close(slow);
        connection_close(quick);
}

static void a_sender_that_waits_loses_nothing(void **state)
{
        struct connection *client = subscribe();
        auto_free char *much = memory_new(50000);
        size_t sent = 0, refused = 0, got = 0;

        (void)state;
        memset(much, 'x', 50000);
        while (!refused || sent < 5000000) {
                if (http_stream_offer(opened[0], much, 50000)) {
                        sent += 50000;
                        continue;
                }
                while (drained_count == refused)
                        got += connection_take_waiting(client);
                refused++;
        }
        http_stream_close(opened[0]);
        got += connection_drain(client);
        assert_true(got >= sent);
        connection_close(client);
}

static void a_message_of_any_length_fits_into_an_empty_stream(void **state)
{
        struct connection *client = subscribe();
        auto_free char *much = memory_new(200001);

        (void)state;
        memset(much, 'x', 200000);
        assert_true(http_stream_offer(opened[0], much, 200000));
        http_stream_close(opened[0]);
        assert_true(connection_drain(client) > 200000);
        connection_close(client);
}

static void too_many_streams_are_429(void **state)
{
        (void)state;
        start_with(0, 0, 1);
        struct connection *first = subscribe(), *second = connection_open(server);
        auto_reply *refused = ask(second, "GET", "/stream", "", NULL);
        assert_int_equal(refused->status, 429);
        connection_close(first);
        await(&closed_count, 1);
        struct connection *third = subscribe();
        connection_await(third, "text/event-stream");
        connection_close(second);
        connection_close(third);
        stop(NULL);
}

static void many_streams_get_one_message_and_others_are_served_meanwhile(void **state)
{
        static struct connection *clients[OPENED_MAXIMUM];
        const unsigned count = 300;

        (void)state;
        for (unsigned i = 0; i < count; i++)
                clients[i] = subscribe();
        for (unsigned i = 0; i < count; i++)
                say(opened[i], "data: all\n\n");
        struct connection *other = connection_open(server);
        auto_reply *reply = ask(other, "GET", "/hello", "", NULL);
        assert_int_equal(reply->status, 200);
        for (unsigned i = 0; i < count; i++)
                connection_await(clients[i], "data: all\n\n");
        for (unsigned i = 0; i < count; i += 2)
                connection_close(clients[i]);
        await(&closed_count, count / 2);
        for (unsigned i = 1; i < count; i += 2)
                http_stream_close(opened[i]);
        await(&closed_count, count);
        for (unsigned i = 1; i < count; i += 2)
                connection_close(clients[i]);
        connection_close(other);
}

static void a_server_that_stops_ends_its_streams_cleanly(void **state)
{
        (void)state;
        start_with(0, 0, 0);
        struct connection *client = subscribe();
        say(opened[0], "data: before\n\n");
        http_server_stop(server);
        assert_int_equal(closed_count, 1);
        assert_false(http_stream_send(opened[0], "late", 4));
        release_all();
        connection_await(client, "data: before\n\n");
        connection_await(client, "\r\n0\r\n\r\n");
        connection_close(client);
}

static void a_server_stops_although_a_client_takes_nothing(void **state)
{
        auto_free char *much = memory_new(60000);

        (void)state;
        start_with(0, 0, 0);
        struct connection *client = subscribe();
        memset(much, 'x', 60000);
        for (int refused = 0; refused < 1000;)
                refused = http_stream_offer(opened[0], much, 60000) ? 0 : refused + 1;
        http_server_stop(server);
        assert_int_equal(closed_count, 1);
        release_all();
        connection_close(client);
}

#define ON_A_SERVER(test) cmocka_unit_test_setup_teardown(test, start, stop)
#define BEATING(test) cmocka_unit_test_setup_teardown(test, start_beating, stop)

int run_stream_tests(void)
{
        const struct CMUnitTest tests[] = {
                ON_A_SERVER(a_stream_says_what_it_is_at_once),
                ON_A_SERVER(what_another_thread_sends_arrives_in_order),
                ON_A_SERVER(a_stream_that_is_closed_ends_after_its_last_bytes),
                BEATING(a_silent_stream_gets_heartbeats),
                ON_A_SERVER(a_client_that_hangs_up_is_noticed_at_once),
                BEATING(a_client_that_vanished_is_noticed_by_the_heartbeat),
                BEATING(a_client_that_takes_nothing_is_given_up),
                ON_A_SERVER(a_consumer_that_does_not_keep_up_is_cut_off_and_blocks_nobody),
                ON_A_SERVER(a_sender_that_waits_loses_nothing),
                ON_A_SERVER(a_message_of_any_length_fits_into_an_empty_stream),
                cmocka_unit_test(too_many_streams_are_429),
                ON_A_SERVER(many_streams_get_one_message_and_others_are_served_meanwhile),
                cmocka_unit_test(a_server_that_stops_ends_its_streams_cleanly),
                cmocka_unit_test(a_server_stops_although_a_client_takes_nothing),
        };

        return cmocka_run_group_tests_name("streams", tests, NULL, NULL);
}
