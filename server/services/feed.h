/* What goes on, told to whoever listens: changes of the tasks that a person may see, and the events of one task.
 *
 * One thread reads both from where they are kept (the table task_changes, debug-stream.jsonl) and gives each listener
 * what follows the last it had, rendered and redacted for that person now. So a listener may fall behind, go away and
 * come back, also after a restart, and gets everything once. What a person may see is looked at again whenever access
 * changes; a listener whose credential or task is no longer good is ended.
 *
 * Events of the first kind, "task", carry the change's number as id and {seq, kind, at, task}; "gone" says that a task
 * was deleted or is no longer shown, {seq, kind, at, taskId}; "ready" comes first, with the number to go on from;
 * "reset" says that not all that was missed is kept. Those of the second kind, "event", carry "TURN.SEQ" and one
 * normalised event; "state", without an id, tells {task} at first and when it has changed, after the events until then;
 * "reset" that the id to go on from is none. */
#ifndef SERVICES_FEED_H
#define SERVICES_FEED_H

#include "server/services/services.h"

/* Listeners of one person at most. */
#define FEED_PERSON_MAXIMUM 64

struct feed;
struct feed_subscription;

/* Where a listener's events go. Called on the feed's thread; must not block. */
struct feed_sink {
        /* An event with its data, one line of JSON; `id` may be NULL. False when there is no room for it now:
         * feed_drained is to be called once there is. */
        bool (*event)(void *to, const char *id, const char *name, const char *data, size_t length);
        /* Nothing follows; feed_unsubscribe is still to be called. */
        void (*end)(void *to);
        /* The feed has done with `to`, which is never touched again. */
        void (*release)(void *to);
};

/* Starts the feed's thread; `services->store` is open. The caller owns it; NULL on error. */
struct feed *feed_start(struct services *services, struct error *error);
/* Ends it. Nobody may subscribe any more; subscriptions that are left are released. NULL is allowed. */
void feed_stop(struct feed *feed);

/* Listens to the changes of tasks behind the one with the id `after`, or from now on when it is NULL. Nothing is told
 * before feed_begin. NULL with ERROR_TOO_MANY when the person has too many listeners. */
struct feed_subscription *feed_subscribe_changes(struct feed *feed, const struct actor *actor, const char *after,
                                                 const struct feed_sink *sink, void *to, struct error *error);
/* Listens to the events of a task behind the one with the id `after`, or from the first on when it is NULL.
 * ERROR_TASK_NOT_FOUND for one that the actor may not see. */
struct feed_subscription *feed_subscribe_task(struct feed *feed, struct store_db *db, const struct actor *actor,
                                              const char *task_id, const char *after, const struct feed_sink *sink,
                                              void *to, struct error *error);

/* On any thread. */

void feed_begin(struct feed_subscription *subscription);
void feed_drained(struct feed_subscription *subscription);
/* Ends a subscription, begun or not; it is gone for the caller. */
void feed_unsubscribe(struct feed_subscription *subscription);
/* The event log of the task has grown. NULL is allowed for the feed. */
void feed_events_grown(struct feed *feed, const char *task_id);

#endif
