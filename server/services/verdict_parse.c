#include <string.h>

#include "server/base/document.h"
#include "server/services/judge.h"
#include "server/services/verdict.h"
#include "server/services/verdict_repair.h"

/* What the schema allows is far below these. */
#define DEPTH_MAXIMUM 16
#define VALUES_MAXIMUM 50000
#define MEMBER_NAME_MAXIMUM 256
#define WORD_MAXIMUM 64

static const char *const verdicts[] = {VERDICT_PASS, VERDICT_NEEDS_IMPROVEMENT, VERDICT_FAIL, NULL};
static const char *const levels[] = {"high", "medium", "low", NULL};

/* One file on its way into a verdict, which can only get worse. */
struct parsing {
        struct verdict *verdict;
        size_t variants;
        bool is_comparison, has_something;
};

static void worsen(struct parsing *parsing, enum verdict_parse parse)
{
        if (parse < parsing->verdict->parse)
                parsing->verdict->parse = parse;
}

/* Members beyond the schema are dropped. */
static void check_members(struct parsing *parsing, json_t *object, const char *const *known)
{
        const char *name;
        json_t *value;

        json_object_foreach(object, name, value)
        {
                bool is_known = false;
                for (size_t i = 0; known[i]; i++)
                        is_known = is_known || !strcmp(known[i], name);
                if (!is_known)
                        worsen(parsing, VERDICT_SANITIZED);
        }
}

/* "Needs_Improvement" as "needs-improvement". False when it is too long for any word. */
static bool normalise(const char *word, char out[WORD_MAXIMUM])
{
        size_t length = 0;

        word += strspn(word, " \t\r\n");
        for (; word[length] && length < WORD_MAXIMUM - 1; length++) {
                char c = word[length];
                out[length] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c == '_' || c == ' ' ? '-' : c;
        }
        if (word[length])
                return false;
        while (length && out[length - 1] == '-')
                length--;
        out[length] = '\0';
        return true;
}

static const char *find_word(const char *const *words, const char *word)
{
        for (size_t i = 0; words[i]; i++)
                if (!strcmp(words[i], word))
                        return words[i];
        return NULL;
}

/* The one of the words that the member is. An absent one is NULL, and makes the verdict partial when it is required. */
static const char *read_word(struct parsing *parsing, const json_t *object, const char *name, const char *const *words,
                             bool is_required)
{
        const json_t *value = json_object_get(object, name);
        const char *text = json_string_value(value), *found = text ? find_word(words, text) : NULL;
        char plain[WORD_MAXIMUM];

        if (!found && text && normalise(text, plain) && (found = find_word(words, plain)))
                worsen(parsing, VERDICT_SANITIZED);
        if (!found && (is_required || value))
                worsen(parsing, VERDICT_PARTIAL);
        parsing->has_something = parsing->has_something || found;
        return found;
}

/* The label in "B" or "[[VARIANT:B]]", 0 when there is no such variant. */
static char label_of(struct parsing *parsing, const char *text)
{
        static const char before[] = "[[VARIANT:", behind[] = "]]";
        size_t length = strlen(text);
        bool is_marker = length == sizeof before + sizeof behind - 1 && !strncmp(text, before, sizeof before - 1) &&
                         !strcmp(text + sizeof before, behind);
        char label = is_marker ? text[sizeof before - 1] : length == 1 ? *text : '\0';

        if (label >= 'a' && label <= 'z')
                label = (char)(label - 'a' + 'A');
        if (label < 'A' || label >= (char)('A' + parsing->variants)) {
                worsen(parsing, VERDICT_PARTIAL);
                return '\0';
        }
        if (is_marker || label != *text)
                worsen(parsing, VERDICT_SANITIZED);
        return label;
}

static void read_winner(struct parsing *parsing, const json_t *root)
{
        static const char *const known[] = {"label", "confidence", NULL};
        json_t *winner = json_object_get(root, "winner");
        const char *label = document_get_string(winner, "label");

        if (!parsing->is_comparison) {
                if (winner && !json_is_null(winner))
                        worsen(parsing, VERDICT_SANITIZED);
                return;
        }
        if (json_is_string(winner)) {
                worsen(parsing, VERDICT_SANITIZED);
                label = json_string_value(winner);
        } else if (json_is_object(winner)) {
                check_members(parsing, winner, known);
                parsing->verdict->winner_confidence = read_word(parsing, winner, "confidence", levels, false);
        }
        if (label)
                parsing->verdict->winner = label_of(parsing, label);
        else if (!json_is_null(winner))
                worsen(parsing, VERDICT_PARTIAL);
        parsing->has_something = parsing->has_something || parsing->verdict->winner || json_is_null(winner);
}

static bool is_ranked(const struct verdict *verdict, char label)
{
        for (size_t i = 0; i < verdict->ranking_count; i++)
                if (verdict->rankings[i].label == label)
                        return true;
        return false;
}

static void read_rank(struct parsing *parsing, json_t *item)
{
        static const char *const known[] = {"label", "rank", NULL};
        struct verdict *verdict = parsing->verdict;
        const char *text = document_get_string(item, "label");
        int64_t rank = document_get_integer(item, "rank", 0);
        char label = text ? label_of(parsing, text) : '\0';

        if (!label || rank < 1 || rank > JUDGE_VARIANTS_MAXIMUM || is_ranked(verdict, label)) {
                worsen(parsing, VERDICT_PARTIAL);
                return;
        }
        check_members(parsing, item, known);
        verdict->rankings = memory_resize(verdict->rankings, (verdict->ranking_count + 1) * sizeof *verdict->rankings);
        verdict->rankings[verdict->ranking_count++] = (struct verdict_rank){label, rank};
        parsing->has_something = true;
}

static void read_rankings(struct parsing *parsing, const json_t *root)
{
        json_t *rankings = json_object_get(root, "rankings"), *item;
        size_t i;

        if (!json_is_array(rankings)) {
                if (rankings || parsing->is_comparison)
                        worsen(parsing, VERDICT_PARTIAL);
                return;
        }
        json_array_foreach(rankings, i, item)
        {
                read_rank(parsing, item);
        }
        if (parsing->is_comparison && parsing->verdict->ranking_count < parsing->variants)
                worsen(parsing, VERDICT_PARTIAL);
}

static void read_improvement(struct parsing *parsing, json_t *item, struct verdict_feedback *feedback)
{
        static const char *const known[] = {"text", "priority", NULL};
        const char *text = json_is_string(item) ? json_string_value(item) : document_get_string(item, "text");
        const char *priority = NULL;

        if (!text || !text[strspn(text, " \t\r\n")]) {
                worsen(parsing, VERDICT_PARTIAL);
                return;
        }
        if (json_is_object(item)) {
                check_members(parsing, item, known);
                priority = read_word(parsing, item, "priority", levels, true);
        } else {
                worsen(parsing, VERDICT_SANITIZED);
        }
        feedback->improvements =
                memory_resize(feedback->improvements, (feedback->count + 1) * sizeof *feedback->improvements);
        feedback->improvements[feedback->count++] =
                (struct verdict_improvement){text_copy(text), priority ? priority : "medium"};
        parsing->has_something = true;
}

static void read_feedback(struct parsing *parsing, const char *name, json_t *value)
{
        static const char *const known[] = {"status", "improvements", NULL};
        struct verdict *verdict = parsing->verdict;
        json_t *improvements = json_object_get(value, "improvements"), *item;
        char label = label_of(parsing, name);
        size_t i;

        if (!label || !json_is_object(value) || verdict_feedback_of(verdict, label)) {
                worsen(parsing, VERDICT_PARTIAL);
                return;
        }
        check_members(parsing, value, known);
        verdict->feedback = memory_resize(verdict->feedback, (verdict->feedback_count + 1) * sizeof *verdict->feedback);
        struct verdict_feedback *feedback = &verdict->feedback[verdict->feedback_count++];
        *feedback = (struct verdict_feedback){.label = label};
        feedback->status = read_word(parsing, value, "status", verdicts, true);
        if (!json_is_array(improvements))
                worsen(parsing, VERDICT_PARTIAL);
        json_array_foreach(improvements, i, item)
        {
                read_improvement(parsing, item, feedback);
        }
}

static int by_label(const void *a, const void *b)
{
        return ((const struct verdict_feedback *)a)->label - ((const struct verdict_feedback *)b)->label;
}

static void read_all_feedback(struct parsing *parsing, const json_t *root)
{
        struct verdict *verdict = parsing->verdict;
        json_t *all = json_object_get(root, "variantFeedback"), *value;
        const char *name;

        if (!json_is_object(all))
                worsen(parsing, VERDICT_PARTIAL);
        json_object_foreach(all, name, value)
        {
                read_feedback(parsing, name, value);
        }
        if (verdict->feedback_count < parsing->variants)
                worsen(parsing, VERDICT_PARTIAL);
        if (verdict->feedback_count)
                qsort(verdict->feedback, verdict->feedback_count, sizeof *verdict->feedback, by_label);
}

static void read_rest(struct parsing *parsing, const json_t *root)
{
        struct verdict *verdict = parsing->verdict;
        const json_t *correct = json_object_get(root, "allCorrect"), *notes = json_object_get(root, "notes");
        const char *mode = document_get_string(root, "mode");

        /* Which of the two it is, the judge does not decide. */
        if (!mode || strcmp(mode, verdict->mode))
                worsen(parsing, VERDICT_SANITIZED);
        if (json_is_boolean(correct))
                verdict->all_correct = json_is_true(correct);
        else if (correct)
                worsen(parsing, VERDICT_PARTIAL);
        if (json_is_string(notes))
                verdict->notes = text_copy(json_string_value(notes));
        else if (notes)
                worsen(parsing, VERDICT_PARTIAL);
        parsing->has_something = parsing->has_something || verdict->notes;
}

static json_t *parse(const char *bytes, size_t length)
{
        static const struct document_limits limits = {DEPTH_MAXIMUM, VALUES_MAXIMUM, MEMBER_NAME_MAXIMUM};
        auto_error ignored = {0};
        json_t *root = document_parse_within(bytes, length, &limits, &ignored);

        if (root && !json_is_object(root)) {
                json_decref(root);
                root = NULL;
        }
        return root;
}

void verdict_of_bytes(const char *bytes, size_t length, bool is_comparison, size_t variants, struct verdict *verdict)
{
        static const char *const known[] = {"mode",       "verdict", "confidence",      "winner", "rankings",
                                            "allCorrect", "notes",   "variantFeedback", NULL};
        struct parsing parsing = {.verdict = verdict, .variants = variants, .is_comparison = is_comparison};
        auto_text repaired = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        auto_json *root = parse(bytes, length);

        *verdict = (struct verdict){
                .parse = VERDICT_STRICT, .mode = is_comparison ? JUDGE_COMPARISON : JUDGE_REVIEW, .all_correct = -1};
        if (!root && verdict_repair(bytes, length, &repaired)) {
                worsen(&parsing, VERDICT_SANITIZED);
                root = parse(repaired.data, repaired.length);
        }
        if (root) {
                check_members(&parsing, root, known);
                verdict->verdict = read_word(&parsing, root, "verdict", verdicts, !is_comparison);
                verdict->confidence = read_word(&parsing, root, "confidence", levels, false);
                read_winner(&parsing, root);
                read_rankings(&parsing, root);
                read_all_feedback(&parsing, root);
                read_rest(&parsing, root);
        }
        if (!parsing.has_something)
                worsen(&parsing, VERDICT_INVALID);
}
