#include "tests/services/suites.h"
#include "tests/services/world.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "server/services/task_paths.h"

/* Summaries, the conversation, and the list of files. */

static char *repeated(const char *piece, size_t count)
{
        struct text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        for (size_t i = 0; i < count; i++)
                text_append_string(&text, piece);
        return text_take(&text);
}

static size_t characters(const char *text)
{
        return utf8_count(text, strlen(text));
}

static void follow_up(struct world *world, const char *id, const char *instructions)
{
        auto_error error = {0};
        auto_json *result = must(world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = id, .instructions = instructions}, &error));
}

/* Gives a file of the task a time. */
static void touch(struct world *world, const char *id, const char *path, int64_t ms)
{
        auto_free char *folder = task_path_output(world->root, id), *file = text_format("%s/%s", folder, path);
        struct timespec times[2] = {{.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}};

        times[1] = times[0];
        assert_int_equal(utimensat(AT_FDCWD, file, times, 0), 0);
}

static void put_summary(struct world *world, const char *id, const char *text)
{
        world_output_file(world, id, "summary.md", text, strlen(text));
}

/* get_task and get_task_output must agree. */
static json_t *summary_of(struct world *world, const char *id)
{
        auto_json *got = GET(world->dev, .taskId = id, .includeSummary = true);
        auto_json *output = OUTPUT(world->dev, id, "summary");
        json_t *section = json_object_get(output, "summary");

        assert_true(json_equal(json_object_get(got, "summary"), json_object_get(section, "content")));
        assert_true(json_equal(json_object_get(got, "summarySource"), json_object_get(section, "source")));
        assert_true(json_equal(json_object_get(got, "summaryPath"), json_object_get(section, "path")));
        assert_true(
                json_equal(json_object_get(got, "summaryIsPlaceholder"), json_object_get(section, "isPlaceholder")));
        assert_true(json_equal(json_object_get(got, "summaryProvenance"), json_object_get(section, "provenance")));
        assert_int_equal(json_is_true(json_object_get(got, "summaryTruncated")),
                         json_is_true(json_object_get(section, "truncated")));
        return json_incref(section);
}

static void a_summary_is_the_agents_or_else_its_reply_or_nothing(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");
        auto_json *none = summary_of(world, id);

        assert_true(json_is_null(json_object_get(none, "content")));
        assert_string_equal(member(none, "source"), "placeholder");
        assert_true(json_is_true(json_object_get(none, "isPlaceholder")));
        assert_true(json_is_null(json_object_get(none, "provenance")));
        world_end(world, id, "all done", RUNNER_EXITED, 0);
        put_summary(world, id, " \n\n");
        auto_json *reply = summary_of(world, id);
        assert_string_equal(member(reply, "content"), "all done");
        assert_string_equal(member(reply, "source"), "agent_response");
        assert_string_equal(member(reply, "path"), "debug-stream.jsonl");
        assert_false(json_is_null(json_object_get(json_object_get(reply, "provenance"), "writtenAt")));
        put_summary(world, id, "# Süm\n");
        auto_json *own = summary_of(world, id);
        assert_string_equal(member(own, "content"), "# Süm\n");
        assert_string_equal(member(own, "source"), "summary");
        assert_string_equal(member(own, "path"), "summary.md");
        assert_true(json_is_false(json_object_get(own, "isPlaceholder")));
        assert_int_equal(document_get_integer(own, "totalChars", 0), 6);
}

static void a_long_summary_is_cut_and_says_so(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x"), *text = repeated("ä", 24001),
                       *said = repeated("0123456789", 60000);

        put_summary(world, id, text);
        auto_json *own = summary_of(world, id);
        assert_int_equal(characters(member(own, "content")), 24000);
        assert_true(json_is_true(json_object_get(own, "truncated")));
        assert_int_equal(document_get_integer(own, "totalChars", 0), 24001);
        put_summary(world, id, text + 2);
        auto_json *fits = summary_of(world, id);
        assert_string_equal(member(fits, "content"), text + 2);
        auto_free char *huge = repeated("0123456789abcdef", 1024 * 1024 / 16 + 1);
        put_summary(world, id, huge);
        auto_json *uncounted = summary_of(world, id);
        assert_true(json_is_true(json_object_get(uncounted, "truncated")));
        assert_true(json_is_null(json_object_get(uncounted, "totalChars")));
        put_summary(world, id, "");
        said[strlen(said) - 1] = '!';
        world_end(world, id, said, RUNNER_EXITED, 0);
        auto_json *reply = summary_of(world, id);
        const char *content = member(reply, "content");
        assert_int_equal(characters(content), 24000);
        assert_int_equal(content[strlen(content) - 1], '!');
        assert_int_equal(document_get_integer(reply, "totalChars", 0), 600000);
}

static void bytes_that_are_no_text_do_not_end_a_summary(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");

        world_output_file(world, id, "summary.md",
                          "a\0b\xff"
                          "c",
                          5);
        auto_json *got = summary_of(world, id);
        const char *content = member(got, "content");
        assert_int_equal(content[0], 'a');
        assert_int_equal(content[strlen(content) - 1], 'c');
        assert_true(utf8_is_valid(content, strlen(content)));
}

static void assert_unknown(struct world *world, const char *id)
{
        auto_json *summary = summary_of(world, id);
        json_t *provenance = json_object_get(summary, "provenance");
        static const char *const members[] = {"turnIndex", "followUpCount", "followUpsSince", "stale",
                                              "onDiscardedBranch"};

        assert_false(json_is_null(json_object_get(provenance, "writtenAt")));
        for (size_t i = 0; i < COUNT_OF(members); i++)
                assert_true(json_is_null(json_object_get(provenance, members[i])));
}

static void assert_provenance(struct world *world, const char *id, int64_t turn, int64_t follow_ups, int64_t since,
                              bool is_stale, bool is_discarded)
{
        auto_json *summary = summary_of(world, id);
        json_t *provenance = json_object_get(summary, "provenance");

        assert_int_equal(document_get_integer(provenance, "turnIndex", 0), turn);
        assert_int_equal(document_get_integer(provenance, "followUpCount", -1), follow_ups);
        assert_int_equal(document_get_integer(provenance, "followUpsSince", -1), since);
        assert_int_equal(json_is_true(json_object_get(provenance, "stale")), is_stale);
        assert_int_equal(json_is_true(json_object_get(provenance, "onDiscardedBranch")), is_discarded);
}

static void a_summary_is_placed_against_the_follow_ups(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");
        auto_store_task task = world_stored(world, id);
        int64_t submitted[4] = {task.created_at};

        for (int i = 1; i < 4; i++) {
                world_end(world, id, "said", RUNNER_EXITED, 0);
                follow_up(world, id, "more");
                submitted[i] = world->now;
        }
        put_summary(world, id, "summary");
        touch(world, id, "summary.md", submitted[0] + 1);
        assert_provenance(world, id, 1, 0, 3, true, false);
        touch(world, id, "summary.md", submitted[2]);
        assert_provenance(world, id, 3, 2, 1, true, false);
        touch(world, id, "summary.md", submitted[3] + 1);
        assert_provenance(world, id, 4, 3, 0, false, false);
        touch(world, id, "summary.md", submitted[0] - 1);
        assert_unknown(world, id);

        touch(world, id, "summary.md", submitted[1]);
        world_sql(world, "UPDATE turns SET conversation_index = NULL WHERE ordinal IN (2, 3)");
        world_sql(world, "UPDATE turns SET conversation_index = 2 WHERE ordinal = 4");
        assert_provenance(world, id, 0, 1, 1, true, true);
        touch(world, id, "summary.md", submitted[0]);
        assert_provenance(world, id, 1, 0, 1, true, false);
        world_sql(world, "UPDATE turns SET submitted_at = NULL WHERE ordinal = 2");
        assert_unknown(world, id);
        world_sql(world, "UPDATE turns SET submitted_at = 1 WHERE ordinal = 2");
        world_sql(world, "UPDATE tasks SET follow_up_count = 9");
        assert_unknown(world, id);
}

static void sections_are_chosen_and_the_defaults_are_the_references(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");
        auto_json *usual = OUTPUT(world->dev, id, NULL), *variants = OUTPUT(world->dev, id, "variants");
        static const char *const members[] = {"taskId",    "status",  "summary", "recommendation",
                                              "responses", "failure", "files"};

        assert_int_equal(json_object_size(usual), COUNT_OF(members));
        for (size_t i = 0; i < COUNT_OF(members); i++)
                assert_non_null(json_object_get(usual, members[i]));
        assert_true(json_is_null(json_object_get(usual, "recommendation")));
        assert_true(json_is_null(json_object_get(usual, "failure")));
        assert_int_equal(json_object_size(variants), 3);
        assert_true(json_is_null(json_object_get(variants, "variants")));
}

static void assert_entry(const json_t *entries, size_t at, const char *role, const char *content, int64_t turn)
{
        json_t *entry = json_array_get(entries, at);

        assert_string_equal(member(entry, "role"), role);
        assert_string_equal(member(entry, "content"), content);
        assert_int_equal(document_get_integer(entry, "turnIndex", 0), turn);
        member(entry, "timestamp");
}

static void the_conversation_is_told_in_order_without_what_was_discarded(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "first");

        world_end(world, id, "one", RUNNER_EXITED, 0);
        follow_up(world, id, "second");
        world_end(world, id, NULL, RUNNER_EXITED, 0);
        follow_up(world, id, "third");
        world_end(world, id, "three", RUNNER_EXITED, 0);
        auto_json *output = OUTPUT(world->dev, id, "responses");
        json_t *responses = json_object_get(output, "responses"), *entries = json_object_get(responses, "entries"),
               *history = json_object_get(responses, "followUpHistory");
        assert_int_equal(json_array_size(entries), 5);
        assert_entry(entries, 0, "user", "first", 1);
        assert_entry(entries, 1, "agent", "one", 1);
        assert_entry(entries, 2, "user", "second", 2);
        assert_entry(entries, 3, "user", "third", 3);
        assert_entry(entries, 4, "agent", "three", 3);
        assert_null(json_object_get(responses, "omittedEntries"));
        assert_int_equal(json_array_size(history), 2);
        json_t *sent = json_array_get(history, 0);
        assert_int_equal(document_get_integer(sent, "followUp", 0), 1);
        assert_int_equal(document_get_integer(sent, "turnIndex", 0), 2);
        assert_string_equal(member(sent, "sentBy"), "dev");
        assert_string_equal(member(sent, "kind"), "follow_up");
        world_sql(world, "UPDATE turns SET conversation_index = NULL WHERE ordinal = 1");
        auto_json *rewound = OUTPUT(world->dev, id, "responses");
        entries = json_object_get(json_object_get(rewound, "responses"), "entries");
        assert_int_equal(json_array_size(entries), 3);
        assert_entry(entries, 0, "user", "second", 2);
}

static void a_long_conversation_keeps_its_newest_texts(void **state)
{
        struct world *world = *state;
        auto_free char *text = repeated("ä", 24001), *said = repeated("ö", 12001),
                       *id = world_task(world, world->dev, "main", text);

        for (int turn = 1; turn <= 4; turn++) {
                world_end(world, id, said, RUNNER_EXITED, 0);
                if (turn < 4)
                        follow_up(world, id, text);
        }
        auto_json *output = OUTPUT(world->dev, id, "responses");
        json_t *responses = json_object_get(output, "responses"), *entries = json_object_get(responses, "entries");
        /* 12,000 and 24,000 a turn: three turns and a reply fit into 120,000. */
        assert_int_equal(json_array_size(entries), 7);
        assert_int_equal(document_get_integer(responses, "omittedEntries", 0), 1);
        json_t *reply = json_array_get(entries, 0), *instructions = json_array_get(entries, 1);
        assert_string_equal(member(reply, "role"), "agent");
        assert_int_equal(characters(member(reply, "content")), 12000);
        assert_int_equal(document_get_integer(reply, "totalChars", 0), 12001);
        assert_int_equal(characters(member(instructions, "content")), 24000);
        assert_int_equal(document_get_integer(instructions, "totalChars", 0), 24001);
        assert_true(json_is_true(json_object_get(instructions, "truncated")));
        member(instructions, "path");
}

static void a_conversation_of_many_turns_keeps_its_newest(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "first");

        world_end(world, id, "one", RUNNER_EXITED, 0);
        world_sql(world,
                  "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 600) "
                  "INSERT INTO turns (task, ordinal, conversation_index, kind, origin, state, agent, shown, "
                  "submitted_at) SELECT task, i, i, 'follow_up', origin, state, agent, 'text ' || i, submitted_at "
                  "FROM turns, n WHERE ordinal = 1");
        auto_json *output = OUTPUT(world->dev, id, "responses");
        json_t *responses = json_object_get(output, "responses"), *entries = json_object_get(responses, "entries"),
               *history = json_object_get(responses, "followUpHistory");
        assert_int_equal(json_array_size(entries), 500);
        assert_entry(entries, 499, "user", "text 600", 600);
        assert_entry(entries, 0, "user", "text 101", 101);
        assert_int_equal(document_get_integer(responses, "omittedEntries", 0), 101);
        assert_int_equal(json_array_size(history), 500);
        assert_int_equal(document_get_integer(json_array_get(history, 499), "turnIndex", 0), 600);
        assert_int_equal(document_get_integer(responses, "followUpHistoryOmitted", 0), 99);
}

static void a_reply_that_redaction_lengthens_stays_within_its_limit(void **state)
{
        struct world *world = *state;
        auto_free char *said = repeated("secret-", 1714), *id = world_task(world, world->dev, "main", "x");

        world_credentials(world, "https://a:secret@host\n");
        world_end(world, id, said, RUNNER_EXITED, 0);
        auto_json *output = OUTPUT(world->dev, id, "responses");
        json_t *reply = json_array_get(json_object_get(json_object_get(output, "responses"), "entries"), 1);
        assert_int_equal(characters(member(reply, "content")), 12000);
        assert_int_equal(document_get_integer(reply, "totalChars", 0), 1714 * 11);
        auto_json *summary = summary_of(world, id);
        assert_int_equal(document_get_integer(summary, "totalChars", 0), 1714 * 11);
}

static bool is_listed(const json_t *files, const char *path, int64_t size)
{
        size_t i;
        json_t *file;

        json_array_foreach(files, i, file)
        {
                if (strcmp(member(file, "path"), path))
                        continue;
                assert_int_equal(document_get_integer(file, "size", -1), size);
                member(file, "modifiedAt");
                return true;
        }
        return false;
}

static void files_are_listed_with_our_records_over_the_agents(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x"), *output = task_path_output(world->root, id),
                       *link = text_format("%s/link", output), *fifo = text_format("%s/fifo", output),
                       *up = text_format("%s/up", output);

        world_output_file(world, id, "notes.md", "abc", 3);
        world_output_file(world, id, "sub/b \xff.bin", "ab", 2);
        world_output_file(world, id, "log.txt", "forged", 6);
        world_output_file(world, id, "raw/turn-1.out", "forged", 6);
        world_output_file(world, id, ".hidden", "x", 1);
        world_output_file(world, id, "sub/.git/config", "x", 1);
        assert_int_equal(symlink("/etc/passwd", link), 0);
        assert_int_equal(symlink("..", up), 0);
        assert_int_equal(mkfifo(fifo, 0600), 0);
        world_record_file(world, id, "log.txt", "ours", 4);
        world_record_file(world, id, "raw/turn-1.out", "our", 3);
        world_record_file(world, id, "internal", "x", 1);
        auto_json *got = OUTPUT(world->dev, id, "files");
        json_t *files = json_object_get(got, "files");
        assert_int_equal(json_array_size(files), 4);
        assert_true(is_listed(files, "log.txt", 4));
        assert_true(is_listed(files, "notes.md", 3));
        assert_true(is_listed(files, "raw/turn-1.out", 3));
        assert_true(is_listed(files, "sub/b \xef\xbf\xbd.bin", 2));
        for (size_t i = 1; i < 4; i++)
                assert_true(strcmp(member(json_array_get(files, i - 1), "path"),
                                   member(json_array_get(files, i), "path")) < 0);
        assert_null(json_object_get(got, "filesOmitted"));
}

static void a_task_without_files_has_an_empty_list(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");
        auto_json *got = OUTPUT(world->dev, id, "files");

        assert_true(json_is_array(json_object_get(got, "files")));
        assert_int_equal(json_array_size(json_object_get(got, "files")), 0);
}

static void files_beyond_what_is_listed_are_counted(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x"), *deep = repeated("d/", 40),
                       *path = text_format("%sf", deep);

        world_output_file(world, id, "top", "", 0);
        world_output_file(world, id, path, "", 0);
        auto_json *few = OUTPUT(world->dev, id, "files");
        assert_int_equal(json_array_size(json_object_get(few, "files")), 1);
        assert_int_equal(document_get_integer(few, "filesOmitted", 0), 1);
        for (int i = 0; i < 5010; i++) {
                auto_free char *name = text_format("many/%d", i);
                world_output_file(world, id, name, "", 0);
        }
        auto_json *many = OUTPUT(world->dev, id, "files");
        assert_int_equal(json_array_size(json_object_get(many, "files")), 5000);
        assert_int_equal(document_get_integer(many, "filesOmitted", 0), 12);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)

int run_output_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(a_summary_is_the_agents_or_else_its_reply_or_nothing),
                TEST(a_long_summary_is_cut_and_says_so),
                TEST(bytes_that_are_no_text_do_not_end_a_summary),
                TEST(a_summary_is_placed_against_the_follow_ups),
                TEST(sections_are_chosen_and_the_defaults_are_the_references),
                TEST(the_conversation_is_told_in_order_without_what_was_discarded),
                TEST(a_long_conversation_keeps_its_newest_texts),
                TEST(a_conversation_of_many_turns_keeps_its_newest),
                TEST(a_reply_that_redaction_lengthens_stays_within_its_limit),
                TEST(files_are_listed_with_our_records_over_the_agents),
                TEST(a_task_without_files_has_an_empty_list),
                TEST(files_beyond_what_is_listed_are_counted),
        };

        return cmocka_run_group_tests_name("outputs", tests, NULL, NULL);
}
