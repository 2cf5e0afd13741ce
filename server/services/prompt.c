#include "server/services/prompt.h"

#include <string.h>

#include "server/services/task_view.h"
#include "server/store/turn.h"

static const struct {
        const char *kind;
        bool is_generated;
} parts[PROMPT_PART_COUNT] = {
        [PROMPT_JUDGE] = {"judge", true},
        [PROMPT_TEMPLATE] = {"template", false},
        [PROMPT_INSTRUCTIONS] = {"instructions", false},
        [PROMPT_HANDOFF] = {"handoff", true},
        [PROMPT_ATTACHMENTS] = {"attachments", true},
};

void prompt_clear(struct prompt *prompt)
{
        for (size_t i = 0; i < PROMPT_PART_COUNT; i++)
                free(prompt->generated[i]);
        *prompt = (struct prompt){0};
}

static void set(struct prompt *prompt, enum prompt_part part, char *text)
{
        prompt->generated[part] = text;
        prompt->parts[part] = text;
}

static char *handoff_part(const struct handoff_input *handoff)
{
        bool is_cut;
        auto_free char *summary =
                text_head(handoff->summary, strlen(handoff->summary), PROMPT_HANDOFF_MAXIMUM, &is_cut);

        return text_format("## Handoff context\n\nThis work continues %s. The whole handoff is in "
                           "/task-output/attachments/" HANDOFF_FILE ".\n\n%s",
                           handoff->source ? handoff->source : "another session", summary);
}

static char *attachments_part(const struct upload *upload)
{
        struct text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        text_append_string(&text, "Attached files:\n");
        for (size_t i = 0; i < upload->count; i++)
                text_printf(&text, "- /task-output/attachments/%s (%lld bytes)\n", upload->files[i].filename,
                            (long long)upload->files[i].size);
        return text_take(&text);
}

void prompt_generate(struct prompt *prompt, const struct handoff_input *handoff, const struct upload *upload)
{
        if (handoff)
                set(prompt, PROMPT_HANDOFF, handoff_part(handoff));
        if (upload && upload->count)
                set(prompt, PROMPT_ATTACHMENTS, attachments_part(upload));
}

/* Appends every line as a comment. */
static void append_comment(struct text *out, const char *text)
{
        for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
                end = strchrnul(line, '\n');
                text_printf(out, "# %.*s\n", (int)(end - line), line);
        }
}

static char *join(const struct prompt *prompt, bool is_script)
{
        struct text out = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        for (size_t i = 0; i < PROMPT_PART_COUNT; i++) {
                if (!prompt->parts[i])
                        continue;
                if (out.length)
                        text_append_string(&out, "\n\n");
                if (is_script && parts[i].is_generated)
                        append_comment(&out, prompt->parts[i]);
                else
                        text_append_string(&out, prompt->parts[i]);
        }
        return text_take(&out);
}

char *prompt_shown(const struct prompt *prompt)
{
        return join(prompt, false);
}

char *prompt_given(const struct prompt *prompt, const struct agent *agent)
{
        bool has_generated = false;

        for (size_t i = 0; i < PROMPT_PART_COUNT; i++)
                has_generated = has_generated || (parts[i].is_generated && prompt->parts[i]);
        return agent && agent->is_script && has_generated ? join(prompt, true) : NULL;
}

bool prompt_keep(struct store_db *db, const struct prompt *prompt, int64_t turn, struct error *error)
{
        for (size_t i = 0; i < PROMPT_PART_COUNT; i++)
                if (prompt->parts[i] && !store_prompt_part_add(db, turn, parts[i].kind, prompt->parts[i], error))
                        return false;
        return true;
}

struct inheritance {
        struct text text;
        bool has_parts;
};

static void inherit_part(const char *kind, const char *body, void *context)
{
        struct inheritance *inheritance = context;

        inheritance->has_parts = true;
        for (size_t i = 0; i < PROMPT_PART_COUNT; i++)
                if (!strcmp(parts[i].kind, kind) && !parts[i].is_generated)
                        text_printf(&inheritance->text, "%s%s", inheritance->text.length ? "\n\n" : "", body);
}

bool prompt_inherited(struct store_db *db, int64_t task, char **text, struct error *error)
{
        struct inheritance inheritance = {.text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2)};
        auto_free char *found = NULL;

        if (!store_prompt_parts(db, task, inherit_part, &inheritance, error)) {
                text_clear(&inheritance.text);
                return false;
        }
        found = text_take(&inheritance.text);
        if (!inheritance.has_parts) {
                free(found);
                found = NULL;
                if (!store_task_first_text(db, task, &found, error))
                        return false;
        }
        *text = found && found[strspn(found, " \t\r\n")] ? take(found) : NULL;
        return true;
}
