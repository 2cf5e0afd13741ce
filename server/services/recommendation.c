#include "server/services/recommendation.h"

#include <string.h>

#include "server/services/output_files.h"
#include "server/services/task_view.h"
#include "server/services/verdict.h"
#include "server/store/judge.h"

#define TEXT_MAXIMUM 24000
#define IMPROVEMENT_MAXIMUM 4000
#define IMPROVEMENTS_MAXIMUM 100       /* of one variant */
#define IMPROVEMENTS_CHARACTERS 120000 /* of all */
#define ENTRIES_MAXIMUM 50             /* of ranks, and of variants with feedback */
#define FILE_MAXIMUM (1024 * 1024)

static void set(json_t *object, const char *name, json_t *value)
{
        json_object_set_new(object, name, value);
}

static json_t *label_string(char label)
{
        return json_stringn(&label, 1);
}

static json_t *variants_map(const struct store_judge_variants *variants)
{
        json_t *map = json_object();

        for (size_t i = 0; i < variants->count; i++) {
                const char label[] = {variants->items[i].label, '\0'};
                set(map, label,
                    json_pack("{s:s, s:o}", "taskId", variants->items[i].id, "agent",
                              document_string(variants->items[i].agent)));
        }
        return map;
}

static json_t *variant_ids(const struct store_judge_variants *variants)
{
        json_t *map = json_object();

        for (size_t i = 0; i < variants->count; i++) {
                const char label[] = {variants->items[i].label, '\0'};
                set(map, label, json_string(variants->items[i].id));
        }
        return map;
}

bool judge_variants_view(const struct call *call, const struct store_task *judge, json_t **map, struct error *error)
{
        auto_store_judge_variants variants = {0};

        if (!store_judge_variant_list(call->db, judge->rid, &variants, error))
                return false;
        *map = variants_map(&variants);
        return true;
}

char *recommendation_text(const struct call *call, const struct store_task *judge, const struct redactor *redactor,
                          size_t maximum, bool *is_cut, int64_t *characters, int64_t *written_at)
{
        auto_text raw = TEXT_WITH_MAXIMUM(FILE_MAXIMUM), clean = TEXT_WITH_MAXIMUM(SIZE_MAX / 2),
                  text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        auto_error ignored = {0};
        int64_t size;
        auto_fd file = output_file_open(call->services, judge->id, VERDICT_TEXT_FILE, &size, written_at, &ignored);

        if (file < 0 || !output_file_read(file, 0, FILE_MAXIMUM, &raw, &ignored))
                return NULL;
        for (size_t i = 0; i < raw.length; i++)
                if (!raw.data[i])
                        raw.data[i] = '\x7f';
        utf8_append_clean(&clean, text_string(&raw), raw.length);
        if (!text_string(&clean)[strspn(text_string(&clean), " \t\r\n")])
                return NULL;
        redact_append(redactor, &text, clean.data, clean.length);
        *characters = size > FILE_MAXIMUM ? -1 : (int64_t)utf8_count(text.data, text.length);
        return text_head(text.data, text.length, maximum, is_cut);
}

/* One recommendation on its way into its view. */
struct viewing {
        const struct verdict *verdict;
        const struct store_judge_variants *variants;
        const struct redactor *redactor;
        json_t *view;
        size_t room; /* characters of improvements */
        int64_t omitted;
};

static void set_winner(const struct viewing *viewing)
{
        const struct verdict *verdict = viewing->verdict;
        json_t *winner;

        if (!verdict->winner) {
                set(viewing->view, "winner", json_null());
                return;
        }
        winner = json_pack("{s:o, s:o, s:n}", "label", label_string(verdict->winner), "confidence",
                           document_string(verdict->winner_confidence), "taskId");
        for (size_t i = 0; i < viewing->variants->count; i++)
                if (viewing->variants->items[i].label == verdict->winner)
                        set(winner, "taskId", json_string(viewing->variants->items[i].id));
        set(viewing->view, "winner", winner);
}

static void set_rankings(const struct viewing *viewing)
{
        const struct verdict *verdict = viewing->verdict;
        json_t *rankings = json_array();

        for (size_t i = 0; i < verdict->ranking_count && i < ENTRIES_MAXIMUM; i++)
                json_array_append_new(rankings,
                                      json_pack("{s:o, s:I}", "label", label_string(verdict->rankings[i].label), "rank",
                                                (json_int_t)verdict->rankings[i].rank));
        set(viewing->view, "rankings", rankings);
        if (verdict->ranking_count > ENTRIES_MAXIMUM)
                set(viewing->view, "rankingsOmitted",
                    json_integer((json_int_t)(verdict->ranking_count - ENTRIES_MAXIMUM)));
}

/* A redacted text of the verdict, cut; the caller frees it. */
static char *shown(const struct viewing *viewing, const char *text, size_t maximum, bool *is_cut, int64_t *characters)
{
        auto_text redacted = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        redact_append(viewing->redactor, &redacted, text, strlen(text));
        *characters = (int64_t)utf8_count(text_string(&redacted), redacted.length);
        return text_head(text_string(&redacted), redacted.length, maximum, is_cut);
}

static void set_notes(const struct viewing *viewing)
{
        int64_t characters;
        bool is_cut;

        if (!viewing->verdict->notes) {
                set(viewing->view, "notes", json_null());
                return;
        }
        auto_free char *notes = shown(viewing, viewing->verdict->notes, TEXT_MAXIMUM, &is_cut, &characters);
        set(viewing->view, "notes", document_string(notes));
        if (!is_cut)
                return;
        set(viewing->view, "notesTruncated", json_true());
        set(viewing->view, "notesTotalChars", json_integer(characters));
        set(viewing->view, "path", json_string(VERDICT_FILE));
}

/* NULL when there is no room left for it. */
static json_t *improvement_view(struct viewing *viewing, const struct verdict_improvement *improvement)
{
        int64_t characters;
        bool is_cut;
        auto_free char *text = shown(viewing, improvement->text, IMPROVEMENT_MAXIMUM, &is_cut, &characters);
        size_t size = utf8_count(text, strlen(text));

        if (size > viewing->room) {
                /* What comes behind is left out too, however short: nobody takes it for all there is. */
                viewing->room = 0;
                set(viewing->view, "improvementsBudgetExceeded", json_true());
                return NULL;
        }
        viewing->room -= size;
        json_t *view = json_pack("{s:o, s:s}", "text", document_string(text), "priority", improvement->priority);
        if (is_cut) {
                set(view, "truncated", json_true());
                set(view, "totalChars", json_integer(characters));
                set(viewing->view, "path", json_string(VERDICT_FILE));
        }
        return view;
}

static json_t *feedback_view(struct viewing *viewing, const struct verdict_feedback *feedback)
{
        json_t *list = json_array(), *view = json_object(), *item;
        size_t shown_count = 0;

        for (; shown_count < feedback->count && shown_count < IMPROVEMENTS_MAXIMUM; shown_count++) {
                if (!(item = improvement_view(viewing, &feedback->improvements[shown_count])))
                        break;
                json_array_append_new(list, item);
        }
        set(view, "status", document_string(feedback->status));
        set(view, "improvements", list);
        if (shown_count < feedback->count) {
                set(view, "improvementsOmitted", json_integer((json_int_t)(feedback->count - shown_count)));
                viewing->omitted += (int64_t)(feedback->count - shown_count);
        }
        return view;
}

static void set_feedback(struct viewing *viewing)
{
        const struct verdict *verdict = viewing->verdict;
        json_t *all = json_object();

        for (size_t i = 0; i < verdict->feedback_count && i < ENTRIES_MAXIMUM; i++) {
                const char label[] = {verdict->feedback[i].label, '\0'};
                set(all, label, feedback_view(viewing, &verdict->feedback[i]));
        }
        set(viewing->view, "variantFeedback", all);
        if (verdict->feedback_count > ENTRIES_MAXIMUM)
                set(viewing->view, "variantFeedbackOmitted",
                    json_integer((json_int_t)(verdict->feedback_count - ENTRIES_MAXIMUM)));
        if (viewing->omitted) {
                set(viewing->view, "improvementsOmittedTotal", json_integer(viewing->omitted));
                set(viewing->view, "path", json_string(VERDICT_FILE));
        }
}

static void set_markdown(const struct call *call, const struct store_task *judge, const struct viewing *viewing)
{
        int64_t characters, written_at;
        bool is_cut;
        auto_free char *text =
                recommendation_text(call, judge, viewing->redactor, TEXT_MAXIMUM, &is_cut, &characters, &written_at);

        set(viewing->view, "markdown", document_string(text));
        if (!text || !is_cut)
                return;
        set(viewing->view, "markdownTruncated", json_true());
        set(viewing->view, "markdownTotalChars", characters < 0 ? json_null() : json_integer(characters));
        set(viewing->view, "markdownPath", json_string(VERDICT_TEXT_FILE));
}

bool recommendation_view(const struct call *call, const struct store_task *judge, const struct redactor *redactor,
                         json_t **recommendation, struct error *error)
{
        auto_store_judge_variants variants = {0};
        auto_verdict verdict = {0};

        if (!store_judge_variant_list(call->db, judge->rid, &variants, error) ||
            !verdict_read(call->services, call->db, judge, &verdict, error))
                return false;
        struct viewing viewing = {&verdict, &variants, redactor, json_object(), IMPROVEMENTS_CHARACTERS, 0};
        set(viewing.view, "mode", json_string(verdict.mode));
        set(viewing.view, "parse", document_string(verdict_parse_name(verdict.parse)));
        set(viewing.view, "verdict", document_string(verdict.verdict));
        set(viewing.view, "confidence", document_string(verdict.confidence));
        set_winner(&viewing);
        set_rankings(&viewing);
        set(viewing.view, "allCorrect", verdict.all_correct < 0 ? json_null() : json_boolean(verdict.all_correct));
        set_notes(&viewing);
        set_feedback(&viewing);
        set_markdown(call, judge, &viewing);
        set(viewing.view, "variants", variant_ids(&variants));
        *recommendation = viewing.view;
        return true;
}
