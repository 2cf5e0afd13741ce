#include "server/services/feed.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/services/feed_parts.h"

/* Changes of tasks that are kept. */
#define KEPT_CHANGES 100000
#define KEPT_MS (INT64_C(7) * 24 * 3600 * 1000)
#define PRUNE_BATCH 1000
#define PRUNE_EVERY_MS 60000
/* What could not be read is tried again after so long. */
#define RETRY_MS 1000

static void post(struct feed_subscription *subscription, bool *flag)
{
        struct feed *feed = subscription->feed;

        pthread_mutex_lock(&feed->mutex);
        *flag = true;
        if (!subscription->is_posted) {
                subscription->is_posted = true;
                STAILQ_INSERT_TAIL(&feed->inbox, subscription, inbox);
        }
        pthread_cond_signal(&feed->changed);
        pthread_mutex_unlock(&feed->mutex);
}

void feed_begin(struct feed_subscription *subscription)
{
        post(subscription, &subscription->wants_begin);
}

void feed_drained(struct feed_subscription *subscription)
{
        post(subscription, &subscription->is_drained);
}

void feed_unsubscribe(struct feed_subscription *subscription)
{
        post(subscription, &subscription->wants_end);
}

static void wake(void *context)
{
        struct feed *feed = context;

        pthread_mutex_lock(&feed->mutex);
        feed->is_woken = true;
        pthread_cond_signal(&feed->changed);
        pthread_mutex_unlock(&feed->mutex);
}

void feed_events_grown(struct feed *feed, const char *task_id)
{
        if (!feed || !atomic_load(&feed->task_listeners))
                return;
        pthread_mutex_lock(&feed->mutex);
        size_t i = 0;
        while (i < feed->grown_count && strcmp(feed->grown[i], task_id))
                i++;
        if (i == feed->grown_count) {
                feed->grown = memory_resize(feed->grown, ++feed->grown_count * sizeof *feed->grown);
                snprintf(feed->grown[i], ID_SIZE, "%s", task_id);
        }
        pthread_cond_signal(&feed->changed);
        pthread_mutex_unlock(&feed->mutex);
}

static struct feed_subscription *subscribe(struct feed *feed, const struct actor *actor, const struct feed_sink *sink,
                                           void *to, struct error *error)
{
        struct feed_subscription *subscription = memory_new(sizeof *subscription), *other;
        int count = 0;

        *subscription = (struct feed_subscription){.feed = feed, .sink = sink, .to = to, .user = actor->user};
        pthread_mutex_lock(&feed->mutex);
        LIST_FOREACH(other, &feed->all, all) count += other->user == actor->user;
        if (count < FEED_PERSON_MAXIMUM)
                LIST_INSERT_HEAD(&feed->all, subscription, all);
        pthread_mutex_unlock(&feed->mutex);
        if (count >= FEED_PERSON_MAXIMUM) {
                free(subscription);
                error_set(error, ERROR_TOO_MANY, "You have %d open event streams; close one first.", count);
                return NULL;
        }
        subscription->actor = actor_copy(actor);
        return subscription;
}

/* A number of one to eighteen digits, with `end` behind it. */
static bool read_number(const char **at, char end, int64_t *number)
{
        char *stop;
        size_t digits = strspn(*at, "0123456789");

        if (!digits || digits > 18 || (*at)[digits] != end)
                return false;
        *number = strtoll(*at, &stop, 10);
        *at = end ? stop + 1 : stop;
        return true;
}

struct feed_subscription *feed_subscribe_changes(struct feed *feed, const struct actor *actor, const char *after,
                                                 const struct feed_sink *sink, void *to, struct error *error)
{
        struct feed_subscription *subscription = subscribe(feed, actor, sink, to, error);

        if (!subscription)
                return NULL;
        subscription->cursor = -1;
        subscription->is_reset = after && !read_number(&after, '\0', &subscription->cursor);
        return subscription;
}

struct feed_subscription *feed_subscribe_task(struct feed *feed, struct store_db *db, const struct actor *actor,
                                              const char *task_id, const char *after, const struct feed_sink *sink,
                                              void *to, struct error *error)
{
        auto_store_task task = {0};

        if (!access_task_view(db, actor, task_id, &task, error) || !access_require_content(&task, error))
                return NULL;
        struct feed_subscription *subscription = subscribe(feed, actor, sink, to, error);
        if (!subscription)
                return NULL;
        snprintf(subscription->task_id, sizeof subscription->task_id, "%s", task_id);
        if (after &&
            (!read_number(&after, '.', &subscription->turn) || !read_number(&after, '\0', &subscription->sequence))) {
                subscription->turn = subscription->sequence = 0;
                subscription->is_reset = true;
        }
        subscription->is_grown = subscription->wants_state = true;
        atomic_fetch_add(&feed->task_listeners, 1);
        return subscription;
}

static void viewer_free_if_alone(struct viewer *viewer)
{
        if (!LIST_EMPTY(&viewer->subscriptions))
                return;
        LIST_REMOVE(viewer, all);
        actor_free(viewer->actor);
        free(viewer);
}

static void leave_viewer(struct feed_subscription *subscription)
{
        struct viewer *viewer = take(subscription->viewer);

        if (!viewer)
                return;
        LIST_REMOVE(subscription, of_viewer);
        viewer_free_if_alone(viewer);
}

void feed_end(struct feed_subscription *subscription)
{
        leave_viewer(subscription);
        subscription->sink->end(subscription->to);
}

bool feed_tell(struct feed_subscription *subscription, const char *id, const char *name, const char *data,
               size_t length)
{
        subscription->is_blocked = !subscription->sink->event(subscription->to, id, name, data, length);
        return !subscription->is_blocked;
}

static void subscription_free(struct feed_subscription *subscription)
{
        struct feed *feed = subscription->feed;

        leave_viewer(subscription);
        pthread_mutex_lock(&feed->mutex);
        LIST_REMOVE(subscription, all);
        pthread_mutex_unlock(&feed->mutex);
        if (*subscription->task_id)
                atomic_fetch_sub(&feed->task_listeners, 1);
        subscription->sink->release(subscription->to);
        actor_free(subscription->actor);
        free(subscription);
}

static bool is_same_credential(const struct actor *a, const struct actor *b)
{
        return a->user == b->user && a->credential == b->credential && !strcmp(a->credential_id, b->credential_id);
}

/* Puts a subscription to the others of its credential. The viewer is looked at again before anything is told: its
 * generation is another one, or it is as good as the new actor. */
static void join_viewer(struct feed *feed, struct feed_subscription *subscription)
{
        struct actor *actor = take(subscription->actor);
        struct viewer *viewer;

        LIST_FOREACH(viewer, &feed->viewers, all)
        {
                if (is_same_credential(viewer->actor, actor))
                        break;
        }
        if (!viewer) {
                viewer = memory_new(sizeof *viewer);
                viewer->actor = take(actor);
                viewer->actor->generation = 0;
                LIST_INSERT_HEAD(&feed->viewers, viewer, all);
        }
        actor_free(actor);
        subscription->viewer = viewer;
        LIST_INSERT_HEAD(&viewer->subscriptions, subscription, of_viewer);
}

/* Ends all that the viewer listens with, which frees it with the last. */
static void end_viewer(struct viewer *viewer)
{
        struct feed_subscription *subscription = LIST_FIRST(&viewer->subscriptions), *next;

        for (; subscription; subscription = next) {
                next = LIST_NEXT(subscription, of_viewer);
                feed_end(subscription);
        }
}

/* Whether the viewer's tasks may still be seen is found out where their state is told. */
static void check_tasks(struct viewer *viewer)
{
        struct feed_subscription *subscription;

        LIST_FOREACH(subscription, &viewer->subscriptions, of_viewer)
        {
                if (*subscription->task_id)
                        subscription->is_grown = subscription->wants_state = true;
        }
}

/* Looks at credentials again: all when access has changed, and those that have expired. */
static bool renew(struct feed *feed, struct error *error)
{
        uint64_t generation = store_generation(feed->db);
        int64_t now = clock_now();
        struct viewer *viewer = LIST_FIRST(&feed->viewers), *next;

        for (; viewer; viewer = next) {
                struct actor *fresh;
                next = LIST_NEXT(viewer, all);
                if (viewer->actor->generation == generation && (!viewer->expires_at || viewer->expires_at > now))
                        continue;
                if (access_renew(feed->db, viewer->actor, &fresh, &viewer->expires_at, error)) {
                        actor_free(viewer->actor);
                        viewer->actor = fresh;
                        check_tasks(viewer);
                        continue;
                }
                if (error->code != ERROR_UNAUTHENTICATED)
                        return false;
                error_clear(error);
                end_viewer(viewer);
        }
        return true;
}

static bool catch_up(struct feed *feed, struct feed_subscription *subscription, struct error *error)
{
        if (subscription->is_blocked)
                return true;
        if (*subscription->task_id) {
                if (subscription->is_grown && !feed_events_pump(feed, subscription, error)) {
                        log_warning("a task's events could not be told", "task", subscription->task_id, "reason",
                                    error->message);
                        error_clear(error);
                        feed_end(subscription);
                }
                return true;
        }
        return (subscription->is_greeted && subscription->cursor >= feed->position) ||
               feed_changes_catch_up(feed, subscription, error);
}

static bool catch_up_all(struct feed *feed, struct error *error)
{
        struct viewer *viewer = LIST_FIRST(&feed->viewers), *next_viewer;

        for (; viewer; viewer = next_viewer) {
                struct feed_subscription *subscription = LIST_FIRST(&viewer->subscriptions), *next;
                next_viewer = LIST_NEXT(viewer, all);
                for (; subscription; subscription = next) {
                        next = LIST_NEXT(subscription, of_viewer);
                        if (!catch_up(feed, subscription, error))
                                return false;
                }
        }
        return true;
}

/* All that is to be done now. */
static bool run_round(struct feed *feed, struct error *error)
{
        bool is_good;

        feed->has_more = false;
        if (!renew(feed, error))
                return false;
        if (LIST_EMPTY(&feed->viewers)) {
                int64_t oldest;
                return store_change_range(feed->db, &oldest, &feed->position, error);
        }
        if (!redactor_init(&feed->redactor, feed->services, feed->db, error))
                return false;
        is_good = feed_changes_round(feed, error) && catch_up_all(feed, error);
        redactor_clear(&feed->redactor);
        return is_good;
}

struct letter {
        struct feed_subscription *subscription;
        bool wants_begin, is_drained, wants_end;
};

/* Takes one subscription out of the inbox, with what it wants. */
static bool take_letter(struct feed *feed, struct letter *letter)
{
        pthread_mutex_lock(&feed->mutex);
        struct feed_subscription *subscription = STAILQ_FIRST(&feed->inbox);
        if (subscription) {
                STAILQ_REMOVE_HEAD(&feed->inbox, inbox);
                *letter = (struct letter){subscription, subscription->wants_begin, subscription->is_drained,
                                          subscription->wants_end};
                subscription->is_posted = subscription->wants_begin = subscription->is_drained = false;
        }
        pthread_mutex_unlock(&feed->mutex);
        return subscription;
}

static void read_inbox(struct feed *feed)
{
        struct letter letter;

        while (take_letter(feed, &letter)) {
                struct feed_subscription *subscription = letter.subscription;
                if (letter.wants_end) {
                        subscription_free(subscription);
                        continue;
                }
                if (letter.wants_begin)
                        join_viewer(feed, subscription);
                if (letter.is_drained) {
                        subscription->is_blocked = false;
                        subscription->is_grown = true;
                }
        }
}

static void mark_grown(struct feed *feed)
{
        struct feed_subscription *subscription;
        struct viewer *viewer;

        pthread_mutex_lock(&feed->mutex);
        auto_free char(*grown)[ID_SIZE] = take(feed->grown);
        size_t count = feed->grown_count;
        feed->grown_count = 0;
        pthread_mutex_unlock(&feed->mutex);
        for (size_t i = 0; i < count; i++)
                LIST_FOREACH(viewer, &feed->viewers, all)
        LIST_FOREACH(subscription, &viewer->subscriptions, of_viewer)
        if (!strcmp(subscription->task_id, grown[i]))
                subscription->is_grown = true;
}

struct pruning {
        int64_t now;
};

static bool prune_work(struct store_db *db, void *context, struct error *error)
{
        const struct pruning *pruning = context;
        int deleted;

        return store_change_prune(db, KEPT_CHANGES, pruning->now - KEPT_MS, PRUNE_BATCH, &deleted, error);
}

static void prune_done(void *context, struct error *error)
{
        if (error)
                log_warning("old changes of tasks could not be deleted", "reason", error->message);
        free(context);
}

/* Does not wait for the writer. */
static void prune(struct feed *feed)
{
        struct pruning *pruning = memory_new(sizeof *pruning);

        pruning->now = clock_now();
        store_write_later(feed->services->store, prune_work, pruning, prune_done);
        feed->prune_at = clock_monotonic() + PRUNE_EVERY_MS;
}

/* How long the thread may sleep, in ms. */
static int64_t sleep_time(const struct feed *feed)
{
        int64_t monotonic = clock_monotonic(), now = clock_now(), time = feed->prune_at - monotonic;
        const struct viewer *viewer;

        if (feed->has_more)
                return 0;
        if (feed->retry_at && feed->retry_at - monotonic < time)
                time = feed->retry_at - monotonic;
        LIST_FOREACH(viewer, &feed->viewers, all)
        {
                if (viewer->expires_at && viewer->expires_at - now < time)
                        time = viewer->expires_at - now;
        }
        return time < 0 ? 0 : time;
}

/* Sleeps until there is something to do; false when the feed is to stop. */
static bool sleep_well(struct feed *feed)
{
        int64_t until = clock_monotonic() + sleep_time(feed);
        struct timespec limit = {.tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000};

        pthread_mutex_lock(&feed->mutex);
        while (!feed->is_woken && !feed->is_stopping && STAILQ_EMPTY(&feed->inbox) && !feed->grown_count &&
               pthread_cond_timedwait(&feed->changed, &feed->mutex, &limit) == 0)
                continue;
        feed->is_woken = false;
        bool is_stopping = feed->is_stopping;
        pthread_mutex_unlock(&feed->mutex);
        return !is_stopping;
}

static void *feed_loop(void *context)
{
        struct feed *feed = context;

        while (sleep_well(feed)) {
                auto_error error = {0};
                read_inbox(feed);
                mark_grown(feed);
                feed->retry_at = 0;
                if (!run_round(feed, &error)) {
                        log_warning("listeners could not be told the news; it is tried again", "reason", error.message);
                        feed->retry_at = clock_monotonic() + RETRY_MS;
                        feed->has_more = false;
                }
                if (clock_monotonic() >= feed->prune_at)
                        prune(feed);
        }
        return NULL;
}

struct feed *feed_start(struct services *services, struct error *error)
{
        struct feed *feed = memory_new(sizeof *feed);
        pthread_condattr_t attributes;
        int64_t oldest;

        feed->services = services;
        feed->prune_at = clock_monotonic() + PRUNE_EVERY_MS;
        feed->db = store_reader_open(services->store, error);
        if (!feed->db || !store_change_range(feed->db, &oldest, &feed->position, error)) {
                if (feed->db)
                        store_reader_close(feed->db);
                free(feed);
                return NULL;
        }
        pthread_mutex_init(&feed->mutex, NULL);
        pthread_condattr_init(&attributes);
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        pthread_cond_init(&feed->changed, &attributes);
        pthread_condattr_destroy(&attributes);
        STAILQ_INIT(&feed->inbox);
        pthread_create(&feed->thread, NULL, feed_loop, feed);
        store_on_change(services->store, wake, feed);
        services->feed = feed;
        return feed;
}

void feed_stop(struct feed *feed)
{
        struct feed_subscription *subscription;

        if (!feed)
                return;
        store_on_change(feed->services->store, NULL, NULL);
        feed->services->feed = NULL;
        pthread_mutex_lock(&feed->mutex);
        feed->is_stopping = true;
        pthread_cond_signal(&feed->changed);
        pthread_mutex_unlock(&feed->mutex);
        pthread_join(feed->thread, NULL);
        while ((subscription = LIST_FIRST(&feed->all)))
                subscription_free(subscription);
        store_reader_close(feed->db);
        pthread_cond_destroy(&feed->changed);
        pthread_mutex_destroy(&feed->mutex);
        free(feed->grown);
        free(feed);
}
