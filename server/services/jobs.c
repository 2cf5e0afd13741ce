#include "server/services/runtime_parts.h"

#include <poll.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/services/reader.h"
#include "server/services/slot.h"
#include "server/store/queue.h"

#define JOBS_AT_ONCE 256
#define UPKEEP_EVERY_MS 60000
/* Before a job whose outcome could not be recorded is taken again. */
#define PAUSE_MS 1000

struct job_kind {
        const char *name;
        job_work *run;
        bool needs_task; /* runs with the task locked, and waits for that without a worker */
        bool is_slow;    /* runs on the pool of those that may wait for others */
};

/* Every kind of job, once. */
static const struct job_kind kinds[] = {
        {"launch", launch_run, .needs_task = true, .is_slow = true},
        {"check", check_run, .needs_task = false},
        {"deadline", deadline_run, .needs_task = false},
        {"stop", stop_run, .needs_task = true},
};

struct running_job {
        struct runtime *runtime;
        const struct job_kind *kind;
        struct store_job job;
};

static bool drop_work(struct store_db *db, void *context, struct error *error)
{
        return store_job_delete(db, context, error);
}

bool job_drop(struct runtime *runtime, const struct store_job *job)
{
        auto_error error = {0};

        return RUNTIME_WRITE(runtime, drop_work, (void *)job, &error) ||
               (log_error("a job could not be deleted", "kind", job->kind, "reason", error.message), false);
}

struct putting_off {
        const struct store_job *job;
        int64_t delay;
};

static bool put_off_work(struct store_db *db, void *context, struct error *error)
{
        const struct putting_off *putting = context;

        return store_job_retry(db, putting->job, clock_now() + putting->delay, error);
}

bool job_put_off(struct runtime *runtime, const struct store_job *job, int64_t maximum_ms)
{
        int64_t delay = runtime->times.retry << (job->attempts < 16 ? job->attempts : 16);
        struct putting_off putting = {job, delay < maximum_ms ? delay : maximum_ms};
        auto_error error = {0};

        return RUNTIME_WRITE(runtime, put_off_work, &putting, &error) ||
               (log_error("a job could not be put off", "kind", job->kind, "reason", error.message), false);
}

struct later {
        int64_t task, turn, delay;
};

static bool later_work(struct store_db *db, void *context, struct error *error)
{
        const struct later *later = context;
        int64_t now = clock_now();

        return store_job_add(db, "check", later->task, later->turn, now + later->delay, now, error);
}

bool job_check_later(struct runtime *runtime, int64_t task, int64_t turn, int64_t delay_ms, struct error *error)
{
        struct later later = {task, turn, delay_ms};

        return RUNTIME_WRITE(runtime, later_work, &later, error);
}

static void forget(struct running_job *running)
{
        struct runtime *runtime = running->runtime;

        pthread_mutex_lock(&runtime->mutex);
        number_set_remove(&runtime->jobs_running, running->job.rid);
        if (running->kind->needs_task)
                number_set_remove(&runtime->tasks_locked, running->job.task);
        runtime->wakes++;
        pthread_cond_broadcast(&runtime->changed);
        pthread_mutex_unlock(&runtime->mutex);
        free(running);
}

/* What has not begun when the runtime stops is found again at the next start. */
static void run_job(void *context)
{
        struct running_job *running = context;
        struct runtime *runtime = running->runtime;
        auto_error error = {0};
        struct store_db *db = NULL;

        if (!atomic_load(&runtime->is_stopping)) {
                db = services_reader(runtime->services, &error);
                if (!db)
                        log_error("a job could not be run", "reason", error.message);
                if (!db || !running->kind->run(runtime, db, &running->job))
                        poll(&(struct pollfd){runtime->stop_event, POLLIN, 0}, 1, PAUSE_MS);
        }
        forget(running);
}

/* Takes a job, and its task where it needs it, unless it runs already or the task is held: the end of either wakes us.
 */
static bool take_job(struct runtime *runtime, const struct job_kind *kind, const struct store_job *job)
{
        pthread_mutex_lock(&runtime->mutex);
        bool is_free = !number_set_has(&runtime->jobs_running, job->rid) &&
                       !(kind->needs_task && number_set_has(&runtime->tasks_locked, job->task));
        if (is_free)
                number_set_add(&runtime->jobs_running, job->rid);
        if (is_free && kind->needs_task)
                number_set_add(&runtime->tasks_locked, job->task);
        pthread_mutex_unlock(&runtime->mutex);
        return is_free;
}

/* Hands a due job to its pool. */
static void submit(struct runtime *runtime, const struct store_job *job)
{
        const struct job_kind *kind = kinds;

        while (kind < kinds + COUNT_OF(kinds) && strcmp(kind->name, job->kind))
                kind++;
        if (kind == kinds + COUNT_OF(kinds) || !take_job(runtime, kind, job))
                return;
        struct running_job *running = memory_new(sizeof *running);
        *running = (struct running_job){runtime, kind, *job};
        if (!pool_submit(kind->is_slow ? runtime->pool : runtime->end_pool, run_job, running))
                forget(running);
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

/* What lets tasks start without the end of a turn: other settings, and the end of an account's limit. */
struct releases {
        const struct settings *settings;
        int64_t at; /* clock_now; 0 for never */
};

/* Gives slots away when something of it has happened; the time (clock_monotonic) at which the next will. */
static int64_t release(struct runtime *runtime, struct store_db *db, struct releases *releases)
{
        const struct settings *settings = settings_current();
        int64_t now = clock_now();
        auto_error error = {0};

        if (settings != releases->settings || (releases->at && now >= releases->at))
                fill_slots(runtime);
        releases->settings = settings;
        if (!db || !store_account_limit_next(db, now, &releases->at, &error)) {
                log_error("limits of accounts could not be read", "reason", error.message);
                return clock_monotonic() + PAUSE_MS;
        }
        return releases->at ? clock_monotonic() + (releases->at - now) : INT64_MAX;
}

/* Submits what is due; the time (clock_monotonic) at which something else will be. */
static int64_t submit_due(struct runtime *runtime, struct store_db *db)
{
        struct store_job jobs[JOBS_AT_ONCE];
        int64_t now = clock_now(), next_at = 0;
        auto_error error = {0};
        size_t count = 0;

        if (!db || !store_job_list_due(db, now, jobs, JOBS_AT_ONCE, &count, &next_at, &error)) {
                log_error("jobs could not be read", "reason", error.message);
                return clock_monotonic() + PAUSE_MS;
        }
        for (size_t i = 0; i < count; i++)
                submit(runtime, &jobs[i]);
        return next_at ? clock_monotonic() + (next_at - now) : INT64_MAX;
}

void *job_loop(void *context)
{
        struct runtime *runtime = context;
        int64_t upkeep_at = clock_monotonic() + UPKEEP_EVERY_MS;
        struct releases releases = {0};

        while (!atomic_load(&runtime->is_stopping)) {
                auto_error error = {0};
                uint64_t seen = runtime_wakes(runtime);
                struct store_db *db = services_reader(runtime->services, &error);
                int64_t release_at = release(runtime, db, &releases), next_at = submit_due(runtime, db);
                next_at = release_at < next_at ? release_at : next_at;
                if (clock_monotonic() >= upkeep_at && !atomic_exchange(&runtime->is_retaining, true)) {
                        upkeep_at = clock_monotonic() + UPKEEP_EVERY_MS;
                        if (!pool_submit(runtime->pool, keep_up, runtime))
                                atomic_store(&runtime->is_retaining, false);
                }
                int64_t soonest = upkeep_at > clock_monotonic() ? upkeep_at : clock_monotonic() + PAUSE_MS;
                runtime_sleep(runtime, seen, next_at < soonest ? next_at : soonest);
        }
        return NULL;
}
