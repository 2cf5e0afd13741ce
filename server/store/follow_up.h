/* Follow-ups in the store: the queue of each task, what is scheduled for later, and whether a queue is paused. */
#ifndef STORE_FOLLOW_UP_H
#define STORE_FOLLOW_UP_H

#include "server/store/attachment.h"
#include "server/store/store.h"

/* Owns its strings. Times are ms since the epoch, 0 for none. */
struct store_follow_up {
        int64_t rid, task, version, place;
        char *id, *state, *kind, *origin;
        int64_t sender; /* 0: nobody */
        char *sender_id, *sender_name;
        bool is_sender_disabled;
        char *by_task;              /* id of the task it was sent from inside, NULL for none */
        char *instructions, *given; /* empty and NULL once it was delivered or removed */
        bool pulls_latest;
        char *model, *reasoning_effort, *speed;
        int64_t submitted_at, deliver_at;
        bool is_delay;
        int64_t turn; /* rid of the turn that it was delivered with */
        int64_t attachments;
};
void store_follow_up_clear(struct store_follow_up *follow_up);
#define auto_store_follow_up CLEANUP(store_follow_up_clear) struct store_follow_up

struct store_follow_ups {
        struct store_follow_up *items;
        size_t count;
};
void store_follow_ups_clear(struct store_follow_ups *follow_ups);
#define auto_store_follow_ups CLEANUP(store_follow_ups_clear) struct store_follow_ups

/* Borrowed strings. */
struct store_follow_up_new {
        const char *id, *state, *kind, *origin, *by_task, *request_id, *instructions, *given;
        const char *model, *reasoning_effort, *speed;
        int64_t task, sender, submitted_at, deliver_at;
        bool pulls_latest, is_delay;
};
/* Puts it behind those that are queued. */
MUST_CHECK bool store_follow_up_add(struct store_db *db, const struct store_follow_up_new *follow_up, int64_t *rid,
                                    struct error *error);
MUST_CHECK bool store_follow_up_attach(struct store_db *db, int64_t rid, int64_t position, const char *filename,
                                       int64_t size, const char *upload, struct error *error);
MUST_CHECK bool store_follow_up_attachments(struct store_db *db, int64_t rid, struct store_attachments *attachments,
                                            struct error *error);
/* The first queued one behind the place `after`; places begin at 1. */
MUST_CHECK bool store_follow_up_next(struct store_db *db, int64_t task, int64_t after,
                                     struct store_follow_up *follow_up, bool *is_found, struct error *error);
MUST_CHECK bool store_follow_up_find(struct store_db *db, const char *id, struct store_follow_up *follow_up,
                                     bool *is_found, struct error *error);
/* The one that a person sent with the request id. */
MUST_CHECK bool store_follow_up_find_request(struct store_db *db, int64_t sender, const char *request_id,
                                             struct store_follow_up *follow_up, bool *is_found, struct error *error);
/* Those that wait: the queued in their order, then the scheduled by their time. */
MUST_CHECK bool store_follow_up_list(struct store_db *db, int64_t task, int64_t limit, int64_t offset,
                                     struct store_follow_ups *follow_ups, struct error *error);

struct store_follow_up_counts {
        int64_t queued, scheduled;
        int64_t next_at; /* the soonest time of a scheduled one */
};
MUST_CHECK bool store_follow_up_count(struct store_db *db, int64_t task, struct store_follow_up_counts *counts,
                                      struct error *error);
/* Makes a queued one part of the turn, with its files. *is_done is false when it was not queued. */
MUST_CHECK bool store_follow_up_deliver(struct store_db *db, int64_t rid, int64_t turn, bool *is_done,
                                        struct error *error);

/* What is NULL stays. Borrowed. */
struct store_follow_up_edit {
        const char *instructions;
        const int64_t *deliver_at, *is_delay, *pulls_latest;
};
/* Compare-and-set of one that waits: *is_done is false when its version is another or it does not wait. */
MUST_CHECK bool store_follow_up_change(struct store_db *db, int64_t rid, int64_t version,
                                       const struct store_follow_up_edit *edit, bool *is_done, struct error *error);
MUST_CHECK bool store_follow_up_remove(struct store_db *db, int64_t rid, int64_t version, bool *is_done,
                                       struct error *error);
/* Puts a scheduled one behind those that are queued. */
MUST_CHECK bool store_follow_up_queue(struct store_db *db, int64_t rid, int64_t task, bool *is_done,
                                      struct error *error);

struct store_follow_up_due {
        int64_t rid, task;
};
/* Up to `capacity` scheduled ones whose time has come, soonest first. */
MUST_CHECK bool store_follow_up_list_due(struct store_db *db, int64_t now, struct store_follow_up_due *due,
                                         size_t capacity, size_t *count, struct error *error);
/* When the first scheduled one is due, 0 for none. */
MUST_CHECK bool store_follow_up_next_due(struct store_db *db, int64_t *next_at, struct error *error);
/* Moves the times of those that were told as a delay by `ms`: the clock was set by so much. */
MUST_CHECK bool store_follow_up_shift(struct store_db *db, int64_t ms, struct error *error);

/* Owns its strings. */
struct store_queue_pause {
        char *reason, *message, *details, *paused_by;
        int64_t paused_at;
};
void store_queue_pause_clear(struct store_queue_pause *pause);
#define auto_store_queue_pause CLEANUP(store_queue_pause_clear) struct store_queue_pause
MUST_CHECK bool store_queue_find_pause(struct store_db *db, int64_t task, struct store_queue_pause *pause,
                                       bool *is_found, struct error *error);
/* A later pause replaces an earlier one. */
MUST_CHECK bool store_queue_pause(struct store_db *db, int64_t task, const struct store_queue_pause *pause,
                                  struct error *error);
/* *is_done is false when it was not paused. */
MUST_CHECK bool store_queue_resume(struct store_db *db, int64_t task, bool *is_done, struct error *error);

/* What whoever ends the unfinished turn wants with the queue: "send_queued", or NULL. */
MUST_CHECK bool store_turn_set_stop_queue(struct store_db *db, int64_t turn, const char *queue, struct error *error);
/* Whether somebody asked for the turn's end, and wants the queue sent then. */
MUST_CHECK bool store_turn_stop_queue(struct store_db *db, int64_t turn, bool *is_stopped, bool *is_sending,
                                      struct error *error);

#endif
