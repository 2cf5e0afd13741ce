#include <pthread.h>
#include <sys/eventfd.h>

#include "docker/demux.h"
#include "docker/events.h"
#include "docker/exec.h"
#include "docker/logs.h"
#include "server/base/clock.h"
#include "server/base/document.h"
#include "tests/cmocka.h"
#include "tests/docker/real.h"
#include "tests/docker/suite.h"

/* A thread that follows the events of these tests. */
struct follower {
        struct docker *docker;
        int64_t since;
        int stop_fd;
        pthread_t thread;
        pthread_mutex_t mutex;
        pthread_cond_t changed;
        struct text words; /* "kind:container:exit code:task;" of each event */
        bool is_done;
        struct error error;
};

static void see(const struct docker_event *event, void *context)
{
        struct follower *follower = context;
        const char *task = document_get_string(event->labels, "org.longshore.task");

        pthread_mutex_lock(&follower->mutex);
        text_printf(&follower->words, "%d:%s:%d:%s;", event->kind, event->container_id, event->exit_code,
                    task ? task : "-");
        pthread_cond_broadcast(&follower->changed);
        pthread_mutex_unlock(&follower->mutex);
}

static void *follow(void *context)
{
        struct follower *follower = context;

        follower->is_done = docker_events_follow(follower->docker, REAL_LABEL, follower->since, follower->stop_fd, see,
                                                 follower, &follower->error);
        return NULL;
}

/* Waits until an event with these words has come. */
static void await_event(struct follower *follower, const char *words)
{
        struct timespec until;
        bool is_late = false;

        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += REAL_PATIENCE / 1000;
        pthread_mutex_lock(&follower->mutex);
        while (!is_late && !strstr(text_string(&follower->words), words))
                is_late = pthread_cond_timedwait(&follower->changed, &follower->mutex, &until) != 0;
        pthread_mutex_unlock(&follower->mutex);
        if (is_late)
                fail_msg("no event %s in %s", words, follower->words.data);
}

static void follower_start(struct follower *follower, int64_t since)
{
        *follower = (struct follower){.docker = real_docker(),
                                      .since = since,
                                      .stop_fd = eventfd(0, EFD_CLOEXEC),
                                      .mutex = PTHREAD_MUTEX_INITIALIZER,
                                      .changed = PTHREAD_COND_INITIALIZER,
                                      .words = TEXT_WITH_MAXIMUM(65536)};
        assert_int_equal(pthread_create(&follower->thread, NULL, follow, follower), 0);
        await_event(follower, "0::-1:-;");
}

static void follower_end(struct follower *follower)
{
        eventfd_write(follower->stop_fd, 1);
        pthread_join(follower->thread, NULL);
        assert_true(follower->is_done);
        docker_free(follower->docker);
        close(follower->stop_fd);
        text_clear(&follower->words);
}

static void await_kind(struct follower *follower, enum docker_event_kind kind, const char *id, const char *rest)
{
        auto_free char *words = text_format("%d:%s:%s;", kind, id, rest);

        await_event(follower, words);
}

static void the_life_of_a_container_is_told_by_events(void **state)
{
        const char *command[4];
        char id[DOCKER_ID_SIZE];
        struct docker_container_spec spec = real_spec(command, "exit 7");
        struct follower follower;

        (void)state;
        auto_docker *docker = real_docker();
        auto_error error = {0};
        follower_start(&follower, 0);
        real_start(docker, &spec, id);
        await_kind(&follower, DOCKER_EVENT_CREATED, id, "-1:t1");
        await_kind(&follower, DOCKER_EVENT_STARTED, id, "-1:t1");
        await_kind(&follower, DOCKER_EVENT_DIED, id, "7:t1");
        assert_true(docker_container_remove(docker, id, true, &error));
        await_kind(&follower, DOCKER_EVENT_DESTROYED, id, "-1:t1");
        follower_end(&follower);
}

static void memory_that_runs_out_is_told(void **state)
{
        const char *command[4];
        char id[DOCKER_ID_SIZE];
        struct docker_container_spec spec = real_spec(command, "head -c 300000000 /dev/zero | tail; exit 3");
        struct follower follower;

        (void)state;
        auto_docker *docker = real_docker();
        auto_error error = {0};
        auto_docker_container_state after = {0};
        follower_start(&follower, 0);
        real_start(docker, &spec, id);
        await_kind(&follower, DOCKER_EVENT_OUT_OF_MEMORY, id, "-1:t1");
        await_kind(&follower, DOCKER_EVENT_DIED, id, "3:t1");
        assert_true(docker_container_inspect(docker, id, &after, &error));
        assert_true(after.is_oom_killed);
        assert_int_equal(after.exit_code, 3);
        assert_true(docker_container_remove(docker, id, true, &error));
        follower_end(&follower);
}

static void past_events_are_told_again(void **state)
{
        const char *command[4];
        char id[DOCKER_ID_SIZE];
        struct docker_container_spec spec = real_spec(command, "exit 5");
        struct follower follower;
        int64_t before = clock_now();
        int exit_code;

        (void)state;
        auto_docker *docker = real_docker();
        auto_error error = {0};
        real_start(docker, &spec, id);
        assert_true(docker_container_wait(docker, id, -1, &exit_code, &error));
        assert_int_equal(exit_code, 5);
        assert_true(docker_container_remove(docker, id, true, &error));
        follower_start(&follower, before);
        await_kind(&follower, DOCKER_EVENT_DIED, id, "5:t1");
        follower_end(&follower);
}

/* Reads the stream to its end; the demultiplexer is NULL for a terminal. */
static void read_to_end(struct docker_stream *stream, struct docker_demux *demux, docker_output *output, void *context)
{
        auto_error error = {0};
        char piece[1000];
        enum docker_read outcome = DOCKER_READ_BYTES;
        size_t length;

        while (outcome != DOCKER_READ_END) {
                assert_true(docker_stream_read(stream, piece, sizeof piece, REAL_PATIENCE, &outcome, &length, &error));
                assert_int_not_equal(outcome, DOCKER_READ_NONE_YET);
                if (demux)
                        assert_true(docker_demux_feed(demux, piece, length, output, context, &error));
        }
}

/* Reads until the words have come. */
static void read_until(struct docker_stream *stream, struct text *seen, const char *words)
{
        auto_error error = {0};
        char piece[1000];
        enum docker_read outcome;
        size_t length;

        while (!memmem(text_string(seen), seen->length, words, strlen(words))) {
                assert_true(docker_stream_read(stream, piece, sizeof piece, REAL_PATIENCE, &outcome, &length, &error));
                if (outcome != DOCKER_READ_BYTES)
                        fail_msg("no \"%s\" in: %s", words, text_string(seen));
                text_append(seen, piece, length);
        }
        text_clear(seen);
}

static bool count_bytes(enum docker_stream_kind kind, const char *bytes, size_t length, void *context)
{
        (void)bytes;
        ((size_t *)context)[kind] += length;
        return true;
}

static void an_exec_without_a_terminal_has_two_streams_and_input(void **state)
{
        const char *command[4];
        static const char *const script[] = {"sh", "-c", "cat; echo err >&2; head -c 1000000 /dev/zero; exit 4", NULL};
        struct docker_container_spec spec = real_spec(command, "exec sleep 1000");
        struct docker_exec_spec exec = {.command = script, .has_input = true};
        struct docker_exec_state after;
        struct docker_demux demux = {0};
        size_t counts[3] = {0};
        char id[DOCKER_ID_SIZE], exec_id[DOCKER_ID_SIZE];

        (void)state;
        auto_docker *docker = real_docker();
        auto_error error = {0};
        auto_text refusal = TEXT_WITH_MAXIMUM(4096);
        real_start(docker, &spec, id);
        assert_true(docker_exec_create(docker, id, &exec, exec_id, &error));
        struct docker_stream *stream = docker_exec_start(docker, exec_id, false, &error);
        assert_non_null(stream);
        assert_true(docker_stream_write(stream, "hello", 5, REAL_PATIENCE, &error));
        docker_stream_end_input(stream);
        read_to_end(stream, &demux, count_bytes, counts);
        assert_true(docker_demux_is_whole(&demux));
        assert_int_equal(counts[DOCKER_STDOUT], 1000005);
        assert_int_equal(counts[DOCKER_STDERR], 4);
        docker_stream_close(stream);
        do
                assert_true(docker_exec_inspect(docker, exec_id, &after, &error));
        while (after.is_running);
        assert_true(after.has_exit_code);
        assert_int_equal(after.exit_code, 4);
        stream = docker_exec_start(docker, exec_id, false, &error);
        assert_non_null(stream);
        read_until(stream, &refusal, "has already run");
        docker_stream_close(stream);
        assert_true(docker_container_remove(docker, id, true, &error));
        assert_false(docker_exec_inspect(docker, exec_id, &after, &error));
        assert_int_equal(error.code, ERROR_NOT_FOUND);
}

/* The words are split so that their echo on the terminal is not taken for the program's output. */
#define INTERRUPTED "sh -c 'trap \"echo cau\"\"ght; exit\" INT; echo be\"\"gin; while :; do sleep 0.1; done'\r"

static void a_terminal_has_a_size_and_takes_keys(void **state)
{
        const char *command[4];
        static const char *const shell[] = {"bash", "--norc", NULL};
        static const struct docker_pair environment[] = {{"TERM", "xterm-256color"}, {"PS1", "ready> "}};
        struct docker_container_spec spec = real_spec(command, "exec sleep 1000");
        struct docker_exec_spec exec = {.command = shell,
                                        .has_input = true,
                                        .has_terminal = true,
                                        .environment = environment,
                                        .environment_count = 2,
                                        .user = "1000:1000",
                                        .working_dir = "/tmp"};
        struct docker_exec_state after;
        char id[DOCKER_ID_SIZE], exec_id[DOCKER_ID_SIZE];

        (void)state;
        auto_docker *docker = real_docker();
        auto_error error = {0};
        auto_text seen = TEXT_WITH_MAXIMUM(65536);
        real_start(docker, &spec, id);
        assert_true(docker_exec_create(docker, id, &exec, exec_id, &error));
        struct docker_stream *stream = docker_exec_start(docker, exec_id, true, &error);
        assert_non_null(stream);
        read_until(stream, &seen, "ready> ");
        assert_true(docker_exec_resize(docker, exec_id, 33, 111, &error));
        assert_true(docker_stream_write(stream, "stty size\r", 10, REAL_PATIENCE, &error));
        read_until(stream, &seen, "33 111");
        assert_true(docker_exec_resize(docker, exec_id, 50, 200, &error));
        assert_true(docker_stream_write(stream, "stty size; pwd; id -u\r", 22, REAL_PATIENCE, &error));
        read_until(stream, &seen, "50 200\r\n/tmp\r\n1000\r\n");
        assert_true(docker_stream_write(stream, INTERRUPTED, strlen(INTERRUPTED), REAL_PATIENCE, &error));
        read_until(stream, &seen, "begin\r\n");
        assert_true(docker_stream_write(stream, "\003", 1, REAL_PATIENCE, &error));
        read_until(stream, &seen, "caught\r\nready> ");
        assert_true(docker_stream_write(stream, "exit 9\r", 7, REAL_PATIENCE, &error));
        read_to_end(stream, NULL, NULL, NULL);
        docker_stream_close(stream);
        do
                assert_true(docker_exec_inspect(docker, exec_id, &after, &error));
        while (after.is_running);
        assert_int_equal(after.exit_code, 9);
        assert_false(docker_exec_resize(docker, exec_id, 50, 200, &error));
        assert_int_equal(error.code, ERROR_NOT_FOUND);
        assert_true(docker_container_stop(docker, id, 0, &error));
        assert_false(docker_exec_create(docker, id, &exec, exec_id, &error));
        assert_int_equal(error.code, ERROR_CONTAINER_NOT_RUNNING);
        assert_true(docker_container_remove(docker, id, true, &error));
}

static bool collect(enum docker_stream_kind kind, const char *bytes, size_t length, void *context)
{
        text_append(&((struct text *)context)[kind], bytes, length);
        return true;
}

static void a_log_is_read_after_the_end(void **state)
{
        const char *command[4];
        char id[DOCKER_ID_SIZE];
        int exit_code;
        struct docker_container_spec spec =
                real_spec(command, "echo one; echo two >&2; echo three; printf 'a\\377\\0b'");
        struct text streams[3] = {TEXT_WITH_MAXIMUM(99), TEXT_WITH_MAXIMUM(99), TEXT_WITH_MAXIMUM(99)};

        (void)state;
        auto_docker *docker = real_docker();
        auto_error error = {0};
        real_start(docker, &spec, id);
        assert_true(docker_container_wait(docker, id, -1, &exit_code, &error));
        assert_true(docker_container_logs(docker, id, false, 0, -1, collect, streams, &error));
        assert_int_equal(streams[DOCKER_STDOUT].length, 16);
        assert_memory_equal(streams[DOCKER_STDOUT].data, "one\nthree\na\xef\xbf\xbd\0b", 16);
        assert_string_equal(text_string(&streams[DOCKER_STDERR]), "two\n");
        text_clear(&streams[DOCKER_STDOUT]);
        text_clear(&streams[DOCKER_STDERR]);
        assert_true(docker_container_logs(docker, id, false, 1, -1, collect, streams, &error));
        assert_int_equal(streams[DOCKER_STDOUT].length + streams[DOCKER_STDERR].length, 6);
        text_clear(&streams[DOCKER_STDOUT]);
        text_clear(&streams[DOCKER_STDERR]);
        assert_true(docker_container_remove(docker, id, true, &error));
}

struct growing {
        struct docker *docker;
        const char *id;
        struct text output;
};

/* Ends the container when its last line has come. */
static bool end_it(enum docker_stream_kind kind, const char *bytes, size_t length, void *context)
{
        struct growing *growing = context;
        auto_error error = {0};

        (void)kind;
        text_append(&growing->output, bytes, length);
        if (strstr(growing->output.data, "last\n"))
                assert_true(docker_container_kill(growing->docker, growing->id, "KILL", &error));
        return true;
}

static void a_log_is_followed_to_the_end_of_the_container(void **state)
{
        const char *command[4];
        char id[DOCKER_ID_SIZE];
        struct docker_container_spec spec = real_spec(command, "echo first; echo last; exec sleep 1000");

        (void)state;
        auto_docker *docker = real_docker();
        auto_error error = {0};
        struct growing growing = {.docker = docker, .id = id, .output = TEXT_WITH_MAXIMUM(99)};
        real_start(docker, &spec, id);
        assert_true(docker_container_logs(docker, id, true, 0, -1, end_it, &growing, &error));
        assert_string_equal(growing.output.data, "first\nlast\n");
        text_clear(&growing.output);
        assert_true(docker_container_remove(docker, id, true, &error));
}

static void following_a_silent_log_ends_when_the_caller_stops(void **state)
{
        const char *command[4];
        char id[DOCKER_ID_SIZE];
        struct docker_container_spec spec = real_spec(command, "exec sleep 1000");
        struct text streams[3] = {TEXT_WITH_MAXIMUM(99), TEXT_WITH_MAXIMUM(99), TEXT_WITH_MAXIMUM(99)};
        int exit_code;

        (void)state;
        auto_docker *docker = real_docker();
        auto_error error = {0};
        auto_fd stop_fd = eventfd(1, EFD_CLOEXEC);
        real_start(docker, &spec, id);
        assert_false(docker_container_logs(docker, id, true, 0, stop_fd, collect, streams, &error));
        assert_int_equal(error.code, ERROR_CANCELLED);
        assert_false(docker_container_wait(docker, id, stop_fd, &exit_code, &error));
        assert_int_equal(error.code, ERROR_CANCELLED);
        assert_true(docker_container_remove(docker, id, true, &error));
}

static void a_container_without_a_log_says_so(void **state)
{
        const char *command[4];
        char id[DOCKER_ID_SIZE];
        struct docker_container_spec spec = real_spec(command, "echo one");
        struct text streams[3] = {TEXT_WITH_MAXIMUM(99), TEXT_WITH_MAXIMUM(99), TEXT_WITH_MAXIMUM(99)};
        int exit_code;

        (void)state;
        auto_docker *docker = real_docker();
        auto_error error = {0};
        spec.keeps_log = false;
        real_start(docker, &spec, id);
        assert_true(docker_container_wait(docker, id, -1, &exit_code, &error));
        assert_false(docker_container_logs(docker, id, false, 0, -1, collect, streams, &error));
        assert_int_equal(error.code, ERROR_ENGINE_FAILED);
        assert_true(docker_container_remove(docker, id, true, &error));
}

int test_real_streams(void)
{
        static const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_life_of_a_container_is_told_by_events),
                cmocka_unit_test(memory_that_runs_out_is_told),
                cmocka_unit_test(past_events_are_told_again),
                cmocka_unit_test(an_exec_without_a_terminal_has_two_streams_and_input),
                cmocka_unit_test(a_terminal_has_a_size_and_takes_keys),
                cmocka_unit_test(a_log_is_read_after_the_end),
                cmocka_unit_test(a_log_is_followed_to_the_end_of_the_container),
                cmocka_unit_test(following_a_silent_log_ends_when_the_caller_stops),
                cmocka_unit_test(a_container_without_a_log_says_so),
        };

        return cmocka_run_group_tests_name("docker, real engine: streams", tests, real_sweep, real_sweep);
}
