#include "server/services/follow_up.h"

#include <string.h>

#include "server/base/clock.h"
#include "server/services/access.h"
#include "server/services/grants.h"
#include "server/store/turn.h"
#include "server/store/work.h"

#define DUE_AT_ONCE 64

static bool is_at_work(const struct store_task *task)
{
        return !strcmp(task->status, "running") || !strcmp(task->status, "queued");
}

static bool keep_files(struct store_db *db, const struct upload *upload, int64_t rid, struct error *error)
{
        for (size_t i = 0; upload && i < upload->count; i++)
                if (!store_follow_up_attach(db, rid, (int64_t)i, upload->files[i].filename, upload->files[i].size,
                                            upload->id, error))
                        return false;
        return true;
}

static bool check_room(struct store_db *db, const struct follow_up_new *new, enum follow_up_way way,
                       struct error *error)
{
        struct store_follow_up_counts counts;

        if (way == FOLLOW_UP_AT_ONCE || !strcmp(new->kind, "auto"))
                return true;
        if (!store_follow_up_count(db, new->task, &counts, error))
                return false;
        if (way == FOLLOW_UP_LATER && counts.scheduled >= SCHEDULE_MAXIMUM)
                return error_set(error, ERROR_SCHEDULE_FULL, NULL);
        return way != FOLLOW_UP_QUEUED || counts.queued < QUEUE_MAXIMUM || error_set(error, ERROR_QUEUE_FULL, NULL);
}

/* One follow-up alone, past whatever is queued. */
static bool start_alone(const struct services *services, struct store_db *db, const struct store_task *task,
                        const char *id, int64_t now, struct error *error)
{
        auto_follow_up_batch batch = {0};
        bool is_found;

        if (!store_follow_up_find(db, id, &batch.items[0], &is_found, error) ||
            !store_follow_up_attachments(db, batch.items[0].rid, &batch.files[0], error))
                return false;
        batch.count = 1;
        return follow_up_batch_start(services, db, task, &batch, now, error);
}

bool follow_up_add(const struct services *services, struct store_db *db, const struct follow_up_new *new,
                   enum follow_up_way way, char id[ID_SIZE], struct error *error)
{
        auto_store_task task = {0};
        struct store_follow_up_new row = {.id = id,
                                          .state = way == FOLLOW_UP_LATER ? "scheduled" : "queued",
                                          .kind = new->kind,
                                          .origin = new->origin,
                                          .by_task = new->by_task,
                                          .request_id = new->request_id,
                                          .instructions = new->instructions,
                                          .given = new->given,
                                          .model = new->model,
                                          .reasoning_effort = new->reasoning_effort,
                                          .speed = new->speed,
                                          .task = new->task,
                                          .sender = new->sender,
                                          .submitted_at = new->now,
                                          .deliver_at = way == FOLLOW_UP_LATER ? new->deliver_at : 0,
                                          .pulls_latest = new->pulls_latest,
                                          .is_delay = new->is_delay};
        bool is_found;
        int64_t rid;

        id_new("fu", id);
        if (!store_task_find_rid(db, new->task, 0, &task, &is_found, error))
                return false;
        if (!is_found)
                return error_set(error, ERROR_TASK_NOT_FOUND, NULL);
        if (way == FOLLOW_UP_AT_ONCE && is_at_work(&task))
                return error_set(error, ERROR_TASK_BUSY, "The task is %s; wait until its turn has ended.", task.status);
        if (!check_room(db, new, way, error) || !store_follow_up_add(db, &row, &rid, error) ||
            !keep_files(db, new->upload, rid, error))
                return false;
        if (way == FOLLOW_UP_AT_ONCE)
                return start_alone(services, db, &task, id, new->now, error);
        return way == FOLLOW_UP_LATER || follow_up_next(services, db, new->task, new->now, error);
}

/* Access is looked at again when a follow-up is delivered, not only when it was sent. */
static bool may_send(struct store_db *db, const struct store_task *task, const struct store_follow_up *follow_up,
                     bool *may, struct error *error)
{
        struct actor sender = {.user = follow_up->sender};

        *may = !follow_up->sender;
        if (*may || follow_up->is_sender_disabled)
                return true;
        auto_free struct grants *grants = grants_resolve(db, follow_up->sender, error);
        if (!grants)
                return false;
        sender.grants = grants;
        *may = access_allows(&sender,
                             task->is_shared || task->creator == sender.user ? PERMISSION_TASKS_CHANGE
                                                                             : PERMISSION_TASKS_CHANGE_ANY,
                             task->environment);
        return true;
}

static bool is_paused(struct store_db *db, int64_t task, bool *result, struct error *error)
{
        auto_store_queue_pause pause = {0};

        return store_queue_find_pause(db, task, &pause, result, error);
}

static bool wants_pull(const struct store_task *task, const struct follow_up_batch *batch)
{
        /* A staged task begins with what is upstream then. */
        for (size_t i = 0; i < batch->count && strcmp(task->status, "staged"); i++)
                if (batch->items[i].pulls_latest)
                        return true;
        return false;
}

static bool ask_for_pull(struct store_db *db, int64_t task, struct error *error)
{
        bool is_asked;

        return store_job_exists(db, "pull", task, &is_asked, error) &&
               (is_asked || store_job_add(db, "pull", task, 0, 0, error));
}

static bool deliver(const struct services *services, struct store_db *db, int64_t rid, int64_t now, bool is_pulled,
                    struct error *error)
{
        auto_follow_up_batch batch = {0};
        auto_store_task task = {0};
        bool is_found, is_held = false, may;

        if (!store_task_find_rid(db, rid, 0, &task, &is_found, error))
                return false;
        if (!is_found || is_at_work(&task))
                return true;
        if (!is_paused(db, rid, &is_held, error) || is_held || !follow_up_batch_take(db, rid, 0, &batch, error))
                return is_held;
        if (!batch.count)
                return true;
        if (!may_send(db, &task, &batch.items[0], &may, error))
                return false;
        if (!may)
                return follow_up_pause(db, rid, "sender_denied", "Who sent the next follow-up may not change the task.",
                                       NULL, NULL, now, error);
        return !is_pulled && wants_pull(&task, &batch) ? ask_for_pull(db, rid, error)
                                                       : follow_up_batch_start(services, db, &task, &batch, now, error);
}

bool follow_up_next(const struct services *services, struct store_db *db, int64_t task, int64_t now,
                    struct error *error)
{
        return deliver(services, db, task, now, false, error);
}

bool follow_up_next_pulled(const struct services *services, struct store_db *db, int64_t task, int64_t now,
                           struct error *error)
{
        return deliver(services, db, task, now, true, error);
}

bool follow_up_pause(struct store_db *db, int64_t task, const char *reason, const char *message, const char *details,
                     const char *user, int64_t now, struct error *error)
{
        struct store_queue_pause pause = {.reason = (char *)reason,
                                          .message = (char *)message,
                                          .details = (char *)details,
                                          .paused_by = (char *)user,
                                          .paused_at = now};
        struct store_follow_up_counts counts;

        if (!store_follow_up_count(db, task, &counts, error))
                return false;
        return !counts.queued || store_queue_pause(db, task, &pause, error);
}

bool follow_up_after_turn(const struct services *services, struct store_db *db, int64_t task, int64_t turn,
                          const char *status, int64_t now, struct error *error)
{
        auto_store_turn ended = {0};
        bool is_stopped, is_sending, is_found;

        if (!store_turn_stop_queue(db, turn, &is_stopped, &is_sending, error))
                return false;
        if (is_sending || (!is_stopped && !strcmp(status, "completed")))
                return follow_up_next(services, db, task, now, error);
        if (!store_turn_find(db, turn, &ended, &is_found, error))
                return false;
        const char *reason = is_stopped ? is_found && !strcmp(ended.stop_kind, "stop") ? "stopped" : "interrupted"
                             : !strcmp(status, "failed") ? "turn_failed"
                                                         : "turn_interrupted";
        const char *message =
                is_stopped ? "The turn before was ended by a person." : "The turn before did not end well.";
        return follow_up_pause(db, task, reason, message, NULL, ended.stop_user, now, error);
}

bool follow_up_deliver_due(const struct services *services, struct store_db *db, int64_t now, bool *is_more,
                           struct error *error)
{
        struct store_follow_up_due due[DUE_AT_ONCE];
        size_t count = 0;
        bool is_done;

        if (!store_follow_up_list_due(db, now, due, COUNT_OF(due), &count, error))
                return false;
        *is_more = count == COUNT_OF(due);
        for (size_t i = 0; i < count; i++)
                if (!store_follow_up_queue(db, due[i].rid, due[i].task, &is_done, error))
                        return false;
        for (size_t i = 0; i < count; i++)
                if (!follow_up_next(services, db, due[i].task, now, error))
                        return false;
        return true;
}

bool follow_up_deliver_one(const struct services *services, struct store_db *db, int64_t follow_up, int64_t task,
                           int64_t now, struct error *error)
{
        bool is_done;

        return store_follow_up_queue(db, follow_up, task, &is_done, error) &&
               (!is_done || follow_up_next(services, db, task, now, error));
}

bool follow_up_time(const char *deliver_at, int64_t minutes, int64_t now, int64_t *at, struct error *error)
{
        *at = 0;
        if (!deliver_at && !minutes)
                return true;
        if (deliver_at && minutes)
                return error_set(error, ERROR_DELIVER_AT_INVALID, "Give deliverAt or deliverInMinutes, not both.");
        if (minutes < 0)
                return error_set(error, ERROR_DELIVER_AT_PAST, NULL);
        if (minutes > SCHEDULE_AHEAD_MS / 60000)
                return error_set(error, ERROR_DELIVER_AT_FAR, NULL);
        if (deliver_at && !clock_parse(deliver_at, at))
                return error_set(error, ERROR_DELIVER_AT_INVALID,
                                 "deliverAt must be a date and time with an offset from UTC, like "
                                 "2026-10-28T12:00:00-04:00.");
        if (minutes)
                *at = now + minutes * 60000;
        if (*at <= now)
                return error_set(error, ERROR_DELIVER_AT_PAST, NULL);
        return *at - now <= SCHEDULE_AHEAD_MS || error_set(error, ERROR_DELIVER_AT_FAR, NULL);
}
