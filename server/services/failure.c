#include "server/services/task_view.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/output_files.h"
#include "server/services/task_paths.h"

#define MESSAGE_MAXIMUM 2000
#define LOG_TAIL_BYTES 4000

static json_t *log_tail(const struct call *call, const char *task_id, const struct redactor *redactor)
{
        auto_text tail = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        auto_error ignored = {0};
        size_t start = 0;
        int64_t total;

        if (!output_log_tail(call->services, task_id, redactor, LOG_TAIL_BYTES, &tail, &total, &ignored))
                return json_null();
        if (tail.length > LOG_TAIL_BYTES)
                start = tail.length - LOG_TAIL_BYTES;
        while (start && start < tail.length && ((unsigned char)tail.data[start] & 0xc0) == 0x80)
                start++;
        json_t *object = json_object();
        json_object_set_new(object, "path", json_string(RECORD_LOG));
        json_object_set_new(object, "content", document_text(text_string(&tail) + start, tail.length - start));
        json_object_set_new(object, "truncated", json_boolean(start > 0 || total > LOG_TAIL_BYTES));
        json_object_set_new(object, "totalBytes", json_integer(total));
        return object;
}

static void set_message(json_t *object, const struct redactor *redactor, const char *message)
{
        auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        bool is_cut;

        redact_append(redactor, &text, message, strlen(message));
        auto_free char *cut = text_head(text_string(&text), text.length, MESSAGE_MAXIMUM, &is_cut);
        json_object_set_new(object, "message", document_string(cut));
        if (is_cut) {
                json_object_set_new(object, "messageTruncated", json_true());
                json_object_set_new(object, "messageTotalChars",
                                    json_integer((json_int_t)utf8_count(text.data, text.length)));
        }
}

/* What the agent itself told, each with the turn's end as its time. */
static json_t *agent_errors(const struct store_turn *turn, const struct redactor *redactor)
{
        auto_error ignored = {0};
        auto_json *list =
                turn->agent_errors ? document_parse(turn->agent_errors, strlen(turn->agent_errors), &ignored) : NULL;
        json_t *result = json_array(), *one;
        size_t i;

        json_array_foreach(list, i, one)
        {
                const char *message = document_get_string(one, "message");
                json_t *object = json_object();
                set_message(object, redactor, message ? message : "");
                json_object_set_new(object, "type", document_string(document_get_string(one, "type")));
                json_object_set_new(object, "category", document_string(document_get_string(one, "category")));
                json_object_set_new(object, "timestamp", document_time(turn->ended_at));
                json_array_append_new(result, object);
        }
        return result;
}

json_t *task_failure(const struct call *call, const struct store_task *task, const struct store_turn *turn,
                     const struct redactor *redactor)
{
        json_t *object;

        if (!turn->failure_stage)
                return NULL;
        object = json_object();
        json_object_set_new(object, "status", json_string(task->status));
        json_object_set_new(object, "exitCode", task->has_exit_code ? json_integer(task->exit_code) : json_null());
        json_object_set_new(object, "stage", json_string(turn->failure_stage));
        set_message(object, redactor, turn->failure_message ? turn->failure_message : "");
        json_object_set_new(object, "category", document_string(turn->failure_category));
        json_object_set_new(object, "type", document_string(turn->end_type));
        json_object_set_new(object, "agentErrors", agent_errors(turn, redactor));
        if (turn->limit_resets_at)
                json_object_set_new(object, "resetsAt", document_time(turn->limit_resets_at));
        json_object_set_new(object, "logTail", log_tail(call, task->id, redactor));
        json_object_set_new(object, "diagnosticsPath", json_string(RECORD_EVENTS));
        return object;
}
