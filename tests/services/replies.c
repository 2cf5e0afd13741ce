#include "tests/services/suites.h"
#include "tests/services/world.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "server/base/clock.h"
#include "server/base/path.h"
#include "server/services/runtime_parts.h"
#include "server/services/task_paths.h"

/* What get_task tells: the task, the latest reply, the failure, the output. */

#define RESULT_CEILING 512000

static size_t characters(const char *text)
{
        return utf8_count(text, strlen(text));
}

static size_t printed_characters(const json_t *result)
{
        auto_free char *printed = document_print(result);

        return characters(printed);
}

static char *ended(struct world *world, const char *output)
{
        char *id = world_task(world, world->dev, "main", "x");

        world_end(world, id, output, RUNNER_EXITED, 0);
        return id;
}

static char *repeated(const char *piece, size_t count)
{
        struct text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        for (size_t i = 0; i < count; i++)
                text_append_string(&text, piece);
        return text_take(&text);
}

static void every_member_of_a_task_is_told(void **state)
{
        struct world *world = *state;
        auto_error error = {0};
        auto_json *made = must(world_create(
                world, world->dev, NEW_TASK(.environment = "main", .instructions = "x", .name = "Näme"), &error));
        const char *id = member(made, "taskId");
        auto_json *task = GET(world->dev, .taskId = id);
        static const char *const nulls[] = {"model",      "reasoningEffort", "speed",           "groupId",
                                            "finishedAt", "exitCode",        "pinSnoozedUntil", "pinSnoozedUntilForMe",
                                            "approvedBy", "latestResponse"};
        static const char *const falses[] = {"isPinned",        "isSnoozed", "pinnedForMe", "snoozedForMe",
                                             "pinFollowedByMe", "isWinner",  "isLoser"};

        assert_string_equal(member(task, "taskId"), id);
        assert_string_equal(member(task, "name"), "Näme");
        assert_string_equal(member(task, "environment"), "main");
        assert_string_equal(member(task, "status"), "running");
        assert_string_equal(member(task, "taskType"), "manual");
        assert_string_equal(member(task, "agent"), "shell");
        assert_string_equal(member(task, "source"), "mcp");
        assert_string_equal(member(json_object_get(task, "createdBy"), "id"), world->dev->user_id);
        assert_string_equal(member(json_object_get(task, "createdBy"), "name"), "dev");
        assert_int_equal(strlen(member(task, "createdAt")), strlen("2026-01-31T12:00:00.000Z"));
        member(task, "startedAt");
        member(task, "url");
        assert_int_equal(document_get_integer(task, "followUpCount", -1), 0);
        assert_int_equal(json_object_size(json_object_get(task, "branches")), 0);
        assert_true(json_is_true(json_object_get(task, "shared")));
        assert_null(json_object_get(task, "pinFollowVersionForMe"));
        json_t *usage = json_object_get(task, "usage");
        assert_int_equal(document_get_integer(usage, "inputTokens", -1), 0);
        assert_true(json_is_real(json_object_get(usage, "costUsd")));
        for (size_t i = 0; i < COUNT_OF(nulls); i++)
                if (!json_is_null(json_object_get(task, nulls[i])))
                        fail_msg("%s is not null", nulls[i]);
        for (size_t i = 0; i < COUNT_OF(falses); i++)
                if (!json_is_false(json_object_get(task, falses[i])))
                        fail_msg("%s is not false", falses[i]);
        static const char *const absent[] = {"failure", "summary", "output", "endReason"};
        for (size_t i = 0; i < COUNT_OF(absent); i++)
                assert_null(json_object_get(task, absent[i]));
}

static void pins_are_the_viewers_and_the_creators(void **state)
{
        struct world *world = *state;
        auto_free char *id = ended(world, "");

        world_sql(world, "INSERT INTO pins (user, task, is_pinned, snoozed_until, version) "
                         "SELECT u.rid, t.rid, 1, 4102444800000, 7 FROM users u, tasks t WHERE u.name = 'viewer'");
        auto_json *viewers = GET(world->viewer, .taskId = id), *creators = GET(world->dev, .taskId = id);
        assert_true(json_is_true(json_object_get(viewers, "pinnedForMe")));
        assert_true(json_is_true(json_object_get(viewers, "pinFollowedByMe")));
        assert_true(json_is_true(json_object_get(viewers, "snoozedForMe")));
        assert_string_equal(member(viewers, "pinSnoozedUntilForMe"), "2100-01-01T00:00:00.000Z");
        assert_int_equal(document_get_integer(viewers, "pinFollowVersionForMe", 0), 7);
        assert_true(json_is_false(json_object_get(viewers, "isPinned")));
        assert_true(json_is_false(json_object_get(creators, "pinnedForMe")));
        world_sql(world, "UPDATE pins SET user = (SELECT rid FROM users WHERE name = 'dev')");
        auto_json *again = GET(world->viewer, .taskId = id);
        assert_true(json_is_true(json_object_get(again, "isPinned")));
        assert_true(json_is_true(json_object_get(again, "isSnoozed")));
        assert_true(json_is_false(json_object_get(again, "pinnedForMe")));
}

static void the_time_of_a_reply_is_not_that_of_what_was_printed_behind_it(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x"), *records = task_path_records(world->root, id),
                       *output = path_join(records, "raw/turn-1.out");
        auto_store_turn turn = world_turn(world, id);
        int64_t late = clock_now() + 3600000, told;
        struct timespec times[2] = {{.tv_sec = late / 1000}, {.tv_sec = late / 1000}};
        struct turn_outcome outcome;
        auto_error error = {0};

        world_record_file(world, id, "raw/turn-1.out", "words\n", 6);
        assert_int_equal(utimensat(AT_FDCWD, output, times, 0), 0);
        turn_outcome_of_exit(&(struct runner_exit){.reason = RUNNER_EXITED, .finished_at = world->now}, &outcome);
        assert_true(turn_end(&world->runtime, &turn, &outcome, &error));
        auto_json *got = GET(world->dev, .taskId = id);
        assert_true(clock_parse(member(json_object_get(got, "latestResponse"), "timestamp"), &told));
        assert_in_range(told, 1, late - 1800000);
}

static void the_reply_is_what_was_printed_in_the_latest_turn_that_said_something(void **state)
{
        struct world *world = *state;
        auto_error error = {0};
        auto_free char *id = ended(world, "first words\n");
        auto_json *first = GET(world->dev, .taskId = id);
        json_t *reply = json_object_get(first, "latestResponse");

        assert_string_equal(member(reply, "content"), "first words\n");
        assert_true(json_is_false(json_object_get(reply, "truncated")));
        assert_null(json_object_get(reply, "truncatedBy"));
        assert_int_equal(document_get_integer(reply, "totalChars", 0), 12);
        assert_int_equal(document_get_integer(reply, "turnIndex", 0), 1);
        assert_int_equal(document_get_integer(reply, "followUpCount", -1), 0);
        assert_int_equal(document_get_integer(reply, "followUpsSince", -1), 0);
        assert_string_equal(member(reply, "path"), "debug-stream.jsonl");
        member(reply, "timestamp");
        auto_json *followed = must(world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = id, .instructions = "y"}, &error));
        auto_json *running = GET(world->dev, .taskId = id);
        reply = json_object_get(running, "latestResponse");
        assert_string_equal(member(reply, "content"), "first words\n");
        assert_int_equal(document_get_integer(reply, "followUpsSince", -1), 1);
        world_end(world, id, "second", RUNNER_EXITED, 0);
        auto_json *second = GET(world->dev, .taskId = id);
        reply = json_object_get(second, "latestResponse");
        assert_string_equal(member(reply, "content"), "second");
        assert_int_equal(document_get_integer(reply, "turnIndex", 0), 2);
        assert_int_equal(document_get_integer(reply, "followUpsSince", -1), 0);
        world_sql(world, "UPDATE tasks SET is_history_complete = 0");
        auto_json *incomplete = GET(world->dev, .taskId = id);
        reply = json_object_get(incomplete, "latestResponse");
        assert_true(json_is_null(json_object_get(reply, "followUpsSince")));
        struct call call = {.services = &world->services, .db = world->db, .actor = world->dev, .now = world->now};
        auto_json *without = NULL;
        assert_true(task_get(&call, &(struct task_get_input){.taskId = id}, &without, &error));
        assert_null(json_object_get(without, "latestResponse"));
}

static void a_long_reply_is_given_from_its_end_within_the_limit(void **state)
{
        struct world *world = *state;
        auto_free char *said = repeated("äöü€", 5000), *id = ended(world, said);

        for (int64_t maximum = 1; maximum < 90; maximum++) {
                auto_json *got = GET(world->dev, .taskId = id, .latestResponseMaxChars = maximum);
                json_t *reply = json_object_get(got, "latestResponse");
                const char *content = member(reply, "content");
                assert_true(utf8_is_valid(content, strlen(content)));
                assert_int_equal(characters(content), maximum);
                assert_true(json_is_true(json_object_get(reply, "truncated")));
                assert_string_equal(member(reply, "truncatedBy"), "maxChars");
                assert_int_equal(document_get_integer(reply, "totalChars", 0), 20000);
                assert_string_equal(content + strlen(content) - 3, "€");
        }
        auto_json *usual = GET(world->dev, .taskId = id);
        const char *content = member(json_object_get(usual, "latestResponse"), "content");
        assert_int_equal(characters(content), 12000);
        assert_non_null(strstr(content, "20,000"));
        auto_json *whole = GET(world->dev, .taskId = id, .latestResponseMaxChars = 20000);
        assert_string_equal(member(json_object_get(whole, "latestResponse"), "content"), said);
}

static void check_full(struct world *world, const char *said, bool is_small, struct task_get_input input)
{
        auto_free char *id = ended(world, said);
        auto_error error = {0};

        input.taskId = id;
        auto_json *got = must(world_get(world, world->dev, input, &error));
        json_t *reply = json_object_get(got, "latestResponse");
        const char *content = member(reply, "content");
        assert_true(printed_characters(got) <= RESULT_CEILING);
        assert_int_equal(document_get_integer(reply, "totalChars", 0), characters(said));
        if (is_small) {
                assert_string_equal(content, said);
                return;
        }
        assert_string_equal(member(reply, "truncatedBy"), "resultLimit");
        assert_string_equal(content + strlen(content) - 100, said + strlen(said) - 100);
        assert_true(printed_characters(got) > RESULT_CEILING * 9 / 10);
}

static void a_reply_too_large_for_a_result_is_given_as_far_as_there_is_room(void **state)
{
        struct world *world = *state;
        auto_free char *large = repeated("0123456789", 60000), *wide = repeated("€", 600000),
                       *quotes = repeated("\"\\\n", 200000), *controls = repeated("\x1b", 100000),
                       *fits = repeated("0123456789", 50000);

        check_full(world, large, false, (struct task_get_input){.fullLatestResponse = true});
        check_full(world, wide, false, (struct task_get_input){.fullLatestResponse = true});
        check_full(world, quotes, false, (struct task_get_input){.fullLatestResponse = true});
        check_full(world, controls, false, (struct task_get_input){.fullLatestResponse = true});
        check_full(world, controls, false, (struct task_get_input){.latestResponseMaxChars = 100000});
        check_full(world, fits, true, (struct task_get_input){.fullLatestResponse = true});
}

static void the_other_sections_take_their_room_first(void **state)
{
        struct world *world = *state;
        auto_free char *said = repeated("\"", 90000), *id = world_task(world, world->dev, "main", "x"),
                       *summary = repeated("\"", 30000), *log = repeated("\"", 200000);

        world_output_file(world, id, "summary.md", summary, strlen(summary));
        world_record_file(world, id, "log.txt", log, strlen(log));
        world_end(world, id, said, RUNNER_EXITED, 0);
        auto_json *got = GET(world->dev, .taskId = id, .fullLatestResponse = true, .includeSummary = true,
                             .includeOutput = true, .outputMaxChars = 200000);
        json_t *reply = json_object_get(got, "latestResponse");
        assert_true(printed_characters(got) <= RESULT_CEILING);
        assert_string_equal(member(reply, "truncatedBy"), "resultLimit");
        assert_int_equal(characters(member(got, "output")), 200000);
}

static void the_output_is_the_end_of_the_log_by_characters(void **state)
{
        struct world *world = *state;
        auto_free char *id = ended(world, "x"), *log = repeated("€\xff", 1000);

        auto_json *none = GET(world->dev, .taskId = id, .includeOutput = true);
        assert_true(json_is_null(json_object_get(none, "output")));
        world_record_file(world, id, "log.txt", log, strlen(log));
        for (int64_t maximum = 1; maximum < 12; maximum++) {
                auto_json *got = GET(world->dev, .taskId = id, .includeOutput = true, .outputMaxChars = maximum);
                assert_int_equal(characters(member(got, "output")), maximum);
                assert_true(json_is_true(json_object_get(got, "outputTruncated")));
        }
        auto_json *whole = GET(world->dev, .taskId = id, .includeOutput = true);
        assert_int_equal(characters(member(whole, "output")), 2000);
        assert_true(json_is_false(json_object_get(whole, "outputTruncated")));
        assert_string_equal(member(whole, "outputPath"), "log.txt");
}

static void a_failure_tells_stage_message_and_the_end_of_the_log(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x"), *log = repeated("äb", 4000);

        world_record_file(world, id, "log.txt", log, strlen(log));
        world_end(world, id, "x", RUNNER_EXITED, 3);
        auto_json *got = GET(world->dev, .taskId = id);
        json_t *failure = json_object_get(got, "failure"), *tail = json_object_get(failure, "logTail");
        assert_string_equal(member(failure, "status"), "failed");
        assert_string_equal(member(failure, "message"), "The agent ended with exit code 3.");
        assert_null(json_object_get(failure, "messageTruncated"));
        assert_int_equal(json_array_size(json_object_get(failure, "agentErrors")), 0);
        assert_string_equal(member(failure, "diagnosticsPath"), "debug-stream.jsonl");
        assert_string_equal(member(tail, "path"), "log.txt");
        assert_int_equal(document_get_integer(tail, "totalBytes", 0), 12000);
        assert_true(json_is_true(json_object_get(tail, "truncated")));
        assert_true(strlen(member(tail, "content")) <= 4000 && strlen(member(tail, "content")) > 3990);
        world_sql(world, "UPDATE turns SET failure_message = printf('%.*c', 2500, 'm')");
        auto_json *cut = GET(world->dev, .taskId = id);
        failure = json_object_get(cut, "failure");
        assert_int_equal(characters(member(failure, "message")), 2000);
        assert_true(json_is_true(json_object_get(failure, "messageTruncated")));
        assert_int_equal(document_get_integer(failure, "messageTotalChars", 0), 2500);
        auto_json *output = OUTPUT(world->dev, id, "failure");
        assert_true(json_equal(json_object_get(output, "failure"), failure));
}

static void who_may_not_view_a_task_is_told_that_there_is_none(void **state)
{
        struct world *world = *state;
        auto_free char *shared = ended(world, "x"), *private = world_task(world, world->dev, "closed", "x");
        const struct {
                const struct actor *actor;
                const char *id;
                bool is_shown;
        } cases[] = {
                {world->viewer, shared, true},    {world->outsider, shared, false}, {world->viewer, private, false},
                {world->admin, private, true},    {world->dev, private, true},      {world->dev, "nothing", false},
                {world->dev, "1-aaaaaaa", false}, {world->dev, "../etc", false},
        };

        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                auto_error error = {0};
                auto_json *got =
                        world_get(world, cases[i].actor, (struct task_get_input){.taskId = cases[i].id}, &error);
                assert_int_equal(got != NULL, cases[i].is_shown);
                if (!got)
                        assert_code(error, "task_not_found");
        }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)

int run_reply_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(every_member_of_a_task_is_told),
                TEST(pins_are_the_viewers_and_the_creators),
                TEST(the_time_of_a_reply_is_not_that_of_what_was_printed_behind_it),
                TEST(the_reply_is_what_was_printed_in_the_latest_turn_that_said_something),
                TEST(a_long_reply_is_given_from_its_end_within_the_limit),
                TEST(a_reply_too_large_for_a_result_is_given_as_far_as_there_is_room),
                TEST(the_other_sections_take_their_room_first),
                TEST(the_output_is_the_end_of_the_log_by_characters),
                TEST(a_failure_tells_stage_message_and_the_end_of_the_log),
                TEST(who_may_not_view_a_task_is_told_that_there_is_none),
        };

        return cmocka_run_group_tests_name("replies", tests, NULL, NULL);
}
