/* What people do with a queue: resume it, and edit, remove or send one entry. */
#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/follow_up.h"
#include "server/services/follow_up_view.h"
#include "server/services/review_watch.h"
#include "server/services/task_view.h"
#include "server/services/write.h"

static bool require(struct call *call, const char *task_id, struct store_task *task, struct error *error)
{
        return access_task_require(call->db, call->actor, task_id, PERMISSION_TASKS_CHANGE, PERMISSION_TASKS_CHANGE_ANY,
                                   task, error) &&
               access_require_content(task, error);
}

bool queue_resume(struct call *call, const struct queue_resume_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0}, now = {0};
        struct store_follow_up_counts counts;
        bool is_resumed;

        if (!require(call, input->taskId, &task, error) ||
            !store_queue_resume(call->db, task.rid, &is_resumed, error) ||
            !follow_up_next(call->services, call->db, task.rid, call->now, error) ||
            !audit_write(call->db, call->actor, "task.queue_resume", task.id, NULL, error) ||
            !access_task_view(call->db, call->actor, task.id, &now, error) ||
            !store_follow_up_count(call->db, task.rid, &counts, error))
                return false;
        json_t *object = json_object();
        json_object_set_new(object, "taskId", json_string(now.id));
        json_object_set_new(object, "status", json_string(now.status));
        json_object_set_new(object, "resumed", json_boolean(is_resumed));
        json_object_set_new(object, "queuedFollowUps", json_integer(counts.queued));
        json_object_set_new(object, "followUpCount", json_integer(now.follow_up_count));
        *result = object;
        return true;
}

/* An entry of the task that waits. */
static bool find(struct call *call, const struct queue_entry_input *input, struct store_task *task,
                 struct store_follow_up *item, struct error *error)
{
        bool is_found;

        if (!require(call, input->taskId, task, error) ||
            !store_follow_up_find(call->db, input->entryId, item, &is_found, error))
                return false;
        bool is_waiting = is_found && item->task == task->rid &&
                          (!strcmp(item->state, "queued") || !strcmp(item->state, "scheduled"));
        if (!is_waiting)
                return error_set(error, ERROR_FOLLOW_UP_NOT_FOUND, NULL);
        return input->version == item->version ||
               error_set_details(error, ERROR_VERSION_CONFLICT,
                                 json_pack("{s:I}", "version", (json_int_t)item->version),
                                 "The follow-up has version %lld now, not %lld; read it again.",
                                 (long long)item->version, (long long)input->version);
}

static bool show(struct call *call, const struct store_task *task, const char *id, json_t **result, struct error *error)
{
        CLEANUP(queue_viewer_clear) struct queue_viewer viewer = {0};
        auto_store_follow_up item = {0};
        auto_redactor redactor = {0};
        bool is_found;

        if (!redactor_init(&redactor, call->services, call->db, error))
                return false;
        redactor_set_task(&redactor, call->db, task);
        if (!queue_viewer_open(&viewer, call, task, &redactor, error) ||
            !store_follow_up_find(call->db, id, &item, &is_found, error))
                return false;
        *result = queue_entry_view(&viewer, &item, 0, 0);
        return true;
}

/* What is to be changed of the entry. */
static bool read_edit(const struct call *call, const struct queue_entry_input *input,
                      const struct store_follow_up *item, int64_t values[3], struct store_follow_up_edit *edit,
                      struct error *error)
{
        if (item->sender != call->actor->user || !strcmp(item->kind, "auto") || item->by_task)
                return error_set(error, ERROR_PERMISSION_DENIED, "Only who sent a follow-up may edit it.");
        if (input->instructions && !input->instructions[strspn(input->instructions, " \t\r\n")])
                return error_set(error, ERROR_INVALID_INPUT, "instructions must not be blank");
        if (!follow_up_time(input->deliverAt, input->deliverInMinutes, call->now, &values[0], error))
                return false;
        if (values[0] && strcmp(item->state, "scheduled"))
                return error_set(error, ERROR_INVALID_INPUT, "The follow-up is queued; it has no time of delivery.");
        values[1] = input->deliverInMinutes > 0;
        values[2] = input->pullLatest > 0;
        *edit = (struct store_follow_up_edit){.instructions = input->instructions,
                                              .deliver_at = values[0] ? &values[0] : NULL,
                                              .is_delay = values[0] ? &values[1] : NULL,
                                              .pulls_latest = input->pullLatest >= 0 ? &values[2] : NULL};
        return true;
}

bool queue_entry_edit(struct call *call, const struct queue_entry_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        auto_store_follow_up item = {0};
        struct store_follow_up_edit edit;
        int64_t values[3];
        bool is_done;

        return find(call, input, &task, &item, error) && read_edit(call, input, &item, values, &edit, error) &&
               store_follow_up_change(call->db, item.rid, input->version, &edit, &is_done, error) &&
               (is_done || error_set(error, ERROR_VERSION_CONFLICT, NULL)) &&
               audit_write(call->db, call->actor, "task.queue_edit", task.id, json_pack("{s:s}", "entry", item.id),
                           error) &&
               show(call, &task, item.id, result, error);
}

/* An empty queue has nothing to be paused. */
static bool forget_pause(struct store_db *db, int64_t task, struct error *error)
{
        struct store_follow_up_counts counts;
        bool is_done;

        return store_follow_up_count(db, task, &counts, error) &&
               (counts.queued || store_queue_resume(db, task, &is_done, error));
}

static bool remove_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct queue_entry_input *input = context;
        auto_store_task task = {0};
        auto_store_follow_up item = {0};
        bool is_done;

        if (!find(call, input, &task, &item, error) ||
            !store_follow_up_remove(call->db, item.rid, input->version, &is_done, error) ||
            !forget_pause(call->db, task.rid, error) || !review_look(call->db, task.rid, task.id, error) ||
            !audit_write(call->db, call->actor, "task.queue_remove", task.id, json_pack("{s:s}", "entry", item.id),
                         error))
                return false;
        *result = json_pack("{s:s, s:s, s:b}", "taskId", task.id, "entryId", item.id, "removed", true);
        return true;
}

bool queue_entry_remove(struct call *call, const struct queue_entry_input *input, json_t **result, struct error *error)
{
        auto_store_attachments files = {0};
        auto_store_follow_up item = {0};
        bool is_found;

        if (!store_follow_up_find(call->db, input->entryId, &item, &is_found, error) ||
            (is_found && !store_follow_up_attachments(call->db, item.rid, &files, error)) ||
            !call_write(call, remove_work, input, result, error))
                return false;
        upload_forget(call->services, &files);
        return true;
}

bool queue_entry_send(struct call *call, const struct queue_entry_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        auto_store_follow_up item = {0};
        bool is_done;

        if (!find(call, input, &task, &item, error))
                return false;
        if (strcmp(item.state, "scheduled"))
                return error_set(error, ERROR_CONFLICT, "The follow-up is queued already.");
        return store_follow_up_queue(call->db, item.rid, task.rid, &is_done, error) &&
               follow_up_next(call->services, call->db, task.rid, call->now, error) &&
               audit_write(call->db, call->actor, "task.queue_send", task.id, json_pack("{s:s}", "entry", item.id),
                           error) &&
               show(call, &task, item.id, result, error);
}
