#include <string.h>

#include "server/base/document.h"
#include "server/services/follow_up.h"
#include "server/services/follow_up_view.h"
#include "server/services/panel.h"
#include "server/services/task_view.h"
#include "server/store/turn.h"

#define PREVIEW_CHARACTERS 240

void follow_up_describe(const struct call *call, int64_t task, json_t *view)
{
        struct store_follow_up_counts counts;
        auto_store_queue_pause pause = {0};
        auto_error ignored = {0};
        bool is_paused = false;

        if (!store_follow_up_count(call->db, task, &counts, &ignored))
                return;
        if (counts.queued) {
                json_object_set_new(view, "queuedFollowUps", json_integer(counts.queued));
                if (store_queue_find_pause(call->db, task, &pause, &is_paused, &ignored))
                        json_object_set_new(view, "followUpQueuePaused", json_boolean(is_paused));
        }
        if (counts.scheduled) {
                json_object_set_new(view, "scheduledFollowUps", json_integer(counts.scheduled));
                json_object_set_new(view, "nextScheduledFollowUpAt", document_time(counts.next_at));
        }
}

static json_t *sender_of(const struct store_follow_up *item)
{
        if (!item->sender)
                return json_null();
        return json_pack("{s:o, s:o}", "id", document_string(item->sender_id), "name",
                         document_string(item->sender_name));
}

static void set_preview(const struct queue_viewer *viewer, const struct store_follow_up *item, json_t *entry)
{
        auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        bool is_cut;

        redact_append(viewer->redactor, &text, item->instructions, strlen(item->instructions));
        bool is_redacted = strcmp(text_string(&text), item->instructions) != 0;
        auto_free char *preview = text_head(text_string(&text), text.length, PREVIEW_CHARACTERS, &is_cut);
        json_object_set_new(entry, "preview", document_string(preview));
        json_object_set_new(entry, "redacted", json_boolean(is_redacted && strstr(preview, REDACTED)));
}

/* Nobody writes in the name of another; whoever may change the task may take out what waits for it. */
static bool is_editable(const struct queue_viewer *viewer, const struct store_follow_up *item)
{
        return viewer->may_change && item->sender == viewer->call->actor->user && strcmp(item->kind, "auto") != 0 &&
               !item->by_task;
}

json_t *queue_entry_view(const struct queue_viewer *viewer, const struct store_follow_up *item, int64_t position,
                         int64_t turn)
{
        json_t *entry = json_object();

        json_object_set_new(entry, "entryId", json_string(item->id));
        json_object_set_new(entry, "state", json_string(item->state));
        json_object_set_new(entry, "position", position ? json_integer(position) : json_null());
        json_object_set_new(entry, "version", json_integer(item->version));
        json_object_set_new(entry, "turn", turn ? json_integer(turn) : json_null());
        json_object_set_new(entry, "kind", json_string(item->kind));
        json_object_set_new(entry, "sender", sender_of(item));
        if (item->by_task)
                json_object_set_new(entry, "fromTaskId", json_string(item->by_task));
        json_object_set_new(entry, "paused", json_boolean(viewer->is_paused && !strcmp(item->state, "queued")));
        json_object_set_new(entry, "editable", json_boolean(is_editable(viewer, item)));
        json_object_set_new(entry, "removable", json_boolean(viewer->may_change));
        set_preview(viewer, item, entry);
        json_object_set_new(entry, "attachments", json_integer(item->attachments));
        json_object_set_new(entry, "pullLatest", json_boolean(item->pulls_latest));
        json_object_set_new(entry, "submittedAt", document_time(item->submitted_at));
        if (item->deliver_at)
                json_object_set_new(entry, "deliverAt", document_time(item->deliver_at));
        return entry;
}

bool queue_viewer_open(struct queue_viewer *viewer, struct call *call, const struct store_task *task,
                       const struct redactor *redactor, struct error *error)
{
        enum permission wanted = task->is_shared || (call->actor->user && task->creator == call->actor->user)
                                         ? PERMISSION_TASKS_CHANGE
                                         : PERMISSION_TASKS_CHANGE_ANY;

        *viewer = (struct queue_viewer){.call = call,
                                        .redactor = redactor,
                                        .may_change = access_allows(call->actor, wanted, task->environment)};
        return store_queue_find_pause(call->db, task->rid, &viewer->pause, &viewer->is_paused, error);
}

void queue_viewer_clear(struct queue_viewer *viewer)
{
        store_queue_pause_clear(&viewer->pause);
}

static void set_pause(const struct queue_viewer *viewer, json_t *result)
{
        const struct store_queue_pause *pause = &viewer->pause;
        auto_text message = TEXT_WITH_MAXIMUM(SIZE_MAX / 2), told = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        auto_error ignored = {0};

        json_object_set_new(result, "paused", json_boolean(viewer->is_paused));
        if (!viewer->is_paused)
                return;
        if (pause->message)
                redact_append(viewer->redactor, &message, pause->message, strlen(pause->message));
        json_object_set_new(result, "pauseReason", json_string(pause->reason));
        json_object_set_new(result, "pauseMessage", document_string(pause->message ? text_string(&message) : NULL));
        json_object_set_new(result, "pausedBy", document_string(pause->paused_by));
        json_object_set_new(result, "pausedAt", document_time(pause->paused_at));
        if (pause->details)
                redact_append(viewer->redactor, &told, pause->details, strlen(pause->details));
        json_t *details = told.length ? document_parse(told.data, told.length, &ignored) : NULL;
        if (details)
                json_object_set_new(result, "pauseDetails", details);
}

/* What the queued entries will be turns of, were they delivered now: those that go together share one. */
static bool number_turns(struct call *call, const struct store_task *task, int64_t turns[], size_t capacity,
                         size_t *count, struct error *error)
{
        int64_t ordinal, turn, place = 0;

        *count = 0;
        if (!store_turn_next(call->db, task->rid, &ordinal, &turn, error))
                return false;
        if (!strcmp(task->status, "staged"))
                turn--;
        for (;; turn++) {
                auto_free struct follow_up_batch *batch = memory_new(sizeof *batch);
                bool is_good = follow_up_batch_take(call->db, task->rid, place, batch, error);
                size_t taken = batch->count;
                for (size_t i = 0; i < taken && *count < capacity; i++)
                        turns[(*count)++] = turn;
                if (taken)
                        place = batch->items[taken - 1].place;
                follow_up_batch_clear(batch);
                if (!is_good || !taken)
                        return is_good;
        }
}

static bool add_entries(const struct queue_viewer *viewer, const struct store_task *task,
                        const struct queue_list_input *input, json_t *entries, struct error *error)
{
        int64_t turns[2 * QUEUE_MAXIMUM];
        auto_store_follow_ups waiting = {0};
        size_t numbered;

        if (!store_follow_up_list(viewer->call->db, task->rid, input->limit, input->offset, &waiting, error) ||
            !number_turns(viewer->call, task, turns, COUNT_OF(turns), &numbered, error))
                return false;
        for (size_t i = 0; i < waiting.count; i++) {
                const struct store_follow_up *item = &waiting.items[i];
                size_t at = (size_t)input->offset + i;
                bool is_queued = !strcmp(item->state, "queued");
                json_array_append_new(entries, queue_entry_view(viewer, item, (int64_t)at + 1,
                                                                is_queued && at < numbered ? turns[at] : 0));
        }
        return true;
}

/* What can be told where the values that would have to be left out cannot. */
static bool set_unreadable(struct call *call, const struct store_task *task, json_t *result, struct error *error)
{
        auto_store_queue_pause pause = {0};
        bool is_paused;

        json_object_set_new(result, "entries", json_array());
        if (!store_queue_find_pause(call->db, task->rid, &pause, &is_paused, error))
                return false;
        json_object_set_new(result, "paused", json_boolean(is_paused));
        return true;
}

bool queue_list(struct call *call, const struct queue_list_input *input, json_t **result, struct error *error)
{
        CLEANUP(queue_viewer_clear) struct queue_viewer viewer = {0};
        struct store_follow_up_counts counts;
        auto_store_task task = {0};
        auto_redactor redactor = {0};
        auto_json *entries = json_array(), *object = json_object();

        if (!panel_open(call, input->taskId, false, &task, &redactor, result, error))
                return false;
        if (*result)
                return set_unreadable(call, &task, *result, error);
        if (!queue_viewer_open(&viewer, call, &task, &redactor, error) ||
            !store_follow_up_count(call->db, task.rid, &counts, error) ||
            !add_entries(&viewer, &task, input, entries, error))
                return false;
        int64_t total = counts.queued + counts.scheduled, next = input->offset + (int64_t)json_array_size(entries);
        json_object_set_new(object, "taskId", json_string(task.id));
        json_object_set_new(object, "status", json_string(total ? "available" : "empty"));
        json_object_set_new(object, "taskStatus", json_string(task.status));
        set_pause(&viewer, object);
        json_object_set(object, "entries", entries);
        json_object_set_new(object, "total", json_integer(total));
        json_object_set_new(object, "nextOffset", next < total ? json_integer(next) : json_null());
        *result = take(object);
        return true;
}
