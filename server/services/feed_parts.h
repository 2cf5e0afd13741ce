/* Internal to the feed. What is not said to be under the mutex belongs to the feed's thread. */
#ifndef SERVICES_FEED_PARTS_H
#define SERVICES_FEED_PARTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/queue.h>

#include "server/services/feed.h"
#include "server/services/redact.h"
#include "server/store/feed.h"

/* Who listens with one credential: rendered for once, looked at again together. */
struct viewer {
        struct actor *actor;
        int64_t expires_at; /* 0: never */
        LIST_HEAD(, feed_subscription) subscriptions;
        LIST_ENTRY(viewer) all;
};

struct feed_subscription {
        struct feed *feed;
        const struct feed_sink *sink;
        void *to;
        struct viewer *viewer; /* NULL until it has begun, and once it is over */
        LIST_ENTRY(feed_subscription) of_viewer;
        struct actor *actor; /* until it has begun */
        bool is_blocked;     /* there was no room for what comes next */
        bool is_reset;       /* "reset" is to be told first */
        bool is_greeted;     /* "ready" was told, or is not wanted */

        int64_t cursor; /* the last change that was told; -1: from now on */

        char task_id[ID_SIZE];  /* "" for one that listens to changes */
        int64_t offset;         /* of the event log's next line */
        int64_t turn, sequence; /* of the last event that was told */
        bool is_grown;          /* there may be more to tell */
        bool wants_state;

        /* Under the mutex. */
        int64_t user;
        LIST_ENTRY(feed_subscription) all;
        bool is_posted, wants_begin, is_drained, wants_end;
        STAILQ_ENTRY(feed_subscription) inbox;
};

STAILQ_HEAD(feed_inbox, feed_subscription);

struct feed {
        struct services *services;
        pthread_t thread;
        struct store_db *db;
        LIST_HEAD(, viewer) viewers;
        int64_t position;           /* the newest change that was told */
        int64_t prune_at, retry_at; /* monotonic ms; retry_at 0: nothing was put off */
        bool has_more;              /* some have more to tell than one visit allows */
        struct redactor redactor;   /* of this round */

        pthread_mutex_t mutex;
        pthread_cond_t changed;
        LIST_HEAD(, feed_subscription) all;
        struct feed_inbox inbox;
        char (*grown)[ID_SIZE];
        size_t grown_count;
        bool is_woken, is_stopping;
        atomic_int task_listeners;
};

/* feed.c: ends a subscription from our side. */
void feed_end(struct feed_subscription *subscription);
/* Gives the listener an event, or marks it as blocked. */
MUST_CHECK bool feed_tell(struct feed_subscription *subscription, const char *id, const char *name, const char *data,
                          size_t length);
/* feed_changes.c: tells those that are up to date of what is new. */
MUST_CHECK bool feed_changes_round(struct feed *feed, struct error *error);
/* Tells one that is behind of what it has missed, as far as there is room. */
MUST_CHECK bool feed_changes_catch_up(struct feed *feed, struct feed_subscription *subscription, struct error *error);
/* feed_events.c: tells a task's listener of the events that follow, as far as there is room. */
MUST_CHECK bool feed_events_pump(struct feed *feed, struct feed_subscription *subscription, struct error *error);

#endif
