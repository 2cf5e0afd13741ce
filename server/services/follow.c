#include "server/services/runtime_parts.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>

#include "docker/runner/control.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/event_log.h"
#include "server/services/feed.h"
#include "server/services/reader.h"
#include "server/services/task_paths.h"

/* News within this time are served together. */
#define TOGETHER_MS 10
/* What failed is tried again after this time, and what cannot be watched is looked at this often. */
#define RETRY_MS 2000

/* A turn that runs. The follower's thread looks at it, then a worker ends it; the mutex guards what others touch: the
 * list, and from `is_grown` on. */
struct followed {
        struct runtime *runtime;
        struct store_turn turn;
        char *control, *run, *records;
        struct event_log *log;
        int64_t quiet_until; /* taking up output has failed */
        uint64_t pass;       /* in which it was served last */
        int runs_watch, raw_watch;
        bool is_grown;
        int64_t look_at; /* when to look at it without news; 0: never */
        bool is_over;    /* `outcome` says how */
        struct turn_outcome outcome;
        bool is_ending; /* a worker has it */
        struct followed *next;
};

struct follower {
        struct runtime *runtime;
        pthread_t thread;
        pthread_mutex_t mutex;
        struct followed *first;
        uint64_t pass;
        int notify, wake;
        bool is_stopping;
};

static void followed_free(struct followed *followed)
{
        event_log_close(followed->log);
        store_turn_clear(&followed->turn);
        free(followed->control);
        free(followed->run);
        free(followed->records);
        free(followed);
}

static void wake(struct follower *follower)
{
        uint64_t one = 1;

        if (write(follower->wake, &one, sizeof one) < 0 && errno != EAGAIN)
                log_error("the follower cannot be woken", "reason", strerror(errno));
}

static struct followed *find(struct follower *follower, int64_t turn)
{
        struct followed *one = follower->first;

        while (one && one->turn.rid != turn)
                one = one->next;
        return one;
}

static struct followed *followed_new(struct runtime *runtime, struct store_turn *turn)
{
        struct followed *followed = memory_new(sizeof *followed);
        auto_error ignored = {0};

        followed->runtime = runtime;
        followed->control = task_path_control(runtime->services->data_folder, turn->task_id);
        followed->records = task_path_records(runtime->services->data_folder, turn->task_id);
        followed->run = turn_run_id(turn->ordinal);
        followed->turn = *turn;
        *turn = (struct store_turn){0};
        followed->is_grown = true;
        /* For the watch. Where the disk is full the runner cannot make it either, and ends the run. */
        auto_free char *raw = path_join(followed->records, "raw");
        if (!path_make_folder(raw, 0700, &ignored))
                followed->look_at = 1;
        return followed;
}

/* Called with the mutex held. */
static void watch(struct follower *follower, struct followed *followed)
{
        auto_free char *runs = control_path_runs(followed->control), *raw = path_join(followed->records, "raw");

        followed->runs_watch = inotify_add_watch(follower->notify, runs, IN_MOVED_TO | IN_ONLYDIR);
        followed->raw_watch = inotify_add_watch(follower->notify, raw, IN_MODIFY | IN_CREATE | IN_ONLYDIR);
        followed->next = follower->first;
        follower->first = followed;
}

/* Called with the mutex held, before the turn's end is recorded: the next turn of the task watches the same folders,
 * and gets the same numbers while they are watched. */
static void unwatch(struct follower *follower, struct followed *followed)
{
        if (followed->runs_watch >= 0)
                inotify_rm_watch(follower->notify, followed->runs_watch);
        if (followed->raw_watch >= 0)
                inotify_rm_watch(follower->notify, followed->raw_watch);
        followed->runs_watch = followed->raw_watch = -1;
}

static bool attach(struct follower *follower, int64_t rid, const struct turn_outcome *outcome, struct error *error)
{
        struct store_db *db = services_reader(follower->runtime->services, error);
        struct followed *followed = NULL, *known;
        auto_store_turn turn = {0};
        bool is_found = false;

        if (!db || !store_turn_find(db, rid, &turn, &is_found, error))
                return false;
        if (is_found && !strcmp(turn.state, "running"))
                followed = followed_new(follower->runtime, &turn);
        pthread_mutex_lock(&follower->mutex);
        known = find(follower, rid);
        if (!known && followed) {
                watch(follower, followed);
                known = take(followed);
        }
        if (known)
                known->is_grown = true;
        if (known && outcome && !known->is_over && !known->is_ending) {
                known->outcome = *outcome;
                known->is_over = true;
        }
        pthread_mutex_unlock(&follower->mutex);
        if (followed)
                followed_free(followed);
        wake(follower);
        return true;
}

bool follower_attach(struct follower *follower, int64_t turn, struct error *error)
{
        return attach(follower, turn, NULL, error);
}

bool follower_end(struct follower *follower, int64_t turn, const struct turn_outcome *outcome, struct error *error)
{
        return attach(follower, turn, outcome, error);
}

/* Called with the mutex held. */
static void take_out(struct follower *follower, struct followed *followed)
{
        struct followed **at = &follower->first;

        while (*at != followed)
                at = &(*at)->next;
        *at = followed->next;
}

/* Until the end is recorded the turn stays in the list, so that nobody follows it a second time. */
static void end_followed(void *context)
{
        struct followed *followed = context;
        struct follower *follower = followed->runtime->follower;
        auto_error error = {0};

        event_log_close(take(followed->log));
        bool is_ended = turn_end(followed->runtime, &followed->turn, &followed->outcome, &error);
        if (!is_ended)
                log_error("a turn's end could not be recorded; it is tried again", "task", followed->turn.task_id,
                          "reason", error.message);
        pthread_mutex_lock(&follower->mutex);
        if (is_ended) {
                take_out(follower, followed);
        } else {
                followed->is_ending = false;
                followed->look_at = clock_monotonic() + RETRY_MS;
        }
        pthread_mutex_unlock(&follower->mutex);
        if (is_ended)
                followed_free(followed);
        else
                wake(follower);
}

/* Takes up grown output; a log that fails is opened again some time later. Returns whether there is more already. */
static bool ingest(struct followed *followed)
{
        auto_error error = {0};
        bool is_more = false;

        if (clock_monotonic() < followed->quiet_until)
                return false;
        if (!followed->log)
                followed->log = event_log_open(followed->records, followed->turn.ordinal,
                                               stream_format_find(followed->turn.stream_format), &error);
        if (followed->log && event_log_user(followed->log, followed->turn.shown, followed->turn.submitted_at, &error) &&
            event_log_ingest(followed->log, &is_more, &error)) {
                feed_events_grown(followed->runtime->services->feed, followed->turn.task_id);
                return is_more;
        }
        log_warning("output could not be taken up", "task", followed->turn.task_id, "reason", error.message);
        event_log_close(take(followed->log));
        followed->quiet_until = clock_monotonic() + RETRY_MS;
        return false;
}

/* What the exit record says, if there is one; false when there is none yet. *is_unclear: it must be looked at again. */
static bool read_exit(const struct followed *followed, struct turn_outcome *outcome, bool *is_unclear)
{
        auto_error error = {0};
        struct runner_exit exit;
        enum control_state state;

        if (control_state(followed->control, followed->run, &state, &exit, &error)) {
                if (state == CONTROL_ENDED)
                        turn_outcome_of_exit(&exit, outcome);
                return state == CONTROL_ENDED;
        }
        log_error("an exit record cannot be read", "task", followed->turn.task_id, "reason", error.message);
        *is_unclear = error.code != ERROR_INVALID_INPUT && error.code != ERROR_TOO_LARGE;
        if (*is_unclear)
                return false;
        /* It is there and will not become better. */
        turn_outcome_of_failure(outcome, "interrupted", "runner_lost", "agent",
                                "The record of the turn's end is damaged; the outcome is not known.");
        return true;
}

/* Called with the mutex held: the next turn with news that was not served in this pass. */
static struct followed *next_due(struct follower *follower, int64_t now)
{
        for (struct followed *one = follower->first; one; one = one->next)
                if (!one->is_ending && one->pass != follower->pass &&
                    (one->is_grown || (one->look_at && one->look_at <= now))) {
                        one->pass = follower->pass;
                        one->is_grown = false;
                        one->look_at = one->runs_watch < 0 || one->raw_watch < 0 ? now + RETRY_MS : 0;
                        return one;
                }
        return NULL;
}

/* Looks at one turn, without the mutex: nobody else takes it out of the list. */
static void serve(struct follower *follower, struct followed *one)
{
        struct turn_outcome outcome;
        bool is_unclear = false, is_more = ingest(one), has_record = read_exit(one, &outcome, &is_unclear);

        pthread_mutex_lock(&follower->mutex);
        one->is_grown = one->is_grown || is_more;
        if (is_unclear)
                one->look_at = clock_monotonic() + RETRY_MS;
        /* An exit record wins over what was found out otherwise. */
        if (has_record) {
                one->outcome = outcome;
                one->is_over = true;
        }
        if (one->is_over) {
                unwatch(follower, one);
                one->is_ending = pool_submit(one->runtime->turn_pool, end_followed, one);
                one->look_at = clock_monotonic() + RETRY_MS;
        }
        pthread_mutex_unlock(&follower->mutex);
}

/* Called with the mutex held. */
static void mark(struct follower *follower, int watch)
{
        for (struct followed *one = follower->first; one; one = one->next)
                if (watch < 0 || one->raw_watch == watch || one->runs_watch == watch)
                        one->is_grown = true;
}

static void read_notices(struct follower *follower)
{
        char buffer[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
        ssize_t length;

        while ((length = read(follower->notify, buffer, sizeof buffer)) > 0) {
                pthread_mutex_lock(&follower->mutex);
                for (char *at = buffer; at < buffer + length;) {
                        const struct inotify_event *event = (const void *)at;
                        mark(follower, event->mask & IN_Q_OVERFLOW ? -1 : event->wd);
                        at += sizeof *event + event->len;
                }
                pthread_mutex_unlock(&follower->mutex);
        }
}

/* Serves every turn that has news once. Returns the time to wait for more, in poll's terms; -2 when it stops. */
static int serve_all(struct follower *follower)
{
        int64_t now = clock_monotonic(), soonest = INT64_MAX;
        struct followed *one;

        pthread_mutex_lock(&follower->mutex);
        follower->pass++;
        while (!follower->is_stopping && (one = next_due(follower, now))) {
                pthread_mutex_unlock(&follower->mutex);
                serve(follower, one);
                pthread_mutex_lock(&follower->mutex);
        }
        for (one = follower->first; one; one = one->next) {
                int64_t at = one->is_ending ? INT64_MAX : one->is_grown ? now : one->look_at ? one->look_at : INT64_MAX;
                soonest = at < soonest ? at : soonest;
        }
        bool is_stopping = follower->is_stopping;
        pthread_mutex_unlock(&follower->mutex);
        if (is_stopping)
                return -2;
        now = clock_monotonic();
        return soonest == INT64_MAX ? -1 : soonest <= now ? 0 : (int)(soonest - now);
}

static void *follow_loop(void *context)
{
        struct follower *follower = context;
        struct pollfd polled[] = {{follower->notify, POLLIN, 0}, {follower->wake, POLLIN, 0}};

        for (int timeout = 0; timeout > -2;) {
                uint64_t count;
                poll(polled, COUNT_OF(polled), timeout);
                while (read(follower->wake, &count, sizeof count) > 0)
                        continue;
                read_notices(follower);
                timeout = serve_all(follower);
                if (polled[0].revents)
                        poll(&polled[1], 1, TOGETHER_MS);
        }
        return NULL;
}

struct follower *follower_start(struct runtime *runtime, struct error *error)
{
        struct follower *follower = memory_new(sizeof *follower);

        follower->runtime = runtime;
        follower->notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
        follower->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        pthread_mutex_init(&follower->mutex, NULL);
        if (follower->notify < 0 || follower->wake < 0) {
                error_set(error, ERROR_INTERNAL, "files cannot be watched: %s", strerror(errno));
                follower_free(follower);
                return NULL;
        }
        pthread_create(&follower->thread, NULL, follow_loop, follower);
        return follower;
}

void follower_stop(struct follower *follower)
{
        pthread_mutex_lock(&follower->mutex);
        follower->is_stopping = true;
        pthread_mutex_unlock(&follower->mutex);
        wake(follower);
        pthread_join(follower->thread, NULL);
}

void follower_free(struct follower *follower)
{
        for (struct followed *one = follower->first, *next; one; one = next) {
                next = one->next;
                followed_free(one);
        }
        if (follower->notify >= 0)
                close(follower->notify);
        if (follower->wake >= 0)
                close(follower->wake);
        pthread_mutex_destroy(&follower->mutex);
        free(follower);
}
