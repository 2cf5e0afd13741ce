#include "server/services/task.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/output_files.h"
#include "server/services/question.h"
#include "server/services/recommendation.h"
#include "server/services/slot.h"
#include "server/services/summary.h"
#include "server/services/task_paths.h"
#include "server/services/task_view.h"
#include "server/store/rewind.h"

/* What one result can carry (the reference's ceiling), less room for what the door puts around it. */
#define RESULT_CHARACTERS 510000
/* Up to this many characters fit beside all that comes unasked, even when each of them is escaped. */
#define ALWAYS_FITS 60000
#define TURNS_MAXIMUM 100000
/* The longest character of UTF-8. */
#define UTF8_BYTES 4

/* Characters that the rest of the result takes when it is serialised. */
static int64_t size_of(const json_t *result)
{
        auto_free char *printed = document_print(result);

        return (int64_t)utf8_count(printed, strlen(printed));
}

/* How many characters of the end of `text` fit into `room` once they are escaped. */
static size_t fitting(const char *text, size_t length, int64_t room)
{
        size_t at = length, count = 0;

        while (at > 0) {
                unsigned char c = (unsigned char)text[at - 1];
                bool is_start = (c & 0xc0) != 0x80;
                room -= !is_start                                                      ? 0
                        : c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' ? 2
                        : c < 0x20                                                     ? 6
                                                                                       : 1;
                if (room < 0)
                        break;
                count += is_start;
                at--;
        }
        return count;
}

/* Questions are told as text, and how to answer them as long as nobody has. It happens before redaction: what was
 * escaped in their JSON is not afterwards. */
static char *shown_text(const struct store_task *task, const struct store_reply *reply, const struct redactor *redactor,
                        int64_t *total)
{
        auto_text rendered = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        struct store_reply shown = *reply;
        size_t length = strlen(reply->body);

        if (question_render(reply->body, length, task->follow_up_count == reply->ordinal - 1, &rendered)) {
                shown.characters += (int64_t)utf8_count(text_string(&rendered), rendered.length) -
                                    (int64_t)utf8_count(reply->body, length);
                shown.body = rendered.data;
        }
        return reply_text(redactor, &shown, total);
}

static json_t *latest_response(const struct store_task *task, const struct store_reply *reply, int64_t since,
                               const struct redactor *redactor, const struct task_get_input *input,
                               const json_t *result)
{
        int64_t total;
        auto_free char *text = shown_text(task, reply, redactor, &total);
        size_t length = strlen(text);
        int64_t wanted = input->fullLatestResponse ? total : input->latestResponseMaxChars, maximum = wanted;
        json_t *object = json_object();
        bool is_cut;

        if ((wanted > ALWAYS_FITS && total > ALWAYS_FITS) || input->includeSummary || input->includeOutput) {
                int64_t room = (int64_t)fitting(text, length, RESULT_CHARACTERS - size_of(result) - 600);
                maximum = room < wanted ? room : wanted;
        }
        auto_free char *content = text_tail(text, length, (size_t)maximum, total, &is_cut);
        json_object_set_new(object, "content", document_string(content));
        json_object_set_new(object, "truncated", json_boolean(is_cut));
        json_object_set_new(object, "totalChars", json_integer(total));
        if (is_cut)
                json_object_set_new(object, "truncatedBy", json_string(maximum < wanted ? "resultLimit" : "maxChars"));
        json_object_set_new(object, "turnIndex",
                            reply->has_conversation_index ? json_integer(reply->conversation_index) : json_null());
        json_object_set_new(object, "followUpCount", json_integer(reply->ordinal - 1));
        json_object_set_new(object, "followUpsSince", task->is_history_complete ? json_integer(since) : json_null());
        json_object_set_new(object, "timestamp", document_time(reply->replied_at));
        json_object_set_new(object, "path", json_string(RECORD_EVENTS));
        return object;
}

static bool set_queued_for(struct call *call, const struct store_task *task, json_t *result, struct error *error)
{
        json_t *reason;

        if (strcmp(task->status, "queued"))
                return true;
        if (!slot_explain(call, task, &reason, error))
                return false;
        json_object_set_new(result, "queuedFor", reason);
        return true;
}

static bool set_latest_response(struct call *call, const struct store_task *task, const struct task_get_input *input,
                                const struct redactor *redactor, json_t *result, struct error *error)
{
        auto_store_reply reply = {0};
        bool is_found = false;
        int64_t since = 0;

        if (task->reply && !store_reply_find(call->db, task->reply, &reply, &is_found, error))
                return false;
        if (!is_found) {
                json_object_set_new(result, "latestResponse", json_null());
                return true;
        }
        if (task->turn != task->reply && !store_turns_since(call->db, task->rid, reply.ordinal, &since, error))
                return false;
        json_object_set_new(result, "latestResponse", latest_response(task, &reply, since, redactor, input, result));
        return true;
}

static bool set_summary(struct call *call, const struct store_task *task, const struct redactor *redactor,
                        json_t *result, struct error *error)
{
        auto_store_turns turns = {0};
        auto_summary summary = {0};

        if (!store_turn_list(call->db, task->rid, TURNS_MAXIMUM, &turns, error) ||
            !summary_read(call, task, &turns, redactor, &summary, error))
                return false;
        json_object_set_new(result, "summary", document_string(summary.content));
        json_object_set_new(result, "summarySource", json_string(summary.source));
        json_object_set_new(result, "summaryIsPlaceholder", json_boolean(!summary.content));
        if (summary.is_cut)
                json_object_set_new(result, "summaryTruncated", json_true());
        json_object_set_new(result, "summaryPath", document_string(summary.path));
        json_object_set_new(result, "summaryProvenance", take(summary.provenance));
        return true;
}

static void set_output(struct call *call, const struct store_task *task, const struct task_get_input *input,
                       const struct redactor *redactor, json_t *result)
{
        size_t maximum = (size_t)input->outputMaxChars, read_bytes = maximum * UTF8_BYTES;
        auto_text tail = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        auto_error ignored = {0};
        int64_t total = 0;

        if (!output_log_tail(call->services, task->id, redactor, read_bytes, &tail, &total, &ignored)) {
                json_object_set_new(result, "output", json_null());
                return;
        }
        size_t start = utf8_tail_offset(text_string(&tail), tail.length, maximum);
        bool is_cut = start > 0 || total > (int64_t)read_bytes;
        json_object_set_new(result, "output", document_text(text_string(&tail) + start, tail.length - start));
        json_object_set_new(result, "outputTruncated", json_boolean(is_cut));
        json_object_set_new(result, "outputPath", json_string(RECORD_LOG));
}

/* What the labels of a judge stand for; every other task is read no further. */
static bool set_variants(struct call *call, const struct store_task *task, json_t *result, struct error *error)
{
        json_t *variants;

        if (!task->is_judge)
                return true;
        if (!judge_variants_view(call, task, &variants, error))
                return false;
        json_object_set_new(result, "variants", variants);
        return true;
}

static bool set_failure(struct call *call, const struct store_task *task, const struct redactor *redactor,
                        json_t *result, struct error *error)
{
        auto_store_turn turn = {0};
        bool is_found;

        if (strcmp(task->status, "failed") && strcmp(task->status, "interrupted"))
                return true;
        if (!store_turn_find(call->db, task->turn, &turn, &is_found, error))
                return false;
        if (is_found && !strcmp(turn.state, "ended")) {
                json_t *failure = task_failure(call, task, &turn, redactor);
                json_object_set_new(result, "endReason", document_string(turn.end_type));
                if (turn.stop_user)
                        json_object_set_new(result, "endedBy", document_string(turn.stop_user));
                if (failure)
                        json_object_set_new(result, "failure", failure);
        }
        return true;
}

bool task_get(struct call *call, const struct task_get_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        auto_redactor redactor = {0};

        if (!task_open(call, input->taskId, &task, &redactor, error))
                return false;
        auto_json *view = task_view(call, &task, &redactor);
        if (task.is_withheld) {
                *result = take(view);
                return true;
        }
        if (!set_variants(call, &task, view, error) || !set_failure(call, &task, &redactor, view, error) ||
            !set_queued_for(call, &task, view, error) ||
            (input->includeSummary && !set_summary(call, &task, &redactor, view, error)))
                return false;
        if (input->includeOutput)
                set_output(call, &task, input, &redactor, view);
        if (input->includeLatestResponse && !set_latest_response(call, &task, input, &redactor, view, error))
                return false;
        *result = take(view);
        return true;
}
