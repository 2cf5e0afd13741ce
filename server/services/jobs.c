#include "server/services/runtime_parts.h"

#include <poll.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/services/reader.h"

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
        {"pull", pull_run, .needs_task = true, .is_slow = true},
        {"review", review_run, .needs_task = false, .is_slow = true},
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

        return store_job_retry(db, putting->job, putting->delay, error);
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

        return store_job_add(db, "check", later->task, later->turn, later->delay, error);
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
        pthread_mutex_unlock(&runtime->mutex);
        job_wake(runtime);
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

void job_submit(struct runtime *runtime, const struct store_job *job)
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
