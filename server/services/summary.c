#include "server/services/summary.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/output_files.h"
#include "server/services/recommendation.h"
#include "server/services/task_paths.h"
#include "server/services/task_view.h"
#include "server/services/verdict.h"

/* Larger files are cut on reading; what is behind the cut is never shown, nor counted. */
#define FILE_MAXIMUM (1024 * 1024)

void summary_clear(struct summary *summary)
{
        free(summary->content);
        json_decref(summary->provenance);
        *summary = (struct summary){0};
}

static json_t *provenance(int64_t written_at)
{
        json_t *object = json_object();
        static const char *const unknown[] = {"turnIndex", "followUpCount", "followUpsSince", "stale",
                                              "onDiscardedBranch"};

        json_object_set_new(object, "writtenAt", document_time(written_at));
        for (size_t i = 0; i < COUNT_OF(unknown); i++)
                json_object_set_new(object, unknown[i], json_null());
        return object;
}

/* Whether every follow-up is there with the time it was submitted. */
static bool is_complete(const struct store_task *task, const struct store_turns *turns)
{
        if (!task->is_history_complete || turns->count != (size_t)task->follow_up_count + 1)
                return false;
        for (size_t i = 0; i < turns->count; i++)
                if (!turns->items[i].submitted_at)
                        return false;
        return true;
}

/* Places a time against the history; what cannot be established stays null. */
static json_t *place(const struct store_task *task, const struct store_turns *turns, int64_t written_at)
{
        json_t *object = provenance(written_at);
        int64_t since = 0;
        size_t at = 0;

        if (!written_at || written_at < task->created_at || !is_complete(task, turns))
                return object;
        for (; at < turns->count && turns->items[at].submitted_at > written_at; at++)
                since += turns->items[at].has_conversation_index;
        if (at == turns->count)
                return object;
        const struct store_turn *turn = &turns->items[at];
        bool is_discarded = !turn->has_conversation_index;
        json_object_set_new(object, "turnIndex", is_discarded ? json_null() : json_integer(turn->conversation_index));
        json_object_set_new(object, "followUpCount", json_integer(turn->ordinal - 1));
        json_object_set_new(object, "followUpsSince", json_integer(since));
        json_object_set_new(object, "stale", json_boolean(since > 0 || is_discarded));
        json_object_set_new(object, "onDiscardedBranch", json_boolean(is_discarded));
        return object;
}

/* The agent's own file; false when there is none or nothing in it. */
static bool read_file(const struct call *call, const struct store_task *task, const struct store_turns *turns,
                      const struct redactor *redactor, struct summary *summary)
{
        auto_text raw = TEXT_WITH_MAXIMUM(FILE_MAXIMUM), clean = TEXT_WITH_MAXIMUM(SIZE_MAX / 2),
                  text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        auto_error ignored = {0};
        int64_t size, written_at;
        auto_fd file = output_file_open(call->services, task->id, SUMMARY_PATH, &size, &written_at, &ignored);

        if (file < 0 || !output_file_read(file, 0, FILE_MAXIMUM, &raw, &ignored))
                return false;
        for (size_t i = 0; i < raw.length; i++)
                if (!raw.data[i])
                        raw.data[i] = '\x7f';
        utf8_append_clean(&clean, text_string(&raw), raw.length);
        if (!text_string(&clean)[strspn(text_string(&clean), " \t\r\n")])
                return false;
        redact_append(redactor, &text, clean.data, clean.length);
        *summary =
                (struct summary){.characters = size > FILE_MAXIMUM ? -1 : (int64_t)utf8_count(text.data, text.length),
                                 .source = "summary",
                                 .path = SUMMARY_PATH,
                                 .provenance = place(task, turns, written_at)};
        summary->content = text_head(text.data, text.length, SUMMARY_MAXIMUM, &summary->is_cut);
        return true;
}

/* What a judge has come to is in its recommendation. */
static bool read_recommendation(const struct call *call, const struct store_task *task, const struct store_turns *turns,
                                const struct redactor *redactor, struct summary *summary)
{
        int64_t written_at;

        summary->content = recommendation_text(call, task, redactor, SUMMARY_MAXIMUM, &summary->is_cut,
                                               &summary->characters, &written_at);
        if (!summary->content)
                return false;
        summary->source = "recommendation";
        summary->path = VERDICT_TEXT_FILE;
        summary->provenance = place(task, turns, written_at);
        return true;
}

/* The latest reply, of which the end matters. */
static bool read_reply(const struct call *call, const struct store_task *task, const struct store_turns *turns,
                       const struct redactor *redactor, struct summary *summary, bool *is_found, struct error *error)
{
        auto_store_reply reply = {0};

        *is_found = false;
        if (!task->reply || !store_reply_find(call->db, task->reply, &reply, is_found, error))
                return !task->reply;
        if (!*is_found)
                return true;
        *summary = (struct summary){
                .source = "agent_response", .path = RECORD_EVENTS, .provenance = place(task, turns, reply.replied_at)};
        auto_free char *text = reply_text(redactor, &reply, &summary->characters);
        summary->content = text_tail(text, strlen(text), SUMMARY_MAXIMUM, summary->characters, &summary->is_cut);
        return true;
}

bool summary_read(const struct call *call, const struct store_task *task, const struct store_turns *turns,
                  const struct redactor *redactor, struct summary *summary, struct error *error)
{
        bool is_found;

        if (task->is_judge && read_recommendation(call, task, turns, redactor, summary))
                return true;
        if (read_file(call, task, turns, redactor, summary))
                return true;
        if (!read_reply(call, task, turns, redactor, summary, &is_found, error))
                return false;
        if (!is_found) {
                summary->source = "placeholder";
                summary->provenance = json_null();
        }
        return true;
}
