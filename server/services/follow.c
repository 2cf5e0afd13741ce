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
#include "server/services/reader.h"
#include "server/services/task_paths.h"

/* Output that has grown is taken up this often at most. */
#define INGEST_EVERY_MS 100
#define RETRY_MS 2000

/* A turn that runs. Owned by the follower until it is handed to the pool to be ended. */
struct followed {
        struct runtime *runtime;
        struct store_turn turn;
        char *control, *run, *records;
        const struct agent *agent;
        struct event_log *log;
        int runs_watch, raw_watch;
        bool is_grown, is_new;
        int64_t retry_at; /* ending it has failed: when to try again; 0 otherwise */
        bool is_over;     /* `outcome` says how */
        struct turn_outcome outcome;
        struct followed *next;
};

struct follower {
        struct runtime *runtime;
        pthread_t thread;
        pthread_mutex_t mutex;
        struct followed *first;
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

static struct followed *followed_new(struct runtime *runtime, const struct store_turn *turn)
{
        struct followed *followed = memory_new(sizeof *followed);

        followed->runtime = runtime;
        followed->agent = agent_find(turn->agent);
        followed->control = task_path_control(runtime->services->data_folder, turn->task_id);
        followed->records = task_path_records(runtime->services->data_folder, turn->task_id);
        followed->run = turn_run_id(turn->ordinal);
        followed->is_new = true;
        return followed;
}

static bool prepare(struct followed *followed, int64_t turn, bool *is_running, struct error *error)
{
        auto_free char *raw = path_join(followed->records, "raw");
        struct store_db *db = services_reader(followed->runtime->services, error);
        bool is_found = false;

        if (!db || !store_turn_find(db, turn, &followed->turn, &is_found, error))
                return false;
        *is_running = is_found && !strcmp(followed->turn.state, "running");
        if (!followed->agent)
                return error_set(error, ERROR_AGENT_UNKNOWN, NULL);
        return path_make_folder(raw, 0700, error);
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

static bool attach(struct follower *follower, const struct store_turn *turn, const struct turn_outcome *outcome,
                   struct error *error)
{
        struct followed *followed = followed_new(follower->runtime, turn), *known;
        bool is_running = false, is_good = prepare(followed, turn->rid, &is_running, error);

        pthread_mutex_lock(&follower->mutex);
        known = find(follower, turn->rid);
        if (is_good && is_running && !known) {
                watch(follower, followed);
                known = take(followed);
        }
        if (known) {
                known->is_grown = true;
                if (outcome && !known->is_over) {
                        known->outcome = *outcome;
                        known->is_over = true;
                }
        }
        pthread_mutex_unlock(&follower->mutex);
        if (followed)
                followed_free(followed);
        wake(follower);
        return is_good;
}

bool follower_attach(struct follower *follower, const struct store_turn *turn, struct error *error)
{
        return attach(follower, turn, NULL, error);
}

bool follower_end(struct follower *follower, const struct store_turn *turn, const struct turn_outcome *outcome,
                  struct error *error)
{
        return attach(follower, turn, outcome, error);
}

static void end_followed(void *context)
{
        struct followed *followed = context;
        struct runtime *runtime = followed->runtime;
        auto_error error = {0};

        event_log_close(take(followed->log));
        if (turn_end(runtime, &followed->turn, &followed->outcome, &error)) {
                followed_free(followed);
                return;
        }
        log_error("a turn's end could not be recorded; it is tried again", "task", followed->turn.task_id, "reason",
                  error.message);
        struct follower *follower = runtime->follower;
        pthread_mutex_lock(&follower->mutex);
        followed->retry_at = clock_monotonic() + RETRY_MS;
        followed->next = follower->first;
        follower->first = followed;
        pthread_mutex_unlock(&follower->mutex);
        wake(follower);
}

/* Takes up grown output; a log that fails is opened again the next time. */
static void ingest(struct followed *followed)
{
        auto_error error = {0};

        if (!followed->log)
                followed->log =
                        event_log_open(followed->records, followed->turn.ordinal, followed->agent->format, &error);
        if (!followed->log ||
            !event_log_user(followed->log, followed->turn.shown, followed->turn.submitted_at, &error) ||
            !event_log_ingest(followed->log, false, &error)) {
                log_warning("output could not be taken up", "task", followed->turn.task_id, "reason", error.message);
                event_log_close(take(followed->log));
        }
        followed->is_grown = followed->is_new = false;
}

/* An exit record wins over what was found out otherwise. */
static bool has_ended(struct followed *followed)
{
        auto_error error = {0};
        struct runner_exit exit;
        enum control_state state;

        if (!control_state(followed->control, followed->run, &state, &exit, &error)) {
                log_error("an exit record cannot be read", "task", followed->turn.task_id, "reason", error.message);
                return followed->is_over;
        }
        if (state == CONTROL_ENDED) {
                turn_outcome_of_exit(&exit, &followed->outcome);
                followed->is_over = true;
        }
        return followed->is_over;
}

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

        while ((length = read(follower->notify, buffer, sizeof buffer)) > 0)
                for (char *at = buffer; at < buffer + length;) {
                        const struct inotify_event *event = (const void *)at;
                        mark(follower, event->mask & IN_Q_OVERFLOW ? -1 : event->wd);
                        at += sizeof *event + event->len;
                }
}

/* Serves every turn that has news; returns whether some must be looked at again soon. Called with the mutex held. */
static void serve(struct follower *follower)
{
        int64_t now = clock_monotonic();

        for (struct followed **at = &follower->first; *at;) {
                struct followed *one = *at;
                bool is_due = one->retry_at ? one->retry_at <= now : (one->is_grown || one->is_new);
                if (!is_due) {
                        at = &one->next;
                        continue;
                }
                if (!one->retry_at)
                        ingest(one);
                if (!has_ended(one)) {
                        at = &one->next;
                        continue;
                }
                *at = one->next;
                inotify_rm_watch(follower->notify, one->runs_watch);
                inotify_rm_watch(follower->notify, one->raw_watch);
                if (!pool_submit(one->runtime->pool, end_followed, one)) {
                        one->retry_at = now + RETRY_MS;
                        one->next = *at;
                        *at = one;
                        at = &one->next;
                }
        }
}

static int next_timeout(struct follower *follower)
{
        for (struct followed *one = follower->first; one; one = one->next)
                if (one->retry_at)
                        return RETRY_MS;
        return -1;
}

static void *follow_loop(void *context)
{
        struct follower *follower = context;
        struct pollfd polled[] = {{follower->notify, POLLIN, 0}, {follower->wake, POLLIN, 0}};
        int timeout = -1;

        for (;;) {
                uint64_t count;
                poll(polled, COUNT_OF(polled), timeout);
                while (read(follower->wake, &count, sizeof count) > 0)
                        continue;
                pthread_mutex_lock(&follower->mutex);
                bool is_stopping = follower->is_stopping;
                read_notices(follower);
                if (!is_stopping)
                        serve(follower);
                timeout = next_timeout(follower);
                pthread_mutex_unlock(&follower->mutex);
                if (is_stopping)
                        return NULL;
                /* News within the next moments are served together. */
                poll(&polled[1], 1, polled[0].revents ? INGEST_EVERY_MS / 10 : 0);
        }
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
                free(follower);
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
        for (struct followed *one = follower->first, *next; one; one = next) {
                next = one->next;
                followed_free(one);
        }
        close(follower->notify);
        close(follower->wake);
        pthread_mutex_destroy(&follower->mutex);
        free(follower);
}
