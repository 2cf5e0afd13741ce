#include <sys/eventfd.h>

#include "docker/container.h"
#include "docker/events.h"
#include "docker/logs.h"
#include "server/base/document.h"
#include "tests/cmocka.h"
#include "tests/docker/fake.h"
#include "tests/docker/suite.h"

#define EVENTS "GET /v1.41/events?filters=%7B%22type%22%3A%5B%22container%22%5D%2C%22label%22%3A%5B%22a.b%22%5D%7D"

/* What a follower has seen; stops it at the event that ends with `stop_at`. */
struct seen {
        struct text words;
        int stop_fd;
        const char *stop_at;
};

static void see(const struct docker_event *event, void *context)
{
        struct seen *seen = context;
        const char *label = document_get_string(event->labels, "a.b");

        text_printf(&seen->words, "%d %s %s %d %lld %s %s\n", event->kind, event->action, event->container_id,
                    event->exit_code, (long long)event->time, event->exec_id ? event->exec_id : "-",
                    label ? label : "-");
        if (seen->stop_at && strcmp(event->action, seen->stop_at) == 0)
                eventfd_write(seen->stop_fd, 1);
}

#define FIRST_PIECE                                                                                                    \
        "{\"Type\":\"container\",\"Action\":\"die\",\"Actor\":{\"ID\":\"c1\",\"Attributes\":{\"a.b\":\"t1\","          \
        "\"exitCode\":\"7\"}},\"timeNano\":1717000000123456789}\n{\"Action\":\"exec_start: sh -c secret\",\"Act"
#define SECOND_PIECE "or\":{\"ID\":\"c2\",\"Attributes\":{\"execID\":\"e1\"}},\"timeNano\":1000000}\n \n"

static void events_are_read_across_pieces_until_the_caller_stops(void **state)
{
        (void)state;
        auto_fake *fake = FAKE(
                {.request = EVENTS "&since=1717000000 ", .chunks = {FIRST_PIECE, SECOND_PIECE}, .then = FAKE_HANG});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        auto_fd stop_fd = eventfd(0, EFD_CLOEXEC);
        struct seen seen = {.words = TEXT_WITH_MAXIMUM(4096), .stop_fd = stop_fd, .stop_at = "exec_start"};
        assert_true(docker_events_follow(docker, "a.b", 1717000000999, stop_fd, see, &seen, &error));
        assert_string_equal(seen.words.data, "0 connected  -1 0 - -\n"
                                             "3 die c1 7 1717000000123 - t1\n"
                                             "7 exec_start c2 -1 1 e1 -\n");
        text_clear(&seen.words);
}

#define SHORTAGE(container, ms) "{\"Action\":\"oom\",\"Actor\":{\"ID\":\"" container "\"},\"timeNano\":" ms "000000}\n"

static void a_flood_about_one_shortage_of_memory_is_told_once(void **state)
{
        (void)state;
        auto_fake *fake = FAKE({.request = EVENTS " ",
                                .chunks = {SHORTAGE("c1", "5000") SHORTAGE("c1", "5001") SHORTAGE("c1", "5999"),
                                           SHORTAGE("c2", "5999") SHORTAGE("c1", "6500") FIRST_PIECE SECOND_PIECE},
                                .then = FAKE_HANG});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        auto_fd stop_fd = eventfd(0, EFD_CLOEXEC);
        struct seen seen = {.words = TEXT_WITH_MAXIMUM(4096), .stop_fd = stop_fd, .stop_at = "exec_start"};
        assert_true(docker_events_follow(docker, "a.b", 0, stop_fd, see, &seen, &error));
        assert_non_null(
                strstr(seen.words.data, "4 oom c1 -1 5000 - -\n4 oom c2 -1 5999 - -\n4 oom c1 -1 6500 - -\n3 die"));
        text_clear(&seen.words);
}

static void the_end_of_an_event_stream_is_never_success(void **state)
{
        static const struct {
                struct fake_answer answer;
                enum error_code code;
        } cases[] = {
                {{.chunks = {FIRST_PIECE}, .then = FAKE_CLOSE}, ERROR_ENGINE_STREAM_LOST},
                {{.chunks = {FIRST_PIECE, SECOND_PIECE}, .has_end = true}, ERROR_ENGINE_STREAM_LOST},
                {{.raw = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", .then = FAKE_CLOSE}, ERROR_ENGINE_STREAM_LOST},
                {{.chunks = {"no\n{}"}, .then = FAKE_HANG}, ERROR_ENGINE_FAILED},
                {{.status = 500, .body = "{\"message\":\"m\"}"}, ERROR_ENGINE_FAILED},
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                struct fake_answer answer = cases[i].answer;
                answer.request = EVENTS " ";
                auto_fake *fake = fake_new(&answer, 1);
                auto_docker *docker = fake_docker(fake);
                auto_error error = {0};
                struct seen seen = {.words = TEXT_WITH_MAXIMUM(4096)};
                assert_false(docker_events_follow(docker, "a.b", 0, -1, see, &seen, &error));
                assert_int_equal(error.code, cases[i].code);
                text_clear(&seen.words);
        }
}

static void a_stop_that_came_first_ends_the_following(void **state)
{
        (void)state;
        auto_fake *fake = FAKE({.request = "GET /v1.41/events", .then = FAKE_HANG});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        auto_fd stop_fd = eventfd(1, EFD_CLOEXEC);
        struct seen seen = {.words = TEXT_WITH_MAXIMUM(4096)};
        assert_true(docker_events_follow(docker, NULL, 0, stop_fd, see, &seen, &error));
        assert_int_equal(seen.words.length, 0);
}

static void an_event_line_without_end_is_refused(void **state)
{
        size_t length = strlen(FAKE_CHUNKED) + strlen("200000\r\n") + (2u << 20);

        (void)state;
        auto_free char *raw = memory_new(length);
        memset(raw, 'x', length);
        memcpy(raw, FAKE_CHUNKED "200000\r\n", strlen(FAKE_CHUNKED "200000\r\n"));
        auto_fake *fake = FAKE({.request = "GET /v1.41/events", .raw = raw, .raw_length = length});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        struct seen seen = {.words = TEXT_WITH_MAXIMUM(4096)};
        assert_false(docker_events_follow(docker, NULL, 0, -1, see, &seen, &error));
        assert_int_equal(error.code, ERROR_ENGINE_FAILED);
        text_clear(&seen.words);
}

static bool collect(enum docker_stream_kind kind, const char *bytes, size_t length, void *context)
{
        struct text *text = context;

        text_printf(text, "%d:", kind);
        text_append(text, bytes, length);
        return length != 4 || memcmp(bytes, "stop", 4) != 0;
}

static void a_log_is_split_into_its_streams(void **state)
{
        static const char raw[] =
                FAKE_CHUNKED "b\r\n\1\0\0\0\0\0\0\3one\r\n9\r\n\2\0\0\0\0\0\0\3t\r\n2\r\nwo\r\n0\r\n\r\n";

        (void)state;
        auto_fake *fake = FAKE({.request = "GET /v1.41/containers/c1/logs?stdout=1&stderr=1&follow=1&tail=5 ",
                                .raw = raw,
                                .raw_length = sizeof raw - 1});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        auto_text text = TEXT_WITH_MAXIMUM(100);
        assert_true(docker_container_logs(docker, "c1", true, 5, -1, collect, &text, &error));
        assert_string_equal(text.data, "1:one2:t2:wo");
}

static void a_log_that_breaks_off_is_not_whole(void **state)
{
        static const char inside[] = FAKE_CHUNKED "9\r\n\1\0\0\0\0\0\0\3o\r\n0\r\n\r\n";
        static const char lost[] = FAKE_CHUNKED "b\r\n\1\0\0\0\0\0\0\3one\r\n";
        static const char stopped[] = FAKE_CHUNKED "c\r\n\1\0\0\0\0\0\0\4stop\r\n";
        static const char no_frames[] = FAKE_CHUNKED "8\r\nplain ou\r\n";
        static const struct {
                const char *raw;
                size_t length;
                enum error_code code;
        } cases[] = {{inside, sizeof inside - 1, ERROR_ENGINE_STREAM_LOST},
                     {lost, sizeof lost - 1, ERROR_ENGINE_STREAM_LOST},
                     {stopped, sizeof stopped - 1, ERROR_CANCELLED},
                     {no_frames, sizeof no_frames - 1, ERROR_ENGINE_FAILED}};

        (void)state;
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                auto_fake *fake = FAKE({.request = "GET /v1.41/containers/c1/logs?stdout=1&stderr=1 ",
                                        .raw = cases[i].raw,
                                        .raw_length = cases[i].length,
                                        .then = FAKE_CLOSE});
                auto_docker *docker = fake_docker(fake);
                auto_error error = {0};
                auto_text text = TEXT_WITH_MAXIMUM(100);
                assert_false(docker_container_logs(docker, "c1", false, 0, -1, collect, &text, &error));
                assert_int_equal(error.code, cases[i].code);
        }
}

static void a_wait_ends_with_a_code_or_an_error(void **state)
{
        int exit_code = -1;

        (void)state;
        auto_fake *fake = FAKE(
                {.request = "POST /v1.41/containers/c1/wait ", .chunks = {"{\"StatusCode\":137}"}, .has_end = true},
                {.request = "POST /v1.41/containers/c1/wait ", .raw = FAKE_CHUNKED, .then = FAKE_CLOSE},
                {.request = "POST /v1.41/containers/c1/wait ", .raw = FAKE_CHUNKED "0\r\n\r\n"},
                {.request = "POST /v1.41/containers/c1/wait ", .raw = FAKE_CHUNKED, .then = FAKE_HANG},
                {.request = "POST /v1.41/containers/c1/wait ",
                 .status = 404,
                 .body = "{\"message\":\"No such container: c1\"}"});
        auto_docker *docker = fake_docker(fake);
        auto_error error = {0};
        auto_fd stop_fd = eventfd(1, EFD_CLOEXEC);
        assert_true(docker_container_wait(docker, "c1", -1, &exit_code, &error));
        assert_int_equal(exit_code, 137);
        assert_false(docker_container_wait(docker, "c1", -1, &exit_code, &error));
        assert_int_equal(error.code, ERROR_ENGINE_STREAM_LOST);
        assert_false(docker_container_wait(docker, "c1", -1, &exit_code, &error));
        assert_int_equal(error.code, ERROR_ENGINE_STREAM_LOST);
        assert_false(docker_container_wait(docker, "c1", stop_fd, &exit_code, &error));
        assert_int_equal(error.code, ERROR_CANCELLED);
        assert_false(docker_container_wait(docker, "c1", -1, &exit_code, &error));
        assert_int_equal(error.code, ERROR_CONTAINER_NOT_FOUND);
}

int test_streams(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(events_are_read_across_pieces_until_the_caller_stops),
                cmocka_unit_test(a_flood_about_one_shortage_of_memory_is_told_once),
                cmocka_unit_test(the_end_of_an_event_stream_is_never_success),
                cmocka_unit_test(a_stop_that_came_first_ends_the_following),
                cmocka_unit_test(an_event_line_without_end_is_refused),
                cmocka_unit_test(a_log_is_split_into_its_streams),
                cmocka_unit_test(a_log_that_breaks_off_is_not_whole),
                cmocka_unit_test(a_wait_ends_with_a_code_or_an_error),
        };

        return cmocka_run_group_tests_name("docker streams", tests, NULL, NULL);
}
