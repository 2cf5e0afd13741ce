#include <stdlib.h>

#include "docker/runner/message.h"
#include "server/base/document.h"
#include "server/base/text.h"
#include "tests/cmocka.h"
#include "tests/runner/cases.h"

static const char good_start[] =
        "{\"version\":1,\"run\":\"r-1\",\"kind\":\"turn\",\"command\":[\"sh\",\"-c\",\"true\"],\"environment\":{\"A\":"
        "\"b\"},"
        "\"prompt\":null,\"promptOn\":\"fd3\",\"workdir\":\"/workspace\",\"uid\":1000,\"gid\":1000,\"stdout\":\"a/"
        "out\","
        "\"stderr\":\"a/err\",\"log\":null,\"timeLimitMs\":0,\"graceMs\":10,\"fileSizeLimit\":0}";

/* The good start message with one member changed, or left out when `value` is NULL. */
static char *altered(const char *name, const char *value)
{
        auto_json *document = json_loads(good_start, 0, NULL);

        if (value)
                json_object_set_new(document, name, json_loads(value, JSON_DECODE_ANY, NULL));
        else
                json_object_del(document, name);
        return document_print(document);
}

static void a_start_message_is_read_back_as_it_was_printed(void **state)
{
        auto_runner_start start = {0};
        auto_error error = {0};

        (void)state;
        assert_true(runner_start_parse(good_start, strlen(good_start), &start, &error));
        assert_string_equal(start.run, "r-1");
        assert_string_equal(start.command[2], "true");
        assert_null(start.command[3]);
        assert_string_equal(start.environment[0].value, "b");
        assert_null(start.prompt);
        assert_int_equal(start.prompt_on, RUNNER_PROMPT_ON_FD3);
        auto_free char *printed = runner_start_print(&start);
        auto_json *before = json_loads(good_start, 0, NULL), *after = json_loads(printed, 0, NULL);
        assert_true(json_equal(before, after));
}

static void a_bad_start_message_is_refused_by_the_name_of_its_member(void **state)
{
        static const struct {
                const char *name, *value;
        } rows[] = {
                {"version", "2"},
                {"version", NULL},
                {"run", "\"Ä\""},
                {"run", "\"../x\""},
                {"run", "\"\""},
                {"run", "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\""},
                {"run", "7"},
                {"kind", "\"a b\""},
                {"command", "[]"},
                {"command", "[\"sh\",1]"},
                {"command", "[\"\"]"},
                {"command", "\"sh\""},
                {"environment", "[]"},
                {"environment", "{\"A=\":\"b\"}"},
                {"environment", "{\"A\":1}"},
                {"prompt", "\"../x\""},
                {"prompt", "\"a/b\""},
                {"prompt", "\".x\""},
                {"prompt", "1"},
                {"promptOn", "\"argv\""},
                {"workdir", "\"workspace\""},
                {"workdir", "null"},
                {"uid", "0"},
                {"gid", "0"},
                {"uid", "-1"},
                {"uid", "1.5"},
                {"gid", "99999999999"},
                {"stdout", "\"/etc/passwd\""},
                {"stdout", "\"a/../../b\""},
                {"stderr", "\"\""},
                {"stderr", NULL},
                {"log", "\"a//b\""},
                {"timeLimitMs", "-1"},
                {"graceMs", "600001"},
                {"fileSizeLimit", "\"1\""},
                {"shell", "true"},
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
                auto_free char *message = altered(rows[i].name, rows[i].value);
                auto_free char *quoted = text_format("\"%s\"", rows[i].name);
                auto_runner_start start = {0};
                auto_error error = {0};
                assert_false(runner_start_parse(message, strlen(message), &start, &error));
                assert_int_equal(error.code, ERROR_INVALID_INPUT);
                if (!strstr(error.message, quoted))
                        fail_msg("%s does not name %s", error.message, quoted);
        }
}

static void a_start_message_has_limits(void **state)
{
        auto_text many = TEXT_WITH_MAXIMUM(1 << 20);
        auto_error error = {0};
        auto_runner_start start = {0};

        (void)state;
        for (int i = 0; i < 257; i++)
                text_printf(&many, "%s\"x\"", i ? "," : "[");
        text_append_string(&many, "]");
        auto_free char *long_command = altered("command", text_string(&many));
        assert_false(runner_start_parse(long_command, strlen(long_command), &start, &error));
        assert_int_equal(error.code, ERROR_INVALID_INPUT);

        auto_free char *large = calloc(1, RUNNER_START_MAXIMUM + 2);
        memset(large, ' ', RUNNER_START_MAXIMUM + 1);
        memcpy(large, good_start, strlen(good_start));
        assert_false(runner_start_parse(large, RUNNER_START_MAXIMUM + 1, &start, &error));
        assert_int_equal(error.code, ERROR_TOO_LARGE);
        assert_false(runner_start_parse("{", 1, &start, &error));
        assert_false(runner_start_parse("[]", 2, &start, &error));
        assert_false(runner_start_parse("", 0, &start, &error));
}

static void a_stop_message_is_read_strictly(void **state)
{
        struct runner_stop stop = {.run = "r-1", .reason = RUNNER_INTERRUPT, .grace = 5}, read = {0};
        auto_free char *printed = runner_stop_print(&stop);
        auto_error error = {0};
        static const char bad[] = "{\"version\":1,\"run\":\"r-1\",\"reason\":\"kill\",\"graceMs\":5}";

        (void)state;
        assert_true(runner_stop_parse(printed, strlen(printed), &read, &error));
        assert_int_equal(read.reason, RUNNER_INTERRUPT);
        assert_int_equal(read.grace, 5);
        assert_false(runner_stop_parse(bad, strlen(bad), &read, &error));
        assert_string_equal(error.message, "\"reason\" must be one of \"stop\", \"interrupt\"");
}

static void an_exit_record_may_end_in_blanks(void **state)
{
        struct runner_exit exit = {.run = "r", .reason = RUNNER_SIGNALED, .code = -1, .signal = 9}, read = {0};
        auto_free char *printed = runner_exit_print(&exit);
        char padded[RUNNER_EXIT_MAXIMUM];
        auto_error error = {0};

        (void)state;
        memset(padded, ' ', sizeof padded);
        memcpy(padded, printed, strlen(printed));
        assert_true(runner_exit_parse(padded, sizeof padded, &read, &error));
        assert_int_equal(read.code, -1);
        assert_int_equal(read.signal, 9);
        assert_string_equal(runner_reason_name(read.reason), "signaled");
        padded[sizeof padded - 1] = 'x';
        assert_false(runner_exit_parse(padded, sizeof padded, &read, &error));
}

static void an_exit_record_always_fits(void **state)
{
        struct runner_exit exit = {.run = "r", .reason = RUNNER_LAUNCH_FAILURE, .code = -1}, read;
        static const char fills[] = {'\x01', '\xff', 'x'};
        auto_error error = {0};

        (void)state;
        for (size_t i = 0; i < sizeof fills; i++) {
                memset(exit.message, fills[i], sizeof exit.message - 1);
                auto_free char *printed = runner_exit_print(&exit);
                assert_true(strlen(printed) <= RUNNER_EXIT_MAXIMUM);
                assert_true(runner_exit_parse(printed, strlen(printed), &read, &error));
                assert_true(strlen(read.message) > 100);
        }
}

int message_cases(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_start_message_is_read_back_as_it_was_printed),
                cmocka_unit_test(a_bad_start_message_is_refused_by_the_name_of_its_member),
                cmocka_unit_test(a_start_message_has_limits),
                cmocka_unit_test(a_stop_message_is_read_strictly),
                cmocka_unit_test(an_exit_record_may_end_in_blanks),
                cmocka_unit_test(an_exit_record_always_fits),
        };

        return cmocka_run_group_tests_name("messages", tests, NULL, NULL);
}
