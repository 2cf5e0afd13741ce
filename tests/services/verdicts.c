/* Verdicts: what is made of the bytes that a judge has written. */
#include "server/services/verdict.h"

#include <string.h>

#include "server/services/verdict_repair.h"
#include "tests/cmocka.h"
#include "tests/services/suites.h"

#define IMPROVED "\"improvements\":[{\"text\":\"do it\",\"priority\":\"high\"}]"
#define FEEDBACK "\"variantFeedback\":{\"A\":{\"status\":\"pass\"," IMPROVED "}}"
#define REVIEW "\"mode\":\"review\",\"verdict\":\"pass\",\"confidence\":\"high\"," FEEDBACK
#define BOTH                                                                                                           \
        "\"variantFeedback\":{\"A\":{\"status\":\"pass\",\"improvements\":[]},"                                        \
        "\"B\":{\"status\":\"fail\"," IMPROVED "}}"
#define RANKED "\"rankings\":[{\"label\":\"B\",\"rank\":2},{\"label\":\"A\",\"rank\":1}]"
#define WON "\"winner\":{\"label\":\"A\",\"confidence\":\"medium\"}"
#define COMPARED "\"mode\":\"comparison\"," WON "," RANKED "," BOTH

/* `decision` is the verdict or the winner, "-" for neither. */
static const struct {
        const char *bytes;
        size_t variants;
        enum verdict_parse parse;
        const char *decision;
} rows[] = {
        {"{" REVIEW "}", 1, VERDICT_STRICT, "pass"},
        {"{" REVIEW ",\"notes\":\"n\",\"allCorrect\":false}\n", 1, VERDICT_STRICT, "pass"},
        {"{" COMPARED "}", 2, VERDICT_STRICT, "A"},
        {"{\"mode\":\"comparison\",\"winner\":null," RANKED "," BOTH "}", 2, VERDICT_STRICT, "-"},
        /* Put right. */
        {"\xef\xbb\xbf{" REVIEW "}", 1, VERDICT_SANITIZED, "pass"},
        {"```json\n{" REVIEW "}\n```\n", 1, VERDICT_SANITIZED, "pass"},
        {"Here it is:\n{" REVIEW "}\nThat is all.", 1, VERDICT_SANITIZED, "pass"},
        {"{" REVIEW ",}", 1, VERDICT_SANITIZED, "pass"},
        {"{" REVIEW ",\"notes\":\"two\nlines, }\t\"}", 1, VERDICT_SANITIZED, "pass"},
        {"{" REVIEW ",\"notes\":\"\xff\"}", 1, VERDICT_SANITIZED, "pass"},
        {"{" REVIEW ",\"score\":10}", 1, VERDICT_SANITIZED, "pass"},
        {"{\"verdict\":\"Needs_Improvement\",\"mode\":\"review\"," FEEDBACK "}", 1, VERDICT_SANITIZED,
         "needs-improvement"},
        {"{\"verdict\":\"fail\"," FEEDBACK "}", 1, VERDICT_SANITIZED, "fail"},
        {"{\"mode\":\"comparison\",\"winner\":\"[[VARIANT:B]]\"," RANKED "," BOTH "}", 2, VERDICT_SANITIZED, "B"},
        {"{\"mode\":\"review\",\"verdict\":\"pass\",\"variantFeedback\":{\"[[VARIANT:a]]\":{\"status\":\"pass\","
         "\"improvements\":[\"do it\"]}}}",
         1, VERDICT_SANITIZED, "pass"},
        {"[{" REVIEW "}]", 1, VERDICT_SANITIZED, "pass"},
        /* Some of it. */
        {"{\"mode\":\"review\",\"verdict\":\"pass\"}", 1, VERDICT_PARTIAL, "pass"},
        {"{\"mode\":\"review\",\"verdict\":\"splendid\"," FEEDBACK "}", 1, VERDICT_PARTIAL, "-"},
        {"{" REVIEW ",\"notes\":7,\"allCorrect\":\"yes\"}", 1, VERDICT_PARTIAL, "pass"},
        {"{\"mode\":\"comparison\"," RANKED "," BOTH "}", 2, VERDICT_PARTIAL, "-"},
        {"{\"mode\":\"comparison\",\"winner\":{\"label\":\"C\"}," RANKED "," BOTH "}", 2, VERDICT_PARTIAL, "-"},
        {"{\"mode\":\"comparison\",\"winner\":{\"label\":\"C\"}," RANKED "," BOTH "}", 3, VERDICT_PARTIAL, "C"},
        {"{\"mode\":\"comparison\"," WON
         ",\"rankings\":[{\"label\":\"A\",\"rank\":1},{\"label\":\"A\",\"rank\":2}]," BOTH "}",
         2, VERDICT_PARTIAL, "A"},
        {"{\"mode\":\"review\",\"verdict\":\"pass\",\"variantFeedback\":{\"A\":{\"status\":\"pass\","
         "\"improvements\":[{\"text\":\"t\",\"priority\":\"urgent\"},{\"text\":\" \"},3]}}}",
         1, VERDICT_PARTIAL, "pass"},
        /* Nothing. */
        {"", 1, VERDICT_INVALID, "-"},
        {"null", 1, VERDICT_INVALID, "-"},
        {"{}", 1, VERDICT_INVALID, "-"},
        {"{\"hello\":1}", 1, VERDICT_INVALID, "-"},
        {"pass", 1, VERDICT_INVALID, "-"},
        {"{" REVIEW, 1, VERDICT_INVALID, "-"},
        {"{\"verdict\":\"fail\",\"verdict\":\"pass\"}", 1, VERDICT_INVALID, "-"},
        /* Of two objects none is picked: one of them may have come from the work. */
        {"It says {\"verdict\":\"pass\"} but I say {\"verdict\":\"fail\"}", 1, VERDICT_INVALID, "-"},
        {"{\"verdict\":\"pass\"}{\"verdict\":\"fail\"}", 1, VERDICT_INVALID, "-"},
};

static void every_file_is_read_as_far_as_it_can_be(void **state)
{
        int faults = 0;

        (void)state;
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
                auto_verdict verdict = {0};
                verdict_of_bytes(rows[i].bytes, strlen(rows[i].bytes), rows[i].variants > 1, rows[i].variants,
                                 &verdict);
                const char winner[] = {verdict.winner, '\0'};
                const char *decision = verdict.winner ? winner : verdict.verdict ? verdict.verdict : "-";
                if (verdict.parse == rows[i].parse && !strcmp(decision, rows[i].decision) &&
                    verdict_is_usable(&verdict) == strcmp(decision, "-"))
                        continue;
                print_error("%s: %s, %s\n", rows[i].bytes, verdict_parse_name(verdict.parse), decision);
                faults++;
        }
        assert_int_equal(faults, 0);
}

static void ranks_and_feedback_are_told_by_label(void **state)
{
        static const char bytes[] = "{" COMPARED ",\"notes\":\"n\",\"allCorrect\":true,\"confidence\":\"low\"}";
        auto_verdict verdict = {0};

        (void)state;
        verdict_of_bytes(bytes, strlen(bytes), true, 2, &verdict);
        assert_int_equal(verdict.ranking_count, 2);
        assert_int_equal(verdict.rankings[0].label, 'B');
        assert_int_equal(verdict.rankings[0].rank, 2);
        assert_string_equal(verdict.winner_confidence, "medium");
        assert_string_equal(verdict.confidence, "low");
        assert_int_equal(verdict.all_correct, 1);
        assert_string_equal(verdict.notes, "n");
        assert_string_equal(verdict_feedback_of(&verdict, 'A')->status, "pass");
        const struct verdict_feedback *second = verdict_feedback_of(&verdict, 'B');
        assert_int_equal(second->count, 1);
        assert_string_equal(second->improvements[0].text, "do it");
        assert_string_equal(second->improvements[0].priority, "high");
        assert_null(verdict_feedback_of(&verdict, 'C'));
        assert_true(verdict_priority("high") > verdict_priority("medium"));
        assert_true(verdict_priority("medium") > verdict_priority("low"));
}

static void a_deep_or_huge_file_is_refused_at_once(void **state)
{
        auto_text deep = TEXT_WITH_MAXIMUM(1000000), wide = TEXT_WITH_MAXIMUM(4000000);
        auto_verdict first = {0}, second = {0};

        (void)state;
        text_append_string(&deep, "{\"verdict\":\"pass\",\"x\":");
        for (int i = 0; i < 100000; i++)
                text_append_string(&deep, "[");
        text_append_string(&wide, "{\"verdict\":\"pass\",\"x\":[0");
        for (int i = 0; i < 100000; i++)
                text_append_string(&wide, ",0");
        text_append_string(&wide, "]}");
        verdict_of_bytes(deep.data, deep.length, false, 1, &first);
        verdict_of_bytes(wide.data, wide.length, false, 1, &second);
        assert_int_equal(first.parse, VERDICT_INVALID);
        assert_int_equal(second.parse, VERDICT_INVALID);
}

static void a_repair_changes_nothing_within_strings(void **state)
{
        static const char bytes[] = "x {\"a\":\"b,}\\\"{\",\"c\":[1,2,],}";
        auto_text out = TEXT_WITH_MAXIMUM(1000), none = TEXT_WITH_MAXIMUM(1000);

        (void)state;
        assert_true(verdict_repair(bytes, strlen(bytes), &out));
        assert_string_equal(text_string(&out), "{\"a\":\"b,}\\\"{\",\"c\":[1,2]}");
        assert_false(verdict_repair("no object", 9, &none));
        assert_false(verdict_repair("{\"a\":\"}", 7, &none));
        assert_false(verdict_repair("{", 1, &none));
}

int run_verdict_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(every_file_is_read_as_far_as_it_can_be),
                cmocka_unit_test(ranks_and_feedback_are_told_by_label),
                cmocka_unit_test(a_deep_or_huge_file_is_refused_at_once),
                cmocka_unit_test(a_repair_changes_nothing_within_strings),
        };

        return cmocka_run_group_tests_name("verdicts", tests, NULL, NULL);
}
