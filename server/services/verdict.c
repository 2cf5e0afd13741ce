#include "server/services/verdict.h"

#include <string.h>

#include "server/services/judge.h"
#include "server/services/output_files.h"
#include "server/store/judge.h"

static const char *const parse_names[] = {[VERDICT_MISSING] = NULL,
                                          [VERDICT_INVALID] = "invalid",
                                          [VERDICT_PARTIAL] = "partial",
                                          [VERDICT_SANITIZED] = "sanitized",
                                          [VERDICT_STRICT] = "strict"};
static const char *const priorities[] = {"low", "medium", "high"};

const char *verdict_parse_name(enum verdict_parse parse)
{
        return parse_names[parse];
}

void verdict_clear(struct verdict *verdict)
{
        for (size_t i = 0; i < verdict->feedback_count; i++) {
                for (size_t j = 0; j < verdict->feedback[i].count; j++)
                        free(verdict->feedback[i].improvements[j].text);
                free(verdict->feedback[i].improvements);
        }
        free(verdict->feedback);
        free(verdict->rankings);
        free(verdict->notes);
        *verdict = (struct verdict){0};
}

bool verdict_is_usable(const struct verdict *verdict)
{
        if (verdict->parse < VERDICT_PARTIAL)
                return false;
        return strcmp(verdict->mode, JUDGE_REVIEW) ? verdict->winner != '\0' : verdict->verdict != NULL;
}

const struct verdict_feedback *verdict_feedback_of(const struct verdict *verdict, char label)
{
        for (size_t i = 0; i < verdict->feedback_count; i++)
                if (verdict->feedback[i].label == label)
                        return &verdict->feedback[i];
        return NULL;
}

int verdict_priority(const char *priority)
{
        for (size_t i = 0; i < COUNT_OF(priorities); i++)
                if (!strcmp(priorities[i], priority))
                        return (int)i;
        return 0;
}

bool verdict_read(const struct services *services, struct store_db *db, const struct store_task *judge,
                  struct verdict *verdict, struct error *error)
{
        bool is_comparison = judge->judge_mode && !strcmp(judge->judge_mode, JUDGE_COMPARISON);
        auto_text content = TEXT_WITH_MAXIMUM(VERDICT_BYTES_MAXIMUM);
        auto_store_judge_variants variants = {0};
        auto_error missing = {0};
        int64_t size;

        if (!store_judge_variant_list(db, judge->rid, &variants, error))
                return false;
        auto_fd file = output_file_open(services, judge->id, VERDICT_FILE, &size, NULL, &missing);
        if (file < 0) {
                *verdict = (struct verdict){.mode = is_comparison ? JUDGE_COMPARISON : JUDGE_REVIEW, .all_correct = -1};
                return true;
        }
        if (size > VERDICT_BYTES_MAXIMUM)
                text_append_string(&content, "too large");
        else if (!output_file_read(file, 0, VERDICT_BYTES_MAXIMUM, &content, error))
                return false;
        verdict_of_bytes(text_string(&content), content.length, is_comparison, variants.count, verdict);
        return true;
}
