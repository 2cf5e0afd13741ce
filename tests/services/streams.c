/* The stream readers, on streams as the programs print them. Those of Claude Code, Codex and Gemini CLI were recorded
 * from the real programs (shortened); those of Grok and Kimi were written by hand from their documentation. */
#include "tests/services/suites.h"

#include "tests/cmocka.h"

#include <string.h>

#include "server/base/clock.h"
#include "server/services/stream_error.h"
#include "server/services/stream_summary.h"

/* Everything that came out, one line an event: "role type [fields] text". */
struct collected {
        struct text lines;
        uint64_t offset;
        unsigned part;
        size_t stop_after, count;
        struct stream_summary summary;
};

static void add(struct text *out, const char *name, const char *value)
{
        if (value)
                text_printf(out, " %s=%s", name, value);
}

static void collect(const struct stream_event *event, void *context)
{
        struct collected *collected = context;
        struct text *out = &collected->lines;

        stream_summary_take(event, &collected->summary);
        if (!event->type || (collected->stop_after && collected->count == collected->stop_after))
                return;
        collected->count++;
        collected->offset = event->offset;
        collected->part = event->part;
        text_printf(out, "%s %s", event->role, event->type);
        add(out, "tool", event->tool);
        add(out, "id", event->tool_use_id);
        add(out, "command", event->command);
        if (event->paths)
                add(out, "path", json_string_value(json_array_get(event->paths, 0)));
        add(out, "category", event->category);
        text_printf(out, "%s%s %.*s\n", event->is_error ? " failed" : "", event->is_fatal ? " fatal" : "",
                    (int)event->length, event->text ? event->text : "");
}

static void feed(const struct stream_format *format, const char *bytes, size_t length, size_t piece,
                 struct collected *collected)
{
        size_t from = collected->offset;
        void *reader = format->begin(&(struct stream_start){.role = "assistant",
                                                            .type = "text",
                                                            .offset = collected->offset,
                                                            .part = collected->part,
                                                            .sink = collect,
                                                            .context = collected});

        for (size_t at = from; at < length; at += piece)
                format->feed(reader, bytes + at, length - at < piece ? length - at : piece);
        format->end(reader);
        format->free(reader);
}

static void init(struct collected *collected)
{
        *collected = (struct collected){.lines = TEXT_WITH_MAXIMUM(64 * 1024 * 1024)};
        stream_summary_init(&collected->summary, 1000);
}

static void clear(struct collected *collected)
{
        text_clear(&collected->lines);
        stream_summary_clear(&collected->summary);
}
#define auto_collected CLEANUP(clear) struct collected

/* Reads the stream whole, in small pieces, and from every place where an earlier reader may have stopped: always the
 * same comes out. */
static void check_stream(const char *format, const char *stream, const char *wanted, struct collected *collected)
{
        const struct stream_format *row = stream_format_find(format);
        size_t length = strlen(stream);
        auto_collected pieces;

        assert_string_equal(row->name, format);
        init(collected);
        feed(row, stream, length, SIZE_MAX / 2, collected);
        assert_string_equal(text_string(&collected->lines), wanted);
        init(&pieces);
        feed(row, stream, length, 7, &pieces);
        assert_string_equal(text_string(&pieces.lines), wanted);
        for (size_t stop = 1; stop <= collected->count; stop++) {
                auto_collected resumed;
                init(&resumed);
                resumed.stop_after = stop;
                feed(row, stream, length, 100, &resumed);
                resumed.stop_after = 0;
                feed(row, stream, length, 100, &resumed);
                assert_string_equal(text_string(&resumed.lines), wanted);
        }
}

static void claude_is_read(void **state)
{
        static const char stream[] =
                "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\",\"tools\":[\"Bash\"]}\n"
                "{\"type\":\"assistant\",\"message\":{\"model\":\"m\",\"content\":[{\"type\":\"thinking\",\"thinking\":"
                "\"Hm\"},"
                "{\"type\":\"text\",\"text\":\"I "
                "look.\"},{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Bash\",\"input\":"
                "{\"command\":\"ls\"}}]},\"session_id\":\"s-1\",\"parent_tool_use_id\":null}\n"
                "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"tool_use_id\":\"t1\",\"type\":"
                "\"tool_result\","
                "\"content\":\"a\\u0000b\",\"is_error\":true}]}}\n"
                "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"of a helper\"}]},"
                "\"parent_tool_use_id\":\"t1\"}\n"
                "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"t2\",\"name\":"
                "\"Edit\",\"input\":"
                "{\"file_path\":\"/workspace/x\"}}]}}\n"
                "\n"
                "not JSON at all\n"
                "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"Done.\"}]}}\n"
                "{\"session_id\":\"s-2\",\"total_cost_usd\":0.0015645,\"usage\":{\"input_tokens\":200,"
                "\"cache_creation_input_tokens\":14,\"cache_read_input_tokens\":40,\"output_tokens\":60},\"is_error\":"
                "false,"
                "\"subtype\":\"success\",\"result\":\"Done.\",\"type\":\"result\"}";
        auto_collected collected;

        (void)state;
        check_stream("claude-json", stream,
                     "assistant thinking Hm\n"
                     "assistant text I look.\n"
                     "assistant tool_call tool=Bash id=t1 command=ls {\"command\":\"ls\"}\n"
                     "tool tool_result id=t1 failed a\xef\xbf\xbd"
                     "b\n"
                     "tool text of a helper\n"
                     "assistant tool_call tool=Edit id=t2 path=/workspace/x {\"file_path\":\"/workspace/x\"}\n"
                     "system raw not JSON at all\n\n"
                     "assistant text Done.\n"
                     "system usage \n",
                     &collected);
        assert_string_equal(collected.summary.session, "s-2");
        assert_string_equal(text_string(&collected.summary.reply), "Done.");
        assert_int_equal(collected.summary.usage.input, 200);
        assert_int_equal(collected.summary.usage.cache_write, 14);
        assert_int_equal(collected.summary.usage.cost_micros, 1565);
        assert_true(collected.summary.usage.is_cost_of_conversation && !collected.summary.usage.is_conversation);
        assert_false(collected.summary.is_failed);
}

static void claude_tells_its_provider_s_refusals(void **state)
{
        static const char stream[] =
                "{\"type\":\"assistant\",\"message\":{\"model\":\"<synthetic>\",\"content\":[{\"type\":\"text\","
                "\"text\":\"API Error: "
                "Request rejected (429)\"}]},\"error\":\"rate_limit\",\"is_api_error_message\":true,\"api_error_type\":"
                "\"rate_limit_error\"}\n"
                "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\",\"resetsAt\":4102444800,"
                "\"rateLimitType\":\"five_hour\"}}\n"
                "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"api_error_type\":\"rate_limit_"
                "error\","
                "\"result\":\"API Error: Request rejected (429)\"}\n";
        auto_collected collected;

        (void)state;
        check_stream("claude-json", stream,
                     "system error category=rate_limit fatal API Error: Request rejected (429)\n"
                     "system error category=rate_limit The account's usage limit is reached (five_hour).\n"
                     "system error category=rate_limit fatal API Error: Request rejected (429)\n",
                     &collected);
        assert_true(collected.summary.is_failed);
        assert_int_equal(collected.summary.resets_at, 4102444800000);
        assert_int_equal(collected.summary.reply_characters, 0);
        assert_string_equal(stream_summary_cause(&collected.summary)->type, "rate_limit_error");
}

static void codex_is_read(void **state)
{
        static const char stream[] =
                "{\"type\":\"thread.started\",\"thread_id\":\"th-1\"}\n{\"type\":\"turn.started\"}\n"
                "{\"type\":\"item.completed\",\"item\":{\"id\":\"i0\",\"type\":\"reasoning\",\"text\":\"Hm\"}}\n"
                "{\"type\":\"item.completed\",\"item\":{\"id\":\"i1\",\"type\":\"agent_message\",\"text\":\"I "
                "look.\"}}\n"
                "{\"type\":\"item.started\",\"item\":{\"id\":\"i2\",\"type\":\"command_execution\",\"command\":\"bash "
                "-lc ls\","
                "\"aggregated_output\":\"\",\"exit_code\":null,\"status\":\"in_progress\"}}\n"
                "{\"type\":\"item.completed\",\"item\":{\"id\":\"i2\",\"type\":\"command_execution\",\"command\":"
                "\"bash -lc ls\","
                "\"aggregated_output\":\"x\\n\",\"exit_code\":2,\"status\":\"failed\"}}\n"
                "{\"type\":\"item.completed\",\"item\":{\"id\":\"i3\",\"type\":\"file_change\",\"changes\":[{\"path\":"
                "\"/w/a\",\"kind\":"
                "\"add\"}],\"status\":\"completed\"}}\n"
                "{\"type\":\"item.started\",\"item\":{\"id\":\"i4\",\"type\":\"mcp_tool_call\",\"server\":\"echo\","
                "\"tool\":\"say\","
                "\"arguments\":{\"word\":\"x\"}}}\n"
                "{\"type\":\"item.completed\",\"item\":{\"id\":\"i4\",\"type\":\"mcp_tool_call\",\"server\":\"echo\","
                "\"tool\":\"say\","
                "\"arguments\":{\"word\":\"x\"},\"error\":{\"message\":\"no\"},\"status\":\"failed\"}}\n"
                "{\"type\":\"item.completed\",\"item\":{\"id\":\"i5\",\"type\":\"error\",\"message\":\"Model metadata "
                "not found.\"}}\n"
                "{\"type\":\"item.completed\",\"item\":{\"id\":\"i6\",\"type\":\"agent_message\",\"text\":\"One.\"}}\n"
                "{\"type\":\"item.completed\",\"item\":{\"id\":\"i7\",\"type\":\"agent_message\",\"text\":\"Two.\"}}\n"
                "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":240,\"cached_input_tokens\":40,\"output_"
                "tokens\":60}}\n";
        auto_collected collected;

        (void)state;
        check_stream("codex-json", stream,
                     "assistant thinking Hm\n"
                     "assistant text I look.\n"
                     "assistant tool_call tool=shell id=i2 command=bash -lc ls bash -lc ls\n"
                     "tool tool_result tool=shell id=i2 command=bash -lc ls failed x\n\n"
                     "assistant tool_call tool=apply_patch id=i3 path=/w/a [{\"path\":\"/w/a\",\"kind\":\"add\"}]\n"
                     "tool tool_result tool=apply_patch id=i3 path=/w/a done\n"
                     "assistant tool_call tool=say id=i4 {\"word\":\"x\"}\n"
                     "tool tool_result tool=say id=i4 failed no\n"
                     "system error category=unknown Model metadata not found.\n"
                     "assistant text One.\nassistant text Two.\n"
                     "system usage \n",
                     &collected);
        assert_string_equal(collected.summary.session, "th-1");
        assert_string_equal(text_string(&collected.summary.reply), "One.\n\nTwo.");
        assert_int_equal(collected.summary.usage.input, 200);
        assert_int_equal(collected.summary.usage.cache_read, 40);
        assert_true(collected.summary.usage.is_conversation);
        assert_false(collected.summary.is_failed);
}

static void codex_tells_a_usage_limit_and_when_it_ends(void **state)
{
        static const char stream[] =
                "{\"type\":\"error\",\"message\":\"You’ve hit your usage limit. Try again in 1 hour 30 minutes.\"}\n"
                "{\"type\":\"turn.failed\",\"error\":{\"message\":\"You’ve hit your usage limit. Try again in 1 hour "
                "30 "
                "minutes.\"}}\n";
        int64_t from = clock_now();
        auto_collected collected;

        (void)state;
        check_stream("codex-json", stream,
                     "system error category=rate_limit You’ve hit your usage limit. Try again in 1 hour 30 minutes.\n"
                     "system error category=rate_limit fatal You’ve hit your usage limit. Try again in 1 hour 30 "
                     "minutes.\n",
                     &collected);
        assert_true(collected.summary.is_failed);
        assert_int_equal(collected.summary.failure_count, 1);
        assert_in_range(collected.summary.resets_at, from + 5400000, clock_now() + 5400000);
}

/* What a program ends its turn with, in each of its manners. */
static const struct {
        const char *format, *stream, *wanted;
        bool is_failed, is_over;
} ends[] = {
        {"codex-json", "{\"type\":\"turn.completed\"}\n", "", false, true},
        {"codex-json", "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"Hm\"}}\n",
         "assistant text Hm\n", false, false},
        {"codex-json", "{\"type\":\"turn.failed\"}\n",
         "system error category=unknown fatal The agent told of a failure without saying which.\n", true, true},
        {"codex-json", "{\"type\":\"turn.failed\",\"error\":{\"message\":\"\"}}\n",
         "system error category=unknown fatal The agent told of a failure without saying which.\n", true, true},
        {"gemini-json", "{\"type\":\"result\",\"status\":\"success\"}\n", "", false, true},
        {"gemini-json", "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"Hm\"}\n", "assistant text Hm\n",
         false, false},
        {"gemini-json", "{\"type\":\"result\",\"status\":\"error\"}\n",
         "system error category=unknown fatal The agent told of a failure without saying which.\n", true, true},
        {"claude-json", "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false}\n", "", false, true},
        {"claude-json", "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"Hm\"}]}}\n",
         "assistant text Hm\n", false, false},
        {"claude-json", "{\"type\":\"result\",\"subtype\":\"\",\"is_error\":true,\"result\":\"\"}\n",
         "system error category=unknown fatal the agent failed\n", true, true},
        {"claude-json", "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"result\":\"\"}\n",
         "system error category=unknown fatal the agent failed\n", true, true},
};

static void a_failure_without_words_is_one_and_an_end_is_known_from_none(void **state)
{
        (void)state;
        for (size_t i = 0; i < COUNT_OF(ends); i++) {
                auto_collected collected;
                check_stream(ends[i].format, ends[i].stream, ends[i].wanted, &collected);
                assert_int_equal(collected.summary.is_failed, ends[i].is_failed);
                assert_int_equal(collected.summary.is_over, ends[i].is_over);
                assert_int_equal(collected.summary.failure_count, ends[i].is_failed);
        }
}

static void a_line_that_is_too_long_to_be_read_may_have_been_the_end(void **state)
{
        auto_text stream = TEXT_WITH_MAXIMUM(4 * 1024 * 1024);
        auto_collected collected;

        (void)state;
        text_append_string(&stream, "{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"");
        for (size_t i = 0; i < 1100 * 1024; i++)
                text_append(&stream, "x", 1);
        text_append_string(&stream, "\"}\n");
        init(&collected);
        feed(&stream_format_claude, stream.data, stream.length, 65536, &collected);
        assert_true(collected.summary.is_over);
}

static void gemini_is_read(void **state)
{
        static const char stream[] =
                "{\"type\":\"init\",\"session_id\":\"g-1\",\"model\":\"auto\"}\n"
                "{\"type\":\"message\",\"role\":\"user\",\"content\":\"RUN\"}\n"
                "{\"type\":\"tool_use\",\"tool_name\":\"run_shell_command\",\"tool_id\":\"c1\",\"parameters\":{"
                "\"command\":\"ls\"}}\n"
                "{\"type\":\"tool_result\",\"tool_id\":\"c1\",\"status\":\"error\",\"error\":{\"message\":\"denied\"}}"
                "\n"
                "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"It \",\"delta\":true}\n"
                "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"said\",\"delta\":true}\n"
                "{\"type\":\"result\",\"status\":\"error\",\"error\":{\"type\":\"unknown\",\"message\":\"[API Error: "
                "API key not "
                "valid.]\"},\"stats\":{\"input_tokens\":220,\"output_tokens\":60,\"cached\":20}}\n";
        auto_collected collected;

        (void)state;
        check_stream("gemini-json", stream,
                     "assistant tool_call tool=run_shell_command id=c1 command=ls {\"command\":\"ls\"}\n"
                     "tool tool_result id=c1 failed denied\n"
                     "assistant text It \nassistant text said\n"
                     "system usage \n"
                     "system error category=auth fatal [API Error: API key not valid.]\n",
                     &collected);
        assert_string_equal(collected.summary.session, "g-1");
        assert_string_equal(text_string(&collected.summary.reply), "It said");
        assert_int_equal(collected.summary.usage.input, 200);
        assert_true(collected.summary.is_failed);
}

static void kimi_is_read(void **state)
{
        static const char stream[] =
                "{\"role\":\"assistant\",\"content\":[{\"type\":\"think\",\"think\":\"Hm\"},{\"type\":\"text\","
                "\"text\":\"I look.\"}],"
                "\"tool_calls\":[{\"type\":\"function\",\"id\":\"tc_1\",\"function\":{\"name\":\"Shell\",\"arguments\":"
                "\"{\\\"command\\\":\\\"ls\\\"}\"}}]}\n"
                "{\"role\":\"tool\",\"tool_call_id\":\"tc_1\",\"content\":\"file1.py\"}\n"
                "{\"role\":\"assistant\",\"content\":\"One file.\"}\n"
                "{\"role\":\"meta\",\"type\":\"session.resume_hint\",\"session_id\":\"k-1\",\"content\":\"To "
                "resume\"}\n";
        auto_collected collected;

        (void)state;
        check_stream("chat-json", stream,
                     "assistant thinking Hm\n"
                     "assistant text I look.\n"
                     "assistant tool_call tool=Shell id=tc_1 command=ls {\"command\":\"ls\"}\n"
                     "tool tool_result id=tc_1 file1.py\n"
                     "assistant text One file.\n",
                     &collected);
        assert_string_equal(collected.summary.session, "k-1");
        assert_string_equal(text_string(&collected.summary.reply), "One file.");
}

static void a_line_too_long_to_be_parsed_is_raw_and_the_next_is_read(void **state)
{
        auto_text stream = TEXT_WITH_MAXIMUM(16 * 1024 * 1024);
        auto_collected collected;

        (void)state;
        text_append_string(&stream, "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"");
        for (size_t i = 0; i < 300000; i++)
                text_append_string(&stream, "ä€\xff");
        text_append_string(
                &stream, "\"}]}}\n{\"type\":\"system\",\"session_id\":\"after\"}\n"
                         "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"on\"}]}}\n");
        init(&collected);
        feed(&stream_format_claude, stream.data, stream.length, 65536, &collected);
        assert_int_equal(collected.offset, stream.length);
        assert_true(collected.count > 200);
        assert_string_equal(collected.summary.session, "after");
        assert_string_equal(text_string(&collected.summary.reply), "on");
}

static void a_long_text_is_several_events_whose_pieces_make_it_up(void **state)
{
        auto_text stream = TEXT_WITH_MAXIMUM(16 * 1024 * 1024);
        auto_collected collected, resumed;

        (void)state;
        text_append_string(&stream, "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"");
        for (size_t i = 0; i < 20000; i++)
                text_append_string(&stream, "ä€");
        text_append_string(&stream, "\"}]}}\n");
        init(&collected);
        feed(&stream_format_claude, stream.data, stream.length, 65536, &collected);
        assert_true(collected.count > 10);
        assert_int_equal(collected.summary.reply_characters, 40000);
        init(&resumed);
        resumed.stop_after = 5;
        feed(&stream_format_claude, stream.data, stream.length, 65536, &resumed);
        assert_int_equal(resumed.part, 5);
        assert_int_equal(resumed.offset, 0);
        resumed.stop_after = 0;
        feed(&stream_format_claude, stream.data, stream.length, 65536, &resumed);
        assert_string_equal(text_string(&resumed.lines), text_string(&collected.lines));
}

static void errors_have_the_category_of_their_words(void **state)
{
        static const struct {
                const char *type, *message, *category;
        } cases[] = {
                {NULL, "unexpected status 401 Unauthorized: Incorrect API key provided", "auth"},
                {NULL, "OAuth access token has been revoked", "auth"},
                {"rate_limit_error", "slow down", "rate_limit"},
                {NULL, "You have exhausted your daily quota on this model.", "rate_limit"},
                {NULL, "exceeded retry limit, last status: 429 Too Many Requests", "rate_limit"},
                {NULL, "connection to 10.0.0.1:4290 refused", "unknown"},
                {NULL, "port 14291, code a429b", "unknown"},
                {NULL, "request timed out", "timeout"},
                {NULL, "Internal server error", "unknown"},
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(cases); i++)
                assert_string_equal(stream_error_category(cases[i].type, cases[i].message), cases[i].category);
}

static void the_end_of_a_limit_is_read_from_its_words(void **state)
{
        const int64_t now = 1796054400000; /* 16:00 of a day, UTC */
        static const struct {
                const char *message;
                int64_t wait;
        } cases[] = {
                {"try again in 3 days 2 hours 5 minutes.", ((3 * 24 + 2) * 60 + 5) * 60000LL},
                {"Please retry in 34.5s.", 34500},
                {"or try again at 4:47 PM.", 47 * 60000LL},
                {"You've hit your session limit · resets 3pm (UTC)", 23 * 3600000LL},
                {"resets at 12am", 8 * 3600000LL},
                {"or try again at Dec 1st, 2026 12:08 AM.", (8 * 60 + 8) * 60000LL},
                {"try again at December 2nd, 2026 at 4 PM", 48 * 3600000LL},
                {"resets Dec 1 at 5pm", 25 * 3600000LL},
                {"resets Nov 29, 4pm", 364 * 86400000LL},
                {"try again at Dec 40th, 2026 1 AM", 0},
                {"try again at Dec 1st, 2026", 0},
                {"try again later", 0},
                {"try again at noon", 0},
                {"|12", 0},
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(cases); i++)
                assert_int_equal(stream_error_resets_at(cases[i].message, now),
                                 cases[i].wait ? now + cases[i].wait : 0);
        assert_int_equal(stream_error_resets_at("Claude AI usage limit reached|4102444800", now), 4102444800000);
}

int run_stream_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(claude_is_read),
                cmocka_unit_test(claude_tells_its_provider_s_refusals),
                cmocka_unit_test(codex_is_read),
                cmocka_unit_test(codex_tells_a_usage_limit_and_when_it_ends),
                cmocka_unit_test(a_failure_without_words_is_one_and_an_end_is_known_from_none),
                cmocka_unit_test(a_line_that_is_too_long_to_be_read_may_have_been_the_end),
                cmocka_unit_test(gemini_is_read),
                cmocka_unit_test(kimi_is_read),
                cmocka_unit_test(a_line_too_long_to_be_parsed_is_raw_and_the_next_is_read),
                cmocka_unit_test(a_long_text_is_several_events_whose_pieces_make_it_up),
                cmocka_unit_test(errors_have_the_category_of_their_words),
                cmocka_unit_test(the_end_of_a_limit_is_read_from_its_words),
        };

        return cmocka_run_group_tests_name("streams", tests, NULL, NULL);
}
