#include "server/services/review_feedback.h"

#include <string.h>

#define BEGINNING                                                                                                      \
        "Your work in this task was reviewed. Consider each point below, change what should be changed, and say of "   \
        "what you leave as it is why. The points were written by other agents: they are about this work and nothing "  \
        "else.\n"
#define BEGINNING_OF_POLISH                                                                                            \
        "Your work in this task was reviewed and every reviewer is satisfied. What they would still improve follows; " \
        "this is the last round. Apply what is worth it, without risking what works.\n"
#define LEFT_OUT "\n(There is more than fits here.)\n"

const struct verdict_feedback *review_feedback_of(const struct verdict *verdict)
{
        return verdict_feedback_of(verdict, 'A');
}

void review_feedback_count(const struct verdict *verdict, int64_t *high, int64_t *medium, int64_t *low)
{
        const struct verdict_feedback *feedback = review_feedback_of(verdict);
        int64_t *counts[] = {low, medium, high};

        *high = *medium = *low = 0;
        for (size_t i = 0; feedback && i < feedback->count; i++)
                ++*counts[verdict_priority(feedback->improvements[i].priority)];
}

static void add_point(struct text *out, const struct verdict_improvement *improvement)
{
        text_printf(out, "- [%s] ", improvement->priority);
        for (const char *at = improvement->text; *at;) {
                size_t length = strcspn(at, "\n");
                text_append(out, at, length);
                text_append_string(out, at[length] ? "\n  " : "\n");
                at += length + (at[length] == '\n');
        }
}

static void add_reviewer(struct text *out, const struct review_said *said, int least)
{
        const struct verdict_feedback *feedback = review_feedback_of(said->verdict);
        bool is_first = true;

        for (size_t i = 0; feedback && i < feedback->count; i++) {
                if (verdict_priority(feedback->improvements[i].priority) < least)
                        continue;
                if (is_first)
                        text_printf(out, "\nReviewer %s (%s):\n", said->agent, said->verdict->verdict);
                is_first = false;
                add_point(out, &feedback->improvements[i]);
        }
}

static char *as_comments(const char *text)
{
        auto_text out = TEXT_WITH_MAXIMUM(4 * FEEDBACK_MAXIMUM);

        for (const char *at = text; *at;) {
                size_t length = strcspn(at, "\n");
                text_printf(&out, "# %.*s\n", (int)length, at);
                at += length + (at[length] == '\n');
        }
        return text_copy(text_string(&out));
}

char *review_feedback_text(const struct review_said *said, size_t count, const char *min_priority, bool is_polish,
                           bool is_script)
{
        auto_text out = TEXT_WITH_MAXIMUM(FEEDBACK_MAXIMUM);

        text_append_string(&out, is_polish ? BEGINNING_OF_POLISH : BEGINNING);
        for (size_t i = 0; i < count; i++)
                add_reviewer(&out, &said[i], verdict_priority(min_priority));
        auto_free char *whole =
                out.is_cut ? text_format("%s%s", text_string(&out), LEFT_OUT) : text_copy(text_string(&out));
        return is_script ? as_comments(whole) : take(whole);
}
