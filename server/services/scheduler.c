/* The one thread that owns every timer: it asks the store for the next time at which anything is due (jobs, scheduled
 * follow-ups, limits of accounts), sleeps until then on the wall clock, and is woken when something changes or the
 * clock is set. What fell due while no server ran is due at once, and once. */
#include "server/services/runtime_parts.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/services/follow_up.h"
#include "server/services/reader.h"
#include "server/services/slot.h"
#include "server/store/queue.h"

#define JOBS_AT_ONCE 256
/* Tried one by one when they cannot be delivered together. */
#define DELIVERED_AT_ONCE 1024
#define UPKEEP_EVERY_MS 60000
/* Before the store is asked again that did not answer. */
#define PAUSE_MS 1000
/* A clock that moves by less is being adjusted, not set. */
#define CLOCK_STEP_MS 1500

struct scheduler {
        struct runtime *runtime;
        pthread_t thread;
        int wake, timer;    /* timer: on the wall clock, told when that is set */
        int64_t clock_base; /* the wall clock's lead over the time since boot */
        const struct settings *settings;
        int64_t release_at; /* when an account's limit ends, 0 for never */
};

/* Since boot, sleep of the machine included. */
static int64_t time_since_boot(void)
{
        struct timespec now;

        clock_gettime(CLOCK_BOOTTIME, &now);
        return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void scheduler_wake(struct scheduler *scheduler)
{
        uint64_t one = 1;

        /* A full counter wakes as well. */
        if (scheduler && write(scheduler->wake, &one, sizeof one) < 0 && errno != EAGAIN)
                log_error("the scheduler cannot be woken", "reason", strerror(errno));
}

static bool fill_work(struct store_db *db, void *context, struct error *error)
{
        return slot_fill(context, db, clock_now(), error);
}

static void fill_slots(struct runtime *runtime)
{
        auto_error error = {0};

        if (!RUNTIME_WRITE(runtime, fill_work, runtime->services, &error))
                log_error("free slots could not be given away", "reason", error.message);
}

/* Once a minute: containers and workspaces, and slots for tasks that need wait no more though no turn ended, because a
 * spend limit's period is over, say. */
static void keep_up(void *context)
{
        struct runtime *runtime = context;
        auto_error error = {0};
        struct store_db *db = services_reader(runtime->services, &error);

        if (db && !atomic_load(&runtime->is_stopping)) {
                fill_slots(runtime);
                runtime_retain(runtime, db, clock_now());
        }
        atomic_store(&runtime->is_retaining, false);
}

/* What lets tasks start without the end of a turn: other settings, and the end of an account's limit. Gives slots away
 * when something of it has happened; the time (wall clock) at which the next will, 0 for never. */
static int64_t release(struct scheduler *scheduler, struct store_db *db)
{
        const struct settings *settings = settings_current();
        int64_t now = clock_now();
        auto_error error = {0};

        if (settings != scheduler->settings || (scheduler->release_at && now >= scheduler->release_at))
                fill_slots(scheduler->runtime);
        scheduler->settings = settings;
        if (!db || !store_account_limit_next(db, now, &scheduler->release_at, &error)) {
                log_error("limits of accounts could not be read", "reason", error.message);
                return now + PAUSE_MS;
        }
        return scheduler->release_at;
}

struct step {
        int64_t ms;
};

static bool shift_work(struct store_db *db, void *context, struct error *error)
{
        return store_follow_up_shift(db, ((struct step *)context)->ms, error);
}

/* A delay is elapsed time: when the clock is set, what was told as one moves along. A time of day stays what it is. */
static void watch_clock(struct scheduler *scheduler)
{
        int64_t base = clock_now() - time_since_boot();
        struct step step = {base - scheduler->clock_base};
        auto_error error = {0};

        if (step.ms < CLOCK_STEP_MS && step.ms > -CLOCK_STEP_MS)
                return;
        log_warning("the clock was set; delays that run go on as they were");
        atomic_store(&scheduler->runtime->clock_set_at, clock_now());
        if (RUNTIME_WRITE(scheduler->runtime, shift_work, &step, &error))
                scheduler->clock_base = base;
        else
                log_error("scheduled follow-ups could not be moved", "reason", error.message);
}

struct delivery {
        const struct services *services;
        bool is_more;
};

static bool deliver_work(struct store_db *db, void *context, struct error *error)
{
        struct delivery *delivery = context;

        return follow_up_deliver_due(delivery->services, db, clock_now(), &delivery->is_more, error);
}

struct single {
        const struct services *services;
        struct store_follow_up_due due;
};

static bool deliver_one_work(struct store_db *db, void *context, struct error *error)
{
        const struct single *single = context;

        return follow_up_deliver_one(single->services, db, single->due.rid, single->due.task, clock_now(), error);
}

/* One that cannot be delivered does not hold up those of other tasks. */
static void deliver_each(struct runtime *runtime, struct store_db *db)
{
        struct store_follow_up_due due[DELIVERED_AT_ONCE];
        auto_error listing = {0};
        size_t count = 0;

        if (!store_follow_up_list_due(db, clock_now(), due, COUNT_OF(due), &count, &listing))
                log_error("scheduled follow-ups could not be read", "reason", listing.message);
        for (size_t i = 0; i < count && !atomic_load(&runtime->is_stopping); i++) {
                struct single single = {runtime->services, due[i]};
                auto_error error = {0};
                if (!RUNTIME_WRITE(runtime, deliver_one_work, &single, &error))
                        log_error("a scheduled follow-up could not be delivered", "reason", error.message);
        }
}

/* False when that failed: it is due again at once. */
static bool deliver_follow_ups(struct runtime *runtime, struct store_db *db)
{
        struct delivery delivery = {runtime->services, true};
        auto_error error = {0};

        while (delivery.is_more && !atomic_load(&runtime->is_stopping))
                if (!RUNTIME_WRITE(runtime, deliver_work, &delivery, &error)) {
                        log_error("scheduled follow-ups could not be delivered", "reason", error.message);
                        deliver_each(runtime, db);
                        return false;
                }
        return true;
}

/* Hands out every job that is due: one may stand behind many that are being done, or whose tasks are held. */
static bool submit_jobs(struct runtime *runtime, struct store_db *db, int64_t now, struct error *error)
{
        struct store_job jobs[JOBS_AT_ONCE], last = {0};
        size_t count = 0;

        do {
                if (!store_job_list_due(db, now, &last, jobs, JOBS_AT_ONCE, &count, error))
                        return false;
                for (size_t i = 0; i < count; i++)
                        job_submit(runtime, &jobs[i]);
                if (count)
                        last = jobs[count - 1];
        } while (count == JOBS_AT_ONCE);
        return true;
}

/* Submits and delivers what is due; the time (wall clock) at which something else will be, 0 for never. */
static int64_t run_due(struct runtime *runtime, struct store_db *db)
{
        int64_t steady = clock_steady(), now = clock_now(), job_at = 0, deliver_at = 0;
        auto_error error = {0};

        if (!db || !submit_jobs(runtime, db, steady, &error) || !store_job_next(db, steady, &job_at, &error) ||
            !store_follow_up_next_due(db, &deliver_at, &error)) {
                log_error("what is due could not be read", "reason", error.message);
                return now + PAUSE_MS;
        }
        if (deliver_at && deliver_at <= now)
                return deliver_follow_ups(runtime, db) ? now : now + PAUSE_MS;
        if (job_at)
                job_at += now - steady;
        return !job_at || (deliver_at && deliver_at < job_at) ? deliver_at : job_at;
}

/* Until the wall clock shows `at` (0: never), the clock is set, somebody wakes us, or `until` (clock_monotonic). */
static void sleep_until(struct scheduler *scheduler, int64_t at, int64_t until)
{
        struct itimerspec when = {.it_value = {.tv_sec = at / 1000, .tv_nsec = at % 1000 * 1000000}};
        struct pollfd polled[] = {{scheduler->wake, POLLIN, 0},
                                  {scheduler->timer, POLLIN, 0},
                                  {scheduler->runtime->stop_event, POLLIN, 0}};
        int64_t left = until - clock_monotonic();
        uint64_t count;

        if (!at)
                when.it_value.tv_sec = (time_t)(clock_now() / 1000 + 86400);
        timerfd_settime(scheduler->timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &when, NULL);
        poll(polled, COUNT_OF(polled), left > 0 ? (int)left : 0);
        while (read(scheduler->wake, &count, sizeof count) > 0)
                continue;
        while (read(scheduler->timer, &count, sizeof count) > 0)
                continue;
}

static void *scheduler_loop(void *context)
{
        struct scheduler *scheduler = context;
        struct runtime *runtime = scheduler->runtime;
        int64_t upkeep_at = clock_monotonic() + UPKEEP_EVERY_MS;

        while (!atomic_load(&runtime->is_stopping)) {
                auto_error error = {0};
                watch_clock(scheduler);
                struct store_db *db = services_reader(runtime->services, &error);
                int64_t release_at = release(scheduler, db), due_at = run_due(runtime, db);
                int64_t next_at = !due_at || (release_at && release_at < due_at) ? release_at : due_at;
                if (clock_monotonic() >= upkeep_at && !atomic_exchange(&runtime->is_retaining, true)) {
                        upkeep_at = clock_monotonic() + UPKEEP_EVERY_MS;
                        if (!pool_submit(runtime->pool, keep_up, runtime))
                                atomic_store(&runtime->is_retaining, false);
                }
                int64_t soonest = clock_monotonic() + PAUSE_MS;
                sleep_until(scheduler, next_at, upkeep_at > soonest ? upkeep_at : soonest);
        }
        return NULL;
}

struct scheduler *scheduler_new(struct runtime *runtime, struct error *error)
{
        struct scheduler *scheduler = memory_new(sizeof *scheduler);

        scheduler->runtime = runtime;
        scheduler->clock_base = clock_now() - time_since_boot();
        scheduler->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        scheduler->timer = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
        if (scheduler->wake >= 0 && scheduler->timer >= 0)
                return scheduler;
        error_set(error, ERROR_INTERNAL, "a timer cannot be made: %s", strerror(errno));
        scheduler_free(scheduler);
        return NULL;
}

bool scheduler_start(struct scheduler *scheduler, struct error *error)
{
        int failure = pthread_create(&scheduler->thread, NULL, scheduler_loop, scheduler);

        return !failure || error_set(error, ERROR_INTERNAL, "the scheduler cannot be started: %s", strerror(failure));
}

void scheduler_stop(struct scheduler *scheduler)
{
        scheduler_wake(scheduler);
        pthread_join(scheduler->thread, NULL);
}

void scheduler_free(struct scheduler *scheduler)
{
        if (scheduler->wake >= 0)
                close(scheduler->wake);
        if (scheduler->timer >= 0)
                close(scheduler->timer);
        free(scheduler);
}
