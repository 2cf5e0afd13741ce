/* Answers as an event stream. */
#include "tests/mcp/fixture.h"

#include <sys/socket.h>

#define EVENTS "Accept: application/json, text/event-stream\r\n"
#define STOP(task, meta)                                                                                               \
        "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{\"name\":\"stop_task\",\"arguments\":{"   \
        "\"taskId\":\"" task "\"}" meta "}}"
#define TOKEN ",\"_meta\":{\"progressToken\":\"p\\\"1\"}"

/* Reads until the text is there, or the connection ends. */
static void read_until(int fd, struct text *all, const char *wanted)
{
        char piece[4096];
        ssize_t count;

        while (!strstr(text_string(all), wanted) && (count = recv(fd, piece, sizeof piece, 0)) > 0)
                text_append(all, piece, (size_t)count);
}

static void who_gave_a_token_hears_how_far_it_is(void **state)
{
        auto_text all = TEXT_WITH_MAXIMUM(100000);
        auto_fd fd = begin_post(EVENTS, STOP("gated", TOKEN));

        (void)state;
        sem_wait(&stub.entered);
        read_until(fd, &all, "}}\n\n");
        assert_non_null(strstr(all.data, "HTTP/1.1 200 OK"));
        assert_non_null(strcasestr(all.data, "Content-Type: text/event-stream"));
        assert_non_null(strstr(all.data,
                               "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
                               "\"params\":{\"progressToken\":\"p\\\"1\",\"progress\":1,\"total\":2,"
                               "\"message\":\"Half of it \\\"is\\\" done\"}}\n\n"));
        assert_null(strstr(all.data, "\"result\""));
        sem_post(&stub.gate);
        sem_wait(&stub.left);
        read_until(fd, &all, "no such text");
        assert_null(strstr(all.data, "Again"));
        assert_non_null(strstr(all.data, "\"progress\":2}}\n\n"));
        assert_non_null(strstr(all.data, "data: {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{\"content\""));
        assert_false(stub.is_cancelled);
}

static void everybody_else_gets_plain_json(void **state)
{
        static const struct {
                const char *lines, *body;
        } rows[] = {
                {EVENTS, STOP("t", "")},
                {"Accept: application/json\r\n", STOP("t", TOKEN)},
                {"", STOP("t", TOKEN)},
                {EVENTS, STOP("t", ",\"_meta\":{\"progressToken\":{}}")},
                {EVENTS, "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{\"name\":\"get_task\","
                         "\"arguments\":{\"taskId\":\"t\"}" TOKEN "}}"},
                {EVENTS, STOP("", TOKEN)},
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
                auto_reply reply = post_with(rows[i].lines, rows[i].body);
                assert_int_equal(reply.status, 200);
                assert_string_equal(reply_header(&reply, "Content-Type"), "application/json");
                assert_non_null(result_of(&reply));
        }
}

static void who_goes_away_ends_the_waiting_and_nothing_else(void **state)
{
        auto_text all = TEXT_WITH_MAXIMUM(100000);
        int fd = begin_post(EVENTS, STOP("gated", TOKEN));
        const struct linger abort_it = {.l_onoff = 1};

        (void)state;
        sem_wait(&stub.entered);
        read_until(fd, &all, "}}\n\n");
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &abort_it, sizeof abort_it);
        close(fd);
        /* The server has seen the end when it serves another connection on its one thread. */
        for (int i = 0; i < 2; i++) {
                auto_reply other = call_tool("get_task", "{\"taskId\":\"t\"}");
                assert_int_equal(other.status, 200);
        }
        sem_post(&stub.gate);
        sem_wait(&stub.left);
        assert_true(stub.is_cancelled);
}

static void a_key_that_is_revoked_meanwhile_ends_the_stream_with_an_error(void **state)
{
        auto_text all = TEXT_WITH_MAXIMUM(100000);
        auto_fd fd = begin_post(EVENTS, STOP("gated", TOKEN));

        (void)state;
        sem_wait(&stub.entered);
        stub.is_revoked = true;
        sem_post(&stub.gate);
        sem_wait(&stub.left);
        read_until(fd, &all, "no such text");
        assert_non_null(strstr(all.data, "data: {\"jsonrpc\":\"2.0\",\"id\":9,\"error\":{\"code\":-32603"));
}

int run_streamed_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup(who_gave_a_token_hears_how_far_it_is, fixture_reset),
                cmocka_unit_test_setup(everybody_else_gets_plain_json, fixture_reset),
                cmocka_unit_test_setup(who_goes_away_ends_the_waiting_and_nothing_else, fixture_reset),
                cmocka_unit_test_setup(a_key_that_is_revoked_meanwhile_ends_the_stream_with_an_error, fixture_reset),
        };

        return cmocka_run_group_tests_name("mcp streamed", tests, fixture_open, fixture_close);
}
