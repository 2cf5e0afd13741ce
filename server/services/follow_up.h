/* Follow-ups: what is sent to a task becomes its next turn at once, waits in the task's queue while it is busy, or is
 * scheduled for later. Whoever starts a turn of a task that exists comes here: people, judges, children, the scheduler.
 *
 * A queue is delivered when a turn has ended well: what stands first in it and goes together becomes one turn. It is
 * paused when the turn ended otherwise, and resumed by a person. All of this happens in pieces of work together with
 * what it follows from, so that no follow-up is delivered twice or lost, whenever the process dies. */
#ifndef SERVICES_FOLLOW_UP_H
#define SERVICES_FOLLOW_UP_H

#include "server/base/field.h"
#include "server/base/id.h"
#include "server/services/services.h"
#include "server/services/upload.h"
#include "server/store/follow_up.h"
#include "server/store/task.h"

/* Follow-ups that may wait in one queue, and be scheduled for one task. */
#define QUEUE_MAXIMUM 100
#define SCHEDULE_MAXIMUM 20
#define SCHEDULE_AHEAD_MS (30 * INT64_C(86400000))

/* What is sent. Borrowed. */
struct follow_up_new {
        int64_t task;
        const char *kind; /* follow_up, auto, scheduled */
        int64_t sender;   /* 0: nobody */
        const char *origin, *by_task;
        const char *request_id;   /* NULL: none */
        const char *instructions; /* what people are shown; empty only for the start of a staged task */
        const char *given;        /* what the agent gets instead; NULL: the same */
        const char *model, *reasoning_effort, *speed;
        const struct upload *upload; /* NULL: no files */
        bool pulls_latest;
        int64_t now;
        int64_t deliver_at; /* 0: as soon as may be */
        bool is_delay;
};

enum follow_up_way {
        FOLLOW_UP_AT_ONCE, /* the task must not be at work; passes by what is queued */
        FOLLOW_UP_QUEUED,  /* behind what is queued, delivered as the queue is: at once when nothing holds it */
        FOLLOW_UP_LATER,   /* at deliver_at */
};

/* Adds a follow-up; *id names it. ERROR_TASK_BUSY, ERROR_QUEUE_FULL, ERROR_SCHEDULE_FULL. In a piece of work. */
MUST_CHECK bool follow_up_add(const struct services *services, struct store_db *db, const struct follow_up_new *new,
                              enum follow_up_way way, char id[ID_SIZE], struct error *error);
/* Delivers what the queue holds if the task is not at work and the queue not paused; what wants upstream changes pulled
 * first is left to a job that does it. In a piece of work. */
MUST_CHECK bool follow_up_next(const struct services *services, struct store_db *db, int64_t task, int64_t now,
                               struct error *error);
/* The same once upstream changes were pulled for it. */
MUST_CHECK bool follow_up_next_pulled(const struct services *services, struct store_db *db, int64_t task, int64_t now,
                                      struct error *error);
/* What becomes of the queue when a turn has ended, the task being in `status` now: it is delivered or paused. In the
 * piece of work that records the end. */
MUST_CHECK bool follow_up_after_turn(const struct services *services, struct store_db *db, int64_t task, int64_t turn,
                                     const char *status, int64_t now, struct error *error);
/* Pauses the queue if anything is in it. `details` is a JSON document or NULL. In a piece of work. */
MUST_CHECK bool follow_up_pause(struct store_db *db, int64_t task, const char *reason, const char *message,
                                const char *details, const char *user, int64_t now, struct error *error);
/* Puts scheduled follow-ups whose time has come into their queues and delivers those. In a piece of work. *is_more says
 * that there are more than were taken. */
MUST_CHECK bool follow_up_deliver_due(const struct services *services, struct store_db *db, int64_t now, bool *is_more,
                                      struct error *error);

/* The same with one of them, if it is still scheduled. In a piece of work. */
MUST_CHECK bool follow_up_deliver_one(const struct services *services, struct store_db *db, int64_t follow_up,
                                      int64_t task, int64_t now, struct error *error);

/* follow_up_batch.c: what goes into one turn together. */
#define FOLLOW_UP_BATCH_MAXIMUM 20
struct follow_up_batch {
        struct store_follow_up items[FOLLOW_UP_BATCH_MAXIMUM];
        struct store_attachments files[FOLLOW_UP_BATCH_MAXIMUM];
        size_t count;
        size_t bytes; /* of their texts */
};
void follow_up_batch_clear(struct follow_up_batch *batch);
#define auto_follow_up_batch CLEANUP(follow_up_batch_clear) struct follow_up_batch
/* Takes what stands first in the task's queue behind the place `after` (0: at its front), and what follows it as long
 * as it is of the same kind and sender, chooses no other model and its files have other names. */
MUST_CHECK bool follow_up_batch_take(struct store_db *db, int64_t task, int64_t after, struct follow_up_batch *batch,
                                     struct error *error);
/* Makes a turn of the batch and starts it; a staged task starts with what it was staged with and the batch. */
MUST_CHECK bool follow_up_batch_start(const struct services *services, struct store_db *db,
                                      const struct store_task *task, struct follow_up_batch *batch, int64_t now,
                                      struct error *error);

/* Times of delivery as a caller gives them: exactly one, or none (*at is 0). ERROR_DELIVER_AT_INVALID,
 * ERROR_DELIVER_AT_PAST, ERROR_DELIVER_AT_FAR. */
MUST_CHECK bool follow_up_time(const char *deliver_at, int64_t minutes, int64_t now, int64_t *at, struct error *error);

/* Puts what waits into a task's object: queuedFollowUps, followUpQueuePaused, scheduledFollowUps,
 * nextScheduledFollowUpAt, each only when there is something to say. */
void follow_up_describe(const struct call *call, int64_t task, json_t *view);

struct queue_list_input {
        const char *taskId;
        int64_t offset, limit;
};
/* {taskId, status, paused, pauseReason..., entries, total, nextOffset}. Reads. */
MUST_CHECK bool queue_list(struct call *call, const struct queue_list_input *input, json_t **result,
                           struct error *error);

struct queue_resume_input {
        const char *taskId;
};
/* {taskId, resumed, status, queuedFollowUps}. Writes. */
MUST_CHECK bool queue_resume(struct call *call, const struct queue_resume_input *input, json_t **result,
                             struct error *error);

struct queue_entry_input {
        const char *taskId, *entryId;
        int64_t version;
        const char *instructions, *deliverAt;
        int64_t deliverInMinutes;
        int pullLatest; /* -1: as it is */
};
/* The entry as the list shows it then. ERROR_FOLLOW_UP_NOT_FOUND when it does not wait, ERROR_VERSION_CONFLICT when it
 * was changed since. Only who sent it may edit it. Write. */
MUST_CHECK bool queue_entry_edit(struct call *call, const struct queue_entry_input *input, json_t **result,
                                 struct error *error);
/* {taskId, entryId, removed}. Blocks: its files go too. */
MUST_CHECK bool queue_entry_remove(struct call *call, const struct queue_entry_input *input, json_t **result,
                                   struct error *error);
/* Sends a scheduled one now: it joins the queue. The task's queue. Writes. */
MUST_CHECK bool queue_entry_send(struct call *call, const struct queue_entry_input *input, json_t **result,
                                 struct error *error);

#endif
