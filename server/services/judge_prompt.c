#include "server/services/judge_prompt.h"

#include <string.h>

#include "server/base/log.h"
#include "server/base/path.h"

#define FILE_MAXIMUM (256 * 1024)

static char *read_own(const struct services *services, const char *mode)
{
        auto_free char *path = text_format("%s/../judge/%s.md", environments_folder(services->environments), mode);
        auto_text content = TEXT_WITH_MAXIMUM(FILE_MAXIMUM);
        struct text clean = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        auto_error error = {0};
        bool is_missing = false;

        if (!path_read(path, FILE_MAXIMUM, &content, &is_missing, &error)) {
                if (!is_missing)
                        log_warning("a judge's prompt cannot be used; the shipped one is", "mode", mode, "reason",
                                    error.message);
                return NULL;
        }
        utf8_append_clean(&clean, text_string(&content), strlen(text_string(&content)));
        return text_take(&clean);
}

static void append_labels(struct text *out, const struct judge_plan *plan)
{
        for (size_t i = 0; i < plan->variants.count; i++)
                text_printf(out, "%s[[VARIANT:%c]]", i ? ", " : "", (char)('A' + i));
}

/* Appends what stands at `at` instead of the placeholder there, and returns its length; 0 when there is none. */
static size_t append_value(struct text *out, const char *at, const struct judge_plan *plan, const char *instructions,
                           bool *is_placed)
{
        static const char mode[] = "{{mode}}", labels[] = "{{labels}}", wanted[] = "{{instructions}}";

        if (!strncmp(at, mode, sizeof mode - 1)) {
                text_append_string(out, plan->mode);
                return sizeof mode - 1;
        }
        if (!strncmp(at, labels, sizeof labels - 1)) {
                append_labels(out, plan);
                return sizeof labels - 1;
        }
        if (strncmp(at, wanted, sizeof wanted - 1))
                return 0;
        text_append_string(out, instructions ? instructions : "");
        *is_placed = true;
        return sizeof wanted - 1;
}

char *judge_prompt(const struct services *services, const struct judge_plan *plan, const char *instructions,
                   bool *is_placed)
{
        bool is_review = !strcmp(plan->mode, JUDGE_REVIEW);
        auto_free char *own = read_own(services, plan->mode);
        struct text out = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        *is_placed = false;
        for (const char *at = own ? own : is_review ? judge_prompt_review : judge_prompt_comparison; *at;) {
                size_t length = append_value(&out, at, plan, instructions, is_placed), plain;
                if (length) {
                        at += length;
                        continue;
                }
                plain = 1 + strcspn(at + 1, "{");
                text_append(&out, at, plain);
                at += plain;
        }
        while (out.length && out.data[out.length - 1] == '\n')
                out.data[--out.length] = '\0';
        return text_take(&out);
}
