#include "tests/services/suites.h"
#include "tests/services/world.h"

#include <sys/stat.h>

#include "server/base/path.h"
#include "server/services/redact.h"
#include "tests/cpu.h"

#define TOKEN "hunter2hunter2"
#define LINES                                                                                                          \
        "https://bot:" TOKEN "@git.example\n"                                                                          \
        "https://bot:p%40ss%2Fword@other.example\n"                                                                    \
        "https://alone-token-77:@third.example\n"                                                                      \
        "https://bot:quo\"te\\d@fourth.example\n"                                                                      \
        "https://bot:short@fifth.example\n"                                                                            \
        "no credential at all\n"

static int open_with_credentials(void **state)
{
        world_open(state);
        world_credentials(*state, LINES);
        return 0;
}

/* The text as it leaves the server. */
static char *redacted(struct world *world, const char *text, size_t length)
{
        auto_redactor redactor = {0};
        auto_error error = {0};
        struct text out = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        assert_true(redactor_init(&redactor, &world->services, world->db, &error));
        redact_append(&redactor, &out, text, length);
        return text_take(&out);
}

static void every_form_of_a_managed_value_and_every_login_in_an_address_is_left_out(void **state)
{
        static const char *const cases[][2] = {
                {"", ""},
                {"nothing here", "nothing here"},
                {TOKEN, "[redacted]"},
                {"a" TOKEN "b" TOKEN "c", "a[redacted]b[redacted]c"},
                {"hunter2hunter", "hunter2hunter"},
                {"p@ss/word p%40ss%2Fword", "[redacted] [redacted]"},
                {"alone-token-77", "[redacted]"},
                {"quo\"te\\d quo\\\"te\\\\d", "[redacted] [redacted]"},
                {"a short bot", "a short bot"},
                {"https://me:x@host/path", "https://[redacted]@host/path"},
                {"https://me:x@y@host/path", "https://[redacted]@host/path"},
                {"https://ghp_abcdef@host/", "https://[redacted]@host/"},
                {"ssh://git@host/x https://host:80/@x", "ssh://git@host/x https://host:80/@x"},
                {"http://localhost:3000?mail=a@b", "http://localhost:3000?mail=a@b"},
                {"https://a:b c@d", "https://a:b c@d"},
                {"x://y://u:p@h", "x://y://[redacted]@h"},
                {"https://me:" TOKEN "@git.example " TOKEN, "https://[redacted]@git.example [redacted]"},
        };

        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                auto_free char *got = redacted(*state, cases[i][0], strlen(cases[i][0]));
                assert_string_equal(got, cases[i][1]);
        }
}

static void values_that_overlap_are_left_out_together(void **state)
{
        struct world *world = *state;

        world_credentials(world, "https://a:abcdefgh@x\nhttps://a:efghijkl@y\nhttps://a:zzzzzz@z\n");
        auto_free char *overlapping = redacted(world, "-abcdefghijkl-", 14), *own = redacted(world, "-zzzzzzzzz-", 11);
        assert_string_equal(overlapping, "-[redacted]-");
        assert_string_equal(own, "-[redacted]-");
}

/* ThreadSanitizer looks at the whole text at every search in it. */
#ifdef __SANITIZE_THREAD__
#define MOST_CPU_MS INT64_MAX
#else
#define MOST_CPU_MS 2000
#endif

static void redaction_takes_time_in_proportion_to_the_text(void **state)
{
        struct world *world = *state;
        auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        while (text.length < 2000000)
                text_append_string(&text, "://a:b@ ");
        int64_t before = cpu_ms();
        auto_free char *got = redacted(world, text.data, text.length);
        assert_true(cpu_ms() - before < MOST_CPU_MS);
        assert_null(strstr(got, "a:b@"));
}

/* A task whose every text names the token, failed and with files. */
static char *leaky_task(struct world *world)
{
        auto_error error = {0};
        auto_json *made = must(world_create(
                world, world->dev, NEW_TASK(.environment = "main", .instructions = "use " TOKEN, .name = "on " TOKEN),
                &error));
        char *id = text_copy(member(made, "taskId"));

        world_record_file(world, id, "log.txt", "log " TOKEN "\n", strlen("log " TOKEN "\n"));
        world_output_file(world, id, "summary.md", "sum " TOKEN, strlen("sum " TOKEN));
        world_output_file(world, id, "notes.txt", "note " TOKEN ".", strlen("note " TOKEN "."));
        world_end_exit(world, id, "said " TOKEN "\n",
                       &(struct runner_exit){.reason = RUNNER_LAUNCH_FAILURE,
                                             .code = -1,
                                             .message = "cannot use " TOKEN,
                                             .finished_at = world->now});
        return id;
}

static void assert_clean(const json_t *result, const char *const *kept, size_t count)
{
        auto_free char *printed = document_print(result);

        assert_null(strstr(printed, TOKEN));
        for (size_t i = 0; i < count; i++)
                if (!strstr(printed, kept[i]))
                        fail_msg("%s is not in %s", kept[i], printed);
}

static void a_managed_value_is_in_no_answer(void **state)
{
        struct world *world = *state;
        auto_free char *id = leaky_task(world);
        auto_json *got = GET(world->dev, .taskId = id, .includeSummary = true, .includeOutput = true);
        auto_json *output = OUTPUT(world->dev, id, NULL), *list = LIST(world->dev),
                  *page = READ(world->dev, .taskId = id, .path = "notes.txt"),
                  *events = READ(world->dev, .taskId = id, .path = "debug-stream.jsonl");
        static const char *const in_get[] = {"on [redacted]", "sum [redacted]", "log [redacted]", "said [redacted]",
                                             "cannot use [redacted]"},
                                 *const in_output[] = {"use [redacted]", "said [redacted]", "sum [redacted]",
                                                       "cannot use [redacted]", "log [redacted]"},
                                 *const in_list[] = {"on [redacted]"}, *const in_page[] = {"note **************."},
                                 *const in_events[] = {"use **************"};

        assert_clean(got, in_get, COUNT_OF(in_get));
        assert_clean(output, in_output, COUNT_OF(in_output));
        assert_clean(list, in_list, COUNT_OF(in_list));
        assert_clean(page, in_page, COUNT_OF(in_page));
        assert_clean(events, in_events, COUNT_OF(in_events));
}

static void a_value_that_a_cut_would_split_is_left_out_first(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");
        auto_text reply = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        /* The last 100 characters, marker included, would begin inside the token. */
        text_printf(&reply, "%0300d" TOKEN "%053d", 0, 0);
        world_end(world, id, reply.data, RUNNER_EXITED, 0);
        for (int64_t maximum = 60; maximum < 140; maximum++) {
                auto_json *got = GET(world->dev, .taskId = id, .latestResponseMaxChars = maximum);
                const char *content = member(json_object_get(got, "latestResponse"), "content");
                assert_null(strstr(content, "ter2"));
                assert_null(strstr(content, "hunt"));
                assert_int_equal(utf8_count(content, strlen(content)), maximum);
        }
}

/* A log of many tokens: what is read of it begins somewhere inside one. */
static void the_end_of_a_log_never_begins_inside_a_value(void **state)
{
        struct world *world = *state;
        auto_free char *id = leaky_task(world);
        auto_text secret = TEXT_WITH_MAXIMUM(8192), log = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        while (secret.length < 700)
                text_append_string(&secret, "Sec-ret!");
        auto_free char *line = text_format("https://a:%s@host\n", secret.data);
        world_credentials(world, line);
        for (size_t lead = 0; lead < 700; lead += 99) {
                log.length = 0;
                while (log.length < 200000)
                        text_printf(&log, "%s\n", secret.data);
                text_printf(&log, "%.*s", (int)lead,
                            "........................................................"
                            "........................................................");
                world_record_file(world, id, "log.txt", log.data, log.length);
                auto_json *got = GET(world->dev, .taskId = id, .includeOutput = true, .outputMaxChars = 3000);
                auto_free char *printed = document_print(got);
                assert_null(strstr(printed, "Sec"));
                assert_null(strstr(printed, "ret!"));
                assert_true(json_is_true(json_object_get(got, "outputTruncated")));
                json_t *tail = json_object_get(json_object_get(got, "failure"), "logTail");
                assert_true(json_is_true(json_object_get(tail, "truncated")));
        }
}

static void a_value_across_pages_is_masked_on_both_with_its_length(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");
        static const char file[] = "before " TOKEN " between https://u:p@h after";
        static const char masked[] = "before ************** between https://***@h after";

        world_output_file(world, id, "f", file, strlen(file));
        for (size_t size = 1; size <= sizeof file; size++) {
                auto_text whole = TEXT_WITH_MAXIMUM(1000);
                for (int64_t offset = 0; offset < (int64_t)strlen(file);) {
                        auto_json *page = READ(world->dev, .taskId = id, .path = "f", .offset = offset,
                                               .maxBytes = (int64_t)size);
                        text_append_string(&whole, member(page, "content"));
                        offset += document_get_integer(page, "bytesReturned", 0);
                }
                assert_string_equal(text_string(&whole), masked);
        }
}

static void nothing_leaves_while_the_values_cannot_be_told(void **state)
{
        struct world *world = *state;
        auto_free char *id = leaky_task(world);
        struct error errors[5] = {0};

        assert_int_equal(unlink(world->credentials), 0);
        assert_int_equal(mkdir(world->credentials, 0700), 0);
        assert_null(world_get(world, world->dev, (struct task_get_input){.taskId = id}, &errors[0]));
        assert_null(world_output(world, world->dev, id, NULL, &errors[1]));
        assert_null(
                world_read(world, world->dev, (struct task_file_input){.taskId = id, .path = "notes.txt"}, &errors[2]));
        assert_null(world_list(world, world->dev, (struct task_list_input){0}, &errors[3]));
        assert_null(world_follow_up(world, world->dev, (struct task_follow_up_input){.taskId = id, .instructions = "y"},
                                    &errors[4]));
        for (size_t i = 0; i < COUNT_OF(errors); i++) {
                assert_code(errors[i], "unavailable");
                assert_string_equal(member(errors[i].details, "reason"), "secret_values_unavailable");
                error_clear(&errors[i]);
        }
        auto_error error = {0};
        assert_true(path_remove_tree(world->credentials, &error));
        auto_json *got = GET(world->dev, .taskId = id);
        assert_string_equal(member(got, "name"), "on " TOKEN);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_with_credentials, world_close)

int run_redaction_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(every_form_of_a_managed_value_and_every_login_in_an_address_is_left_out),
                TEST(values_that_overlap_are_left_out_together),
                TEST(redaction_takes_time_in_proportion_to_the_text),
                TEST(a_managed_value_is_in_no_answer),
                TEST(a_value_that_a_cut_would_split_is_left_out_first),
                TEST(the_end_of_a_log_never_begins_inside_a_value),
                TEST(a_value_across_pages_is_masked_on_both_with_its_length),
                TEST(nothing_leaves_while_the_values_cannot_be_told),
        };

        return cmocka_run_group_tests_name("redaction", tests, NULL, NULL);
}
