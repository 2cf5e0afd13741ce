#include "server/services/task.h"

#include <string.h>

#include "server/base/bound.h"
#include "server/base/document.h"
#include "server/services/output_files.h"
#include "server/services/recommendation.h"
#include "server/services/summary.h"
#include "server/services/task_paths.h"
#include "server/services/task_view.h"

#define INSTRUCTIONS_MAXIMUM 24000
#define REPLY_MAXIMUM 12000
#define CONVERSATION_MAXIMUM 120000
#define TURNS_MAXIMUM 100000

/* What the sections of one answer are made from. */
struct source {
        struct call *call;
        const struct store_task *task;
        const struct store_turns *turns; /* newest first */
        const struct redactor *redactor;
        json_t *result; /* for what a section tells beside itself */
};

static bool summary_section(const struct source *source, json_t **section, struct error *error)
{
        auto_summary summary = {0};

        if (!summary_read(source->call, source->task, source->turns, source->redactor, &summary, error))
                return false;
        json_t *object = json_object();
        json_object_set_new(object, "content", document_string(summary.content));
        json_object_set_new(object, "source", json_string(summary.source));
        json_object_set_new(object, "path", document_string(summary.path));
        json_object_set_new(object, "isPlaceholder", json_boolean(!summary.content));
        json_object_set_new(object, "truncated", json_boolean(summary.is_cut));
        json_object_set_new(object, "totalChars",
                            summary.characters < 0 ? json_null() : json_integer(summary.characters));
        json_object_set_new(object, "provenance", take(summary.provenance));
        *section = object;
        return true;
}

/* The newest turns' texts are kept within CONVERSATION_MAXIMUM characters, and within BOUND_ITEMS entries: what bounds
 * the result would leave out the newest of more. */
struct conversation {
        json_t *newest_first;
        int64_t room, omitted;
};

static void add_entry(struct conversation *conversation, const struct store_turn *turn, const char *role,
                      const char *content, bool is_cut, int64_t total, const char *path, int64_t at)
{
        int64_t size = (int64_t)utf8_count(content, strlen(content));

        if (conversation->omitted || size > conversation->room ||
            json_array_size(conversation->newest_first) == BOUND_ITEMS) {
                conversation->omitted++;
                return;
        }
        conversation->room -= size;
        json_t *entry = json_object();
        json_object_set_new(entry, "role", json_string(role));
        json_object_set_new(entry, "turnIndex", json_integer(turn->conversation_index));
        json_object_set_new(entry, "content", document_string(content));
        json_object_set_new(entry, "timestamp", document_time(at));
        if (is_cut) {
                json_object_set_new(entry, "truncated", json_true());
                json_object_set_new(entry, "totalChars", json_integer(total));
                json_object_set_new(entry, "path", json_string(path));
        }
        json_array_append_new(conversation->newest_first, entry);
}

static bool add_reply(const struct source *source, struct conversation *conversation, const struct store_turn *turn,
                      struct error *error)
{
        auto_store_reply reply = {0};
        bool is_found, is_cut;
        int64_t total;

        if (conversation->omitted) {
                if (!store_reply_exists(source->call->db, turn->rid, &is_found, error))
                        return false;
                conversation->omitted += is_found;
                return true;
        }
        if (!store_reply_find(source->call->db, turn->rid, &reply, &is_found, error))
                return false;
        if (!is_found)
                return true;
        auto_free char *text = reply_text(source->redactor, &reply, &total);
        auto_free char *content = text_tail(text, strlen(text), REPLY_MAXIMUM, total, &is_cut);
        add_entry(conversation, turn, "agent", content, is_cut, total, RECORD_EVENTS, reply.replied_at);
        return true;
}

static bool add_user(const struct source *source, struct conversation *conversation, const struct store_turn *turn,
                     struct error *error)
{
        auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        auto_store_turn whole = {0};
        bool is_found, is_cut;

        if (conversation->omitted) {
                conversation->omitted++;
                return true;
        }
        if (!store_turn_find(source->call->db, turn->rid, &whole, &is_found, error))
                return false;
        if (!is_found)
                return true;
        redact_append(source->redactor, &text, whole.shown, strlen(whole.shown));
        auto_free char *content = text_head(text_string(&text), text.length, INSTRUCTIONS_MAXIMUM, &is_cut);
        add_entry(conversation, turn, "user", content, is_cut, (int64_t)utf8_count(text.data, text.length),
                  RECORD_EVENTS, turn->submitted_at);
        return true;
}

static json_t *reversed(const json_t *list)
{
        json_t *result = json_array();

        for (size_t i = json_array_size(list); i > 0; i--)
                json_array_append(result, json_array_get(list, i - 1));
        return result;
}

static json_t *history_entry(const struct store_turn *turn)
{
        json_t *entry = json_object();

        json_object_set_new(entry, "followUp", json_integer(turn->ordinal - 1));
        json_object_set_new(entry, "turnIndex", json_integer(turn->conversation_index));
        json_object_set_new(entry, "submittedAt", document_time(turn->submitted_at));
        json_object_set_new(entry, "sentBy", document_string(turn->sender_name));
        json_object_set_new(entry, "kind", json_string(turn->kind));
        return entry;
}

/* As many of the newest follow-ups as a result may hold. */
static void set_history(json_t *section, const struct store_turns *turns)
{
        auto_json *newest_first = json_array();
        int64_t omitted = 0;

        for (size_t i = 0; i < turns->count; i++) {
                const struct store_turn *turn = &turns->items[i];
                if (turn->ordinal < 2 || !turn->has_conversation_index)
                        continue;
                if (json_array_size(newest_first) < BOUND_ITEMS)
                        json_array_append_new(newest_first, history_entry(turn));
                else
                        omitted++;
        }
        json_object_set_new(section, "followUpHistory", reversed(newest_first));
        if (omitted)
                json_object_set_new(section, "followUpHistoryOmitted", json_integer(omitted));
}

static bool responses_section(const struct source *source, json_t **section, struct error *error)
{
        auto_json *newest_first = json_array();
        struct conversation conversation = {.newest_first = newest_first, .room = CONVERSATION_MAXIMUM};

        for (size_t i = 0; i < source->turns->count; i++) {
                const struct store_turn *turn = &source->turns->items[i];
                if (!turn->has_conversation_index)
                        continue;
                if (!add_reply(source, &conversation, turn, error) || !add_user(source, &conversation, turn, error))
                        return false;
        }
        json_t *object = json_object();
        json_object_set_new(object, "entries", reversed(newest_first));
        if (conversation.omitted)
                json_object_set_new(object, "omittedEntries", json_integer(conversation.omitted));
        set_history(object, source->turns);
        *section = object;
        return true;
}

static bool failure_section(const struct source *source, json_t **section, struct error *error)
{
        (void)error;
        *section = NULL;
        for (size_t i = 0; i < source->turns->count && !*section; i++)
                if (source->turns->items[i].rid == source->task->turn &&
                    (!strcmp(source->task->status, "failed") || !strcmp(source->task->status, "interrupted")))
                        *section = task_failure(source->call, source->task, &source->turns->items[i], source->redactor);
        if (!*section)
                *section = json_null();
        return true;
}

static bool files_section(const struct source *source, json_t **section, struct error *error)
{
        int64_t omitted;

        (void)error;
        *section = output_files_list(source->call->services, source->task->id, source->redactor, &omitted);
        if (omitted)
                json_object_set_new(source->result, "filesOmitted", json_integer(omitted));
        return true;
}

/* recommendation and variants belong to judge and review tasks; every other task has none. */
static bool recommendation_section(const struct source *source, json_t **section, struct error *error)
{
        if (source->task->is_judge)
                return recommendation_view(source->call, source->task, source->redactor, section, error);
        *section = json_null();
        return true;
}

static bool variants_section(const struct source *source, json_t **section, struct error *error)
{
        if (source->task->is_judge)
                return judge_given_view(source->call, source->task, source->redactor, section, error);
        *section = json_null();
        return true;
}

static const struct {
        const char *name;
        bool is_default;
        bool (*make)(const struct source *source, json_t **section, struct error *error);
} sections[] = {
        {"summary", true, summary_section},     {"recommendation", true, recommendation_section},
        {"responses", true, responses_section}, {"variants", false, variants_section},
        {"failure", true, failure_section},     {"files", true, files_section},
};

static bool is_wanted(const struct task_output_input *input, size_t which)
{
        for (size_t i = 0; i < input->include.count; i++)
                if (!strcmp(input->include.items[i], sections[which].name))
                        return true;
        return !input->include.count && sections[which].is_default;
}

bool task_output(struct call *call, const struct task_output_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        auto_store_turns turns = {0};
        auto_redactor redactor = {0};

        if (!task_open(call, input->taskId, &task, &redactor, error) ||
            !store_turn_list(call->db, task.rid, TURNS_MAXIMUM, &turns, error))
                return false;
        auto_json *object = json_object();
        struct source source = {call, &task, &turns, &redactor, object};
        json_object_set_new(object, "taskId", json_string(task.id));
        json_object_set_new(object, "status", json_string(task.status));
        if (task.is_withheld) {
                json_object_set_new(object, "contentWithheld", json_true());
                *result = take(object);
                return true;
        }
        for (size_t i = 0; i < COUNT_OF(sections); i++) {
                json_t *section;
                if (!is_wanted(input, i))
                        continue;
                if (!sections[i].make(&source, &section, error))
                        return false;
                json_object_set_new(object, sections[i].name, section);
        }
        *result = take(object);
        return true;
}
