#include "server/services/judge_collect.h"

#include <string.h>

#include "server/base/path.h"
#include "server/services/judge_diffs.h"
#include "server/services/summary.h"
#include "server/services/task_view.h"

#define TURNS_MAXIMUM 100000
/* Characters of one file, as many as a judge can be expected to read: of the replies and the follow-ups the newest are
 * kept, of one that is longer its end. */
#define FILE_CHARACTERS 500000

/* One variant on its way into files. */
struct collecting {
        struct call *call;
        const struct judge_plan *plan;
        const char *folder;
        char label;
        const struct store_task *task;
        struct store_turns turns; /* newest first */
        struct redactor redactor;
};

static void collecting_clear(struct collecting *collecting)
{
        store_turns_clear(&collecting->turns);
        redactor_clear(&collecting->redactor);
}
#define auto_collecting CLEANUP(collecting_clear) struct collecting

static void replace(struct text *text, const char *id, const char *with)
{
        struct text out = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        const char *at = text_string(text), *next;

        if (!strstr(at, id))
                return;
        for (; (next = strstr(at, id)); at = next + strlen(id)) {
                text_append(&out, at, (size_t)(next - at));
                text_append_string(&out, with);
        }
        text_append_string(&out, at);
        text_clear(text);
        *text = out;
}

/* An agent may have read its task's id somewhere. */
static void hide_ids(const struct judge_plan *plan, struct text *text)
{
        for (size_t i = 0; i < plan->variants.count; i++) {
                const char marker[] = {'[', '[', 'V', 'A', 'R', 'I', 'A', 'N', 'T', ':', (char)('A' + i), ']', ']', 0};
                replace(text, plan->variants.items[plan->by_label[i]].id, marker);
        }
}

static bool write_text(const struct collecting *collecting, const char *subfolder, struct text *text,
                       struct error *error)
{
        auto_free char *folder = path_join(collecting->folder, subfolder),
                       *path = text_format("%s/%c.md", folder, collecting->label);

        hide_ids(collecting->plan, text);
        return path_make_folder(folder, 0755, error) && path_write(path, text_string(text), text->length, 0644, error);
}

static bool write_summary(struct collecting *collecting, struct error *error)
{
        auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        auto_summary summary = {0};

        if (!summary_read(collecting->call, collecting->task, &collecting->turns, &collecting->redactor, &summary,
                          error))
                return false;
        text_append_string(&text, summary.content ? summary.content : "(There is no summary.)");
        text_append_string(&text, "\n");
        return write_text(collecting, JUDGE_SUMMARIES, &text, error);
}

/* Sections of a file, of which the newest are kept. */
struct sections {
        char **items; /* newest first */
        size_t count, omitted;
        size_t room; /* characters */
};

static void sections_clear(struct sections *sections)
{
        for (size_t i = 0; i < sections->count; i++)
                free(sections->items[i]);
        free(sections->items);
}
#define auto_sections CLEANUP(sections_clear) struct sections

static void add_section(struct sections *sections, int64_t number, const char *what, const char *whole)
{
        size_t length = strlen(whole), size = utf8_count(whole, length);
        bool is_newest = !sections->count && !sections->omitted, is_cut;

        if (!is_newest && (sections->omitted || size > sections->room)) {
                sections->omitted++;
                return;
        }
        auto_free char *content = text_tail(whole, length, sections->room, (int64_t)size, &is_cut);
        sections->room -= is_cut ? sections->room : size;
        sections->items = memory_resize(sections->items, (sections->count + 1) * sizeof *sections->items);
        sections->items[sections->count++] = text_format("## %s %lld\n\n%s\n", what, (long long)number, content);
}

static bool write_sections(struct collecting *collecting, const char *subfolder, const char *title,
                           const struct sections *sections, struct error *error)
{
        auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        text_printf(&text, "# %s of [[VARIANT:%c]]\n", title, collecting->label);
        if (sections->omitted)
                text_printf(&text, "\n[... the first %zu are left out: they are too long ...]\n", sections->omitted);
        if (!sections->count && !sections->omitted)
                text_append_string(&text, "\n(There are none.)\n");
        for (size_t i = sections->count; i > 0; i--)
                text_printf(&text, "\n%s", sections->items[i - 1]);
        return write_text(collecting, subfolder, &text, error);
}

/* What the agent answered, turn by turn; not on discarded branches. */
static bool write_responses(struct collecting *collecting, struct error *error)
{
        auto_sections sections = {.room = FILE_CHARACTERS};

        for (size_t i = 0; i < collecting->turns.count; i++) {
                const struct store_turn *turn = &collecting->turns.items[i];
                auto_store_reply reply = {0};
                bool is_found;
                int64_t total;
                if (!turn->has_conversation_index)
                        continue;
                if (!store_reply_find(collecting->call->db, turn->rid, &reply, &is_found, error))
                        return false;
                if (!is_found)
                        continue;
                auto_free char *text = reply_text(&collecting->redactor, &reply, &total);
                add_section(&sections, turn->conversation_index, "Reply in turn", text);
        }
        return write_sections(collecting, JUDGE_RESPONSES, "Replies", &sections, error);
}

static bool read_shown(struct collecting *collecting, int64_t rid, struct text *text, struct error *error)
{
        auto_store_turn turn = {0};
        bool is_found;

        if (!store_turn_find(collecting->call->db, rid, &turn, &is_found, error))
                return false;
        if (is_found)
                redact_append(&collecting->redactor, text, turn.shown, strlen(turn.shown));
        return true;
}

/* What was asked of it after the instructions. */
static bool write_history(struct collecting *collecting, struct error *error)
{
        auto_sections sections = {.room = FILE_CHARACTERS};

        for (size_t i = 0; i < collecting->turns.count; i++) {
                const struct store_turn *turn = &collecting->turns.items[i];
                auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
                if (turn->ordinal < 2 || !turn->has_conversation_index)
                        continue;
                if (!read_shown(collecting, turn->rid, &text, error))
                        return false;
                add_section(&sections, turn->conversation_index, "Follow-up in turn", text_string(&text));
        }
        return write_sections(collecting, JUDGE_HISTORY, "Follow-ups", &sections, error);
}

static bool write_diffs(struct collecting *collecting, struct error *error)
{
        auto_free char *folder = text_format("%s/" JUDGE_DIFFS "/%c", collecting->folder, collecting->label);

        return path_make_folder(folder, 0755, error) &&
               judge_diffs_write(collecting->call->services, collecting->task, &collecting->redactor, folder, error);
}

/* The first instructions of the variant, redacted; all that was asked for in the beginning. */
static bool read_instructions(struct collecting *collecting, struct text *text, struct error *error)
{
        for (size_t i = 0; i < collecting->turns.count; i++)
                if (collecting->turns.items[i].ordinal == 1)
                        return read_shown(collecting, collecting->turns.items[i].rid, text, error);
        return true;
}

static bool collect_one(struct collecting *collecting, char **instructions, struct error *error)
{
        struct call *call = collecting->call;
        auto_text asked = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        if (!redactor_init(&collecting->redactor, call->services, call->db, error))
                return false;
        redactor_set_task(&collecting->redactor, call->db, collecting->task);
        if (!store_turn_list(call->db, collecting->task->rid, TURNS_MAXIMUM, &collecting->turns, error) ||
            !write_summary(collecting, error) || !write_responses(collecting, error) ||
            !write_history(collecting, error) || !write_diffs(collecting, error) ||
            !read_instructions(collecting, &asked, error))
                return false;
        hide_ids(collecting->plan, &asked);
        *instructions = text_take(&asked);
        return true;
}

static bool write_instructions(const struct judge_plan *plan, char *const *instructions, const char *folder,
                               struct error *error)
{
        auto_free char *path = path_join(folder, JUDGE_INSTRUCTIONS_FILE);
        auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        bool is_same = true;

        for (size_t i = 1; i < plan->variants.count; i++)
                is_same = is_same && !strcmp(instructions[0], instructions[i]);
        text_append_string(&text, "# The original instructions\n");
        for (size_t i = 0; i < (is_same ? 1 : plan->variants.count); i++) {
                if (!is_same)
                        text_printf(&text, "\n## For [[VARIANT:%c]]\n", (char)('A' + i));
                text_printf(&text, "\n%s\n", instructions[i]);
        }
        return path_write(path, text_string(&text), text.length, 0644, error);
}

bool judge_collect(struct call *call, const struct judge_plan *plan, const char *folder, struct error *error)
{
        char *instructions[JUDGE_VARIANTS_MAXIMUM] = {NULL};
        bool is_done = path_make_folder(folder, 0755, error);

        for (size_t i = 0; is_done && i < plan->variants.count; i++) {
                auto_collecting collecting = {.call = call,
                                              .plan = plan,
                                              .folder = folder,
                                              .label = (char)('A' + i),
                                              .task = &plan->variants.items[plan->by_label[i]]};
                is_done = collect_one(&collecting, &instructions[i], error);
        }
        is_done = is_done && write_instructions(plan, instructions, folder, error);
        for (size_t i = 0; i < plan->variants.count; i++)
                free(instructions[i]);
        return is_done;
}
