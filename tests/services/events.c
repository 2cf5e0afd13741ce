#include "tests/services/suites.h"
#include "tests/cmocka.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>

#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/event_log.h"

/* The event log of a turn, without a store. */

struct fixture {
        char records[64];
        char *output, *errors, *events;
        bool is_mounted;
};

static int set_up(void **state)
{
        struct fixture *fixture = memory_new(sizeof *fixture);
        auto_error error = {0};

        strcpy(fixture->records, "/tmp/longshore-events-XXXXXX");
        assert_non_null(mkdtemp(fixture->records));
        auto_free char *raw = path_join(fixture->records, "raw");
        assert_true(path_make_folder(raw, 0700, &error));
        fixture->output = path_join(raw, "turn-2.out");
        fixture->errors = path_join(raw, "turn-2.err");
        fixture->events = path_join(fixture->records, "debug-stream.jsonl");
        *state = fixture;
        return 0;
}

static int tear_down(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        if (fixture->is_mounted)
                assert_int_equal(umount(fixture->records), 0);
        assert_true(path_remove_tree(fixture->records, &error));
        free(fixture->output);
        free(fixture->errors);
        free(fixture->events);
        free(fixture);
        return 0;
}

static void append(const char *path, const char *bytes, size_t length)
{
        auto_fd file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

        assert_true(file >= 0);
        assert_int_equal(write(file, bytes, length), length);
}

static char *read_all(const char *path, size_t *length)
{
        struct text content = TEXT_WITH_MAXIMUM(1 << 24);
        auto_error error = {0};

        assert_true(path_read(path, content.maximum, &content, NULL, &error));
        *length = content.length;
        return text_take(&content);
}

static struct event_log *open_log(struct fixture *fixture)
{
        auto_error error = {0};
        struct event_log *log = event_log_open(fixture->records, 2, &stream_format_text, &error);

        if (!log)
                fail_msg("%s", error.message);
        return log;
}

/* What the log says: the texts of each role put together, and that its lines are whole and numbered in order. */
struct said {
        struct text user, assistant, errors, failures;
        size_t lines, user_lines, assistant_lines;
};

static void said_clear(struct said *said)
{
        text_clear(&said->user);
        text_clear(&said->assistant);
        text_clear(&said->errors);
        text_clear(&said->failures);
}
#define auto_said CLEANUP(said_clear) struct said

static void take_line(struct said *said, const json_t *line)
{
        const char *role = document_get_string(line, "role"), *type = document_get_string(line, "type");
        json_t *text = json_object_get(line, "text");
        struct text *to = &said->assistant;

        assert_int_equal(document_get_integer(line, "turn", 0), 2);
        assert_int_equal(document_get_integer(line, "seq", 0), ++said->lines);
        assert_non_null(document_get_string(line, "t"));
        if (!strcmp(role, "user")) {
                to = &said->user;
                said->user_lines++;
        } else if (!strcmp(role, "system")) {
                to = !strcmp(type, "stderr") ? &said->errors : &said->failures;
        } else {
                assert_string_equal(role, "assistant");
                assert_string_equal(type, "text");
                said->assistant_lines++;
        }
        text_append(to, json_string_value(text), json_string_length(text));
}

static struct said read_log(struct fixture *fixture)
{
        struct said said = {.user = TEXT_WITH_MAXIMUM(1 << 24),
                            .assistant = TEXT_WITH_MAXIMUM(1 << 24),
                            .errors = TEXT_WITH_MAXIMUM(1 << 24),
                            .failures = TEXT_WITH_MAXIMUM(1 << 24)};
        auto_error error = {0};
        size_t length;
        auto_free char *content = read_all(fixture->events, &length);

        for (char *at = content, *end; at < content + length; at = end + 1) {
                end = strchr(at, '\n');
                assert_non_null(end);
                auto_json *line = document_parse(at, (size_t)(end - at), &error);
                assert_non_null(line);
                take_line(&said, line);
        }
        return said;
}

static char *long_text(size_t length, const char *pieces)
{
        struct text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        for (size_t i = 0; text.length < length; i++)
                text_printf(&text, "%s%zu", pieces, i);
        return text_take(&text);
}

static void what_is_printed_becomes_events_as_it_grows(void **state)
{
        struct fixture *fixture = *state;
        struct event_log *log = open_log(fixture);
        auto_error error = {0};
        bool is_more;

        assert_true(event_log_user(log, "do it", 1000, &error));
        assert_true(event_log_user(log, "do it", 1000, &error));
        assert_true(event_log_ingest(log, &is_more, &error));
        append(fixture->output, "one\ntw\xc3", 7);
        append(fixture->errors, "warning\n", 8);
        assert_true(event_log_ingest(log, &is_more, &error));
        auto_said early = read_log(fixture);
        assert_string_equal(text_string(&early.assistant), "one\ntw");
        append(fixture->output, "\xb6\n\xff\0.\xe2\x82", 7);
        assert_true(event_log_ingest(log, &is_more, &error));
        assert_true(event_log_finish(log, &error));
        assert_true(event_log_failure(log, "it failed", "unknown", &error));
        event_log_close(log);
        auto_said said = read_log(fixture);
        assert_string_equal(text_string(&said.user), "do it");
        assert_int_equal(said.user_lines, 1);
        assert_string_equal(text_string(&said.assistant),
                            "one\ntwö\n\xef\xbf\xbd\xef\xbf\xbd.\xef\xbf\xbd\xef\xbf\xbd");
        assert_string_equal(text_string(&said.errors), "warning\n");
        assert_string_equal(text_string(&said.failures), "it failed");
}

static void a_long_line_is_several_events_that_lose_nothing(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *line = long_text(200000, "äöü€"), *asked = long_text(20000, "ß");
        struct event_log *log = open_log(fixture);
        auto_error error = {0};

        append(fixture->output, line, strlen(line));
        assert_true(event_log_user(log, asked, 1000, &error));
        assert_true(event_log_finish(log, &error));
        event_log_close(log);
        auto_said said = read_log(fixture);
        assert_string_equal(text_string(&said.assistant), line);
        assert_string_equal(text_string(&said.user), asked);
        assert_true(said.assistant_lines >= 200000 / STREAM_EVENT_BYTES);
        assert_true(said.user_lines >= 3);
}

static void finish(struct fixture *fixture, const char *asked)
{
        struct event_log *log = open_log(fixture);
        auto_error error = {0};

        assert_true(event_log_user(log, asked, 1000, &error));
        assert_true(event_log_finish(log, &error));
        assert_true(event_log_failure(log, "it failed", "unknown", &error));
        event_log_close(log);
}

/* The server may die with any part of the log written. */
static void a_log_cut_anywhere_is_taken_up_without_loss_or_repetition(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *line = long_text(20000, "ä\n€"), *asked = long_text(9000, "ß\"");
        size_t length;

        append(fixture->output, line, strlen(line));
        append(fixture->errors, "first\nsecond\n", 13);
        finish(fixture, asked);
        auto_free char *whole = read_all(fixture->events, &length);
        for (size_t cut = 0; cut <= length; cut += cut < 300 || cut + 400 > length ? 7 : 509) {
                assert_int_equal(truncate(fixture->events, 0), 0);
                append(fixture->events, whole, cut);
                finish(fixture, asked);
                finish(fixture, asked);
                auto_said said = read_log(fixture);
                assert_string_equal(text_string(&said.user), asked);
                assert_string_equal(text_string(&said.assistant), line);
                assert_string_equal(text_string(&said.errors), "first\nsecond\n");
                assert_string_equal(text_string(&said.failures), "it failed");
        }
}

static void much_output_is_taken_up_a_piece_at_a_time(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *line = long_text(5000000, "äöü€");
        struct event_log *log = open_log(fixture);
        auto_error error = {0};
        bool is_more = true;
        int pieces = 0;

        append(fixture->output, line, strlen(line));
        for (; is_more; pieces++)
                assert_true(event_log_ingest(log, &is_more, &error));
        assert_true(pieces > 1);
        assert_true(event_log_finish(log, &error));
        event_log_close(log);
        auto_said said = read_log(fixture);
        assert_string_equal(text_string(&said.assistant), line);
}

static void other_turns_lines_are_left_alone(void **state)
{
        struct fixture *fixture = *state;
        static const char other[] = "{\"turn\":1,\"seq\":9,\"role\":\"user\",\"type\":\"text\",\"text\":\"x\","
                                    "\"outputOffset\":77,\"userOffset\":5}\n";
        size_t length;

        append(fixture->events, other, strlen(other));
        append(fixture->events, "no JSON at all\n", 15);
        append(fixture->output, "said", 4);
        finish(fixture, "asked");
        auto_free char *content = read_all(fixture->events, &length);
        assert_int_equal(strncmp(content, other, strlen(other)), 0);
        const char *ours = content + strlen(other) + 15;
        assert_non_null(strstr(ours, "\"seq\":1,"));
        assert_non_null(strstr(ours, "\"text\":\"asked\""));
        assert_non_null(strstr(ours, "\"text\":\"said\""));
}

static void a_full_disk_breaks_no_line_and_is_recovered_from(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *line = long_text(60000, "äb"), *raw = path_join(fixture->records, "raw"),
                       *filler = path_join(fixture->records, "filler"), *block = memory_new(4096);
        auto_error error = {0};
        bool is_more;

        if (mount("tmpfs", fixture->records, "tmpfs", 0, "size=262144"))
                skip();
        fixture->is_mounted = true;
        assert_true(path_make_folder(raw, 0700, &error));
        append(fixture->output, line, strlen(line));
        struct event_log *log = open_log(fixture);
        assert_true(event_log_user(log, "asked", 1000, &error));
        auto_fd file = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        while (write(file, block, 4096) == 4096)
                continue;
        assert_int_equal(errno, ENOSPC);
        off_t filled = lseek(file, 0, SEEK_END);
        assert_int_equal(ftruncate(file, filled - 2 * 4096), 0);
        assert_false(event_log_ingest(log, &is_more, &error));
        assert_int_equal(error.code, ERROR_STORE_FULL);
        event_log_close(log);
        auto_said partial = read_log(fixture);
        assert_true(partial.assistant.length < strlen(line));
        assert_int_equal(ftruncate(file, 0), 0);
        finish(fixture, "asked");
        auto_said said = read_log(fixture);
        assert_string_equal(text_string(&said.assistant), line);
        assert_string_equal(text_string(&said.user), "asked");
}

static void a_link_in_place_of_a_record_is_not_followed(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        assert_int_equal(symlink("/etc/passwd", fixture->output), 0);
        struct event_log *log = open_log(fixture);
        assert_false(event_log_finish(log, &error));
        event_log_close(log);
        assert_int_equal(unlink(fixture->events), 0);
        assert_int_equal(symlink("/tmp", fixture->events), 0);
        assert_null(event_log_open(fixture->records, 2, &stream_format_text, &error));
}

/* What this process has read so far. */
static int64_t bytes_read(void)
{
        auto_text text = TEXT_WITH_MAXIMUM(4096);
        auto_fd file = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
        char buffer[512];
        ssize_t got = read(file, buffer, sizeof buffer);

        assert_true(got > 7);
        assert_memory_equal(buffer, "rchar: ", 7);
        text_append(&text, buffer + 7, (size_t)got - 7);
        return strtoll(text_string(&text), NULL, 10);
}

static int64_t bytes_read_to_open(struct fixture *fixture)
{
        int64_t before = bytes_read();

        event_log_close(open_log(fixture));
        return bytes_read() - before;
}

static void fill_log(struct fixture *fixture, int64_t ordinal, size_t lines)
{
        auto_text text = TEXT_WITH_MAXIMUM(1 << 26);

        for (size_t i = 0; i < lines; i++)
                text_printf(&text,
                            "{\"turn\":%d,\"seq\":%zu,\"role\":\"user\",\"type\":\"text\",\"text\":\"%0200d\"}\n",
                            (int)ordinal, i, 7);
        append(fixture->events, text_string(&text), text.length);
}

static void a_log_is_opened_by_its_end_however_large_it_is(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *line = long_text(5000000, "a line\n");
        auto_error error = {0};
        bool is_more = true;

        fill_log(fixture, 1, 20000);
        struct event_log *log = event_log_open(fixture->records, 1, &stream_format_text, &error);
        assert_non_null(log);
        event_log_close(log);
        /* What earlier turns wrote. */
        assert_in_range(bytes_read_to_open(fixture), 1, 20000);
        /* What the turn itself wrote, before its server died. */
        append(fixture->output, line, strlen(line));
        log = open_log(fixture);
        while (is_more)
                assert_true(event_log_ingest(log, &is_more, &error));
        event_log_close(log);
        assert_in_range(bytes_read_to_open(fixture), 1, 1500000);
        assert_in_range(bytes_read_to_open(fixture), 1, 20000);
}

static void a_place_that_is_torn_or_of_another_log_says_nothing(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *place = path_join(fixture->records, "debug-stream.place");
        size_t length;

        append(fixture->output, "said\n", 5);
        finish(fixture, "asked");
        event_log_close(open_log(fixture));
        for (off_t at = 0; at < 120; at += 5) {
                auto_fd file = open(place, O_RDWR | O_CLOEXEC);
                unsigned char byte;
                assert_int_equal(pread(file, &byte, 1, at), 1);
                byte ^= 0x15;
                assert_int_equal(pwrite(file, &byte, 1, at), 1);
                finish(fixture, "asked");
        }
        assert_int_equal(truncate(place, 30), 0);
        finish(fixture, "asked");
        auto_said said = read_log(fixture);
        assert_int_equal(said.lines, 3);
        /* Another log that is longer. */
        assert_int_equal(unlink(fixture->events), 0);
        fill_log(fixture, 1, 10);
        finish(fixture, "asked");
        auto_free char *content = read_all(fixture->events, &length);
        assert_non_null(strstr(content, "\"text\":\"said"));
}

/* The summary's reply ends as the text does and holds so many characters of it at least; NULL: nothing was said. */
static void check_reply(const struct fixture *fixture, const char *whole, int64_t characters)
{
        auto_stream_summary summary = {0};
        auto_error error = {0};
        int64_t at;

        stream_summary_init(&summary, characters);
        assert_true(event_log_summary(fixture->records, 2, &stream_format_text, &summary, &at, &error));
        assert_int_equal(summary.reply_characters, whole ? utf8_count(whole, strlen(whole)) : 0);
        if (!whole)
                return;
        assert_true(utf8_count(summary.reply.data, summary.reply.length) >= (size_t)characters);
        assert_string_equal(summary.reply.data, whole + strlen(whole) - summary.reply.length);
        assert_true(at > 0);
}

static void the_reply_is_the_end_of_what_was_printed(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *line = long_text(3000000, "ä€");

        check_reply(fixture, NULL, 10);
        append(fixture->output, "", 0);
        check_reply(fixture, NULL, 10);
        append(fixture->output, line, strlen(line));
        for (int64_t maximum = 1; maximum < 1000000; maximum *= 9)
                check_reply(fixture, line, maximum);
}

static void when_the_agent_spoke_last_is_known_after_a_restart(void **state)
{
        struct fixture *fixture = *state;
        struct event_log *log = open_log(fixture);
        auto_error error = {0};
        bool is_more;

        append(fixture->errors, "no reply\n", 9);
        assert_true(event_log_ingest(log, &is_more, &error));
        assert_int_equal(event_log_said_at(log), 0);
        append(fixture->output, "a reply\n", 8);
        assert_true(event_log_ingest(log, &is_more, &error));
        int64_t said_at = event_log_said_at(log);
        assert_true(said_at > 0);
        event_log_close(log);
        /* Once from the log itself, then from the place that the first time noted. */
        for (int i = 0; i < 2; i++) {
                log = open_log(fixture);
                assert_int_equal(event_log_said_at(log), said_at);
                event_log_close(log);
        }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int run_event_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(what_is_printed_becomes_events_as_it_grows),
                TEST(a_long_line_is_several_events_that_lose_nothing),
                TEST(a_log_cut_anywhere_is_taken_up_without_loss_or_repetition),
                TEST(when_the_agent_spoke_last_is_known_after_a_restart),
                TEST(much_output_is_taken_up_a_piece_at_a_time),
                TEST(other_turns_lines_are_left_alone),
                TEST(a_full_disk_breaks_no_line_and_is_recovered_from),
                TEST(a_log_is_opened_by_its_end_however_large_it_is),
                TEST(a_place_that_is_torn_or_of_another_log_says_nothing),
                TEST(a_link_in_place_of_a_record_is_not_followed),
                TEST(the_reply_is_the_end_of_what_was_printed),
        };

        return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
