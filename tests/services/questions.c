/* Interactive questions in replies become text. */
#include "server/services/question.h"
#include "tests/services/suites.h"
#include "tests/services/world.h"

static void expect(const char *reply, bool is_open, const char *rendered)
{
        auto_text out = TEXT_WITH_MAXIMUM(100000);
        bool has_any = question_render(reply, strlen(reply), is_open, &out);

        assert_int_equal(has_any, rendered != NULL);
        assert_string_equal(text_string(&out), rendered ? rendered : "");
}

static void a_question_is_told_with_its_choices_and_how_to_reply(void **state)
{
        (void)state;
        expect("Before\n```question\n{\"question\":\"Which store?\",\"options\":[\"SQLite\",{\"label\":\"PostgreSQL\","
               "\"description\":\"a server\"}]}\n```\nAfter\n",
               true,
               "Before\nQuestion: Which store?\n1. SQLite\n2. PostgreSQL: a server\n"
               "Reply with the number or the words of one choice, or in words of your own.\nAfter\n");
        expect("~~~~ question \r\n{\"question\":\"All?\",\"multiple\":true,\"options\":[\"a\"]}\n~~~~", true,
               "Question: All?\n1. a\n"
               "Reply with the numbers or the words of all choices that apply, or in words of your own.\n");
        expect("```question\n{\"questions\":[{\"question\":\"One?\",\"options\":[\"a\"]},{\"question\":\"Two?\","
               "\"options\":[\"b\"]}]}\n```\n",
               false, "Question: One?\n1. a\n\nQuestion: Two?\n1. b\n");
}

static void triage_lists_and_rankings_are_told_too(void **state)
{
        (void)state;
        expect("```triage\n{\"title\":\"Findings\",\"items\":[{\"title\":\"Leak\"},\"Race\",\"Typo\"],\"choices\":["
               "\"fix\","
               "\"defer\"]}\n```\n",
               true,
               "Triage: Findings\n1. Leak\n2. Race\n3. Typo\nChoices for each: fix, defer\n"
               "Reply with a choice for each number, for example: 1 fix, 2 defer.\n");
        expect("```ranking\n{\"question\":\"What first?\",\"items\":[\"a\",\"b\",\"c\"]}\n```\n", true,
               "Ranking: What first?\n1. a\n2. b\n3. c\n"
               "Reply with the numbers in your order, the best first, for example: 3, 2, 1.\n");
        expect("```ranking\n{\"title\":\"What first?\",\"items\":[\"a\"]}\n```\n", false,
               "Ranking: What first?\n1. a\n");
}

static void what_is_no_question_stays_as_it_was(void **state)
{
        static const char *const replies[] = {
                "",
                "plain",
                "```\n{\"question\":\"x\",\"options\":[\"a\"]}\n```\n",
                "```question\nnot JSON\n```\n",
                "```question\n{\"question\":\"x\",\"options\":[]}\n```\n",
                "```question\n{\"question\":\"x\",\"options\":[7]}\n```\n",
                "```question\n{\"question\":\"x\",\"options\":[\"a\"]}\n",
                "```triage\n{\"items\":[\"a\"]}\n```\n",
                "````markdown\n```question\n{\"question\":\"x\",\"options\":[\"a\"]}\n```\n````\n",
                "    ```question\n{\"question\":\"x\",\"options\":[\"a\"]}\n    ```\n",
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(replies); i++)
                expect(replies[i], true, NULL);
}

#define ASKED "Done so far.\n```question\n{\"question\":\"Which?\",\"options\":[\"s3cret\\u002dvalue\",\"b\"]}\n```\n"
#define HINT "Reply with the number"

static const char *content_of(const json_t *task)
{
        return member(json_object_get(task, "latestResponse"), "content");
}

static void get_task_tells_questions_as_text_until_they_are_answered(void **state)
{
        struct world *world = *state;
        auto_error error = {0};

        world_credentials(world, "https://user:s3cret-value@git.example.com\n");
        auto_free char *id = world_task(world, world->dev, "main", "x");
        world_end(world, id, ASKED, RUNNER_EXITED, 0);
        auto_json *asked = GET(world->dev, .taskId = id);
        assert_non_null(strstr(content_of(asked), "Done so far.\nQuestion: Which?\n1. [redacted]\n2. b\n" HINT));
        assert_int_equal(document_get_integer(json_object_get(asked, "latestResponse"), "totalChars", 0),
                         utf8_count(content_of(asked), strlen(content_of(asked))));
        auto_json *answered = must(world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = id, .instructions = "the second"}, &error));
        assert_non_null(answered);
        auto_json *closed = GET(world->dev, .taskId = id);
        assert_non_null(strstr(content_of(closed), "Question: Which?"));
        assert_null(strstr(content_of(closed), HINT));
}

int run_question_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_question_is_told_with_its_choices_and_how_to_reply),
                cmocka_unit_test(triage_lists_and_rankings_are_told_too),
                cmocka_unit_test(what_is_no_question_stays_as_it_was),
                cmocka_unit_test_setup_teardown(get_task_tells_questions_as_text_until_they_are_answered, world_open,
                                                world_close),
        };

        return cmocka_run_group_tests_name("questions", tests, NULL, NULL);
}
