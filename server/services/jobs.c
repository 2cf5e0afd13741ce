#include "server/services/runtime_parts.h"

#include <string.h>
#include <time.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/services/reader.h"

#define JOBS_AT_ONCE 64
#define RETAIN_EVERY_MS 60000

struct running_job {
        struct runtime *runtime;
        struct store_job job;
};

static void check_run(struct runtime *runtime, struct store_db *db, const struct store_job *job);

/* Every kind of job, once. */
static const struct {
        const char *name;
        void (*run)(struct runtime *runtime, struct store_db *db, const struct store_job *job);
} kinds[] = {
        {"launch", launch_run},
        {"check", check_run},
};

struct deletion {
        int64_t job;
};

static bool delete_job(struct store_db *db, void *context, struct error *error)
{
        return store_job_delete(db, ((struct deletion *)context)->job, error);
}

/* Looks what became of a turn that should have ended by now, or whose container did. */
static void check_run(struct runtime *runtime, struct store_db *db, const struct store_job *job)
{
        struct deletion deletion = {job->rid};
        auto_error error = {0};

        reconcile_turn(runtime, db, job->turn);
        if (!RUNTIME_WRITE(runtime, delete_job, &deletion, &error))
                log_error("a job could not be deleted", "reason", error.message);
}

static void run_job(void *context)
{
        struct running_job *running = context;
        struct runtime *runtime = running->runtime;
        auto_error error = {0};
        struct store_db *db = services_reader(runtime->services, &error);

        for (size_t i = 0; db && i < COUNT_OF(kinds); i++)
                if (!strcmp(kinds[i].name, running->job.kind))
                        kinds[i].run(runtime, db, &running->job);
        if (!db)
                log_error("a job could not be run", "reason", error.message);
        pthread_mutex_lock(&runtime->mutex);
        number_set_remove(&runtime->jobs_running, running->job.rid);
        runtime->wakes++;
        pthread_cond_broadcast(&runtime->changed);
        pthread_mutex_unlock(&runtime->mutex);
        free(running);
}

void job_wake(void *context)
{
        struct runtime *runtime = context;

        pthread_mutex_lock(&runtime->mutex);
        runtime->wakes++;
        pthread_cond_broadcast(&runtime->changed);
        pthread_mutex_unlock(&runtime->mutex);
}

/* Hands a due job to the pool unless it runs already. */
static void submit(struct runtime *runtime, const struct store_job *job)
{
        struct running_job *running;

        pthread_mutex_lock(&runtime->mutex);
        bool is_running = number_set_has(&runtime->jobs_running, job->rid);
        if (!is_running)
                number_set_add(&runtime->jobs_running, job->rid);
        pthread_mutex_unlock(&runtime->mutex);
        if (is_running)
                return;
        running = memory_new(sizeof *running);
        *running = (struct running_job){runtime, *job};
        if (pool_submit(runtime->pool, run_job, running))
                return;
        free(running);
        pthread_mutex_lock(&runtime->mutex);
        number_set_remove(&runtime->jobs_running, job->rid);
        pthread_mutex_unlock(&runtime->mutex);
}

/* Sleeps until something wakes the runtime or the time has come. */
static void sleep_until(struct runtime *runtime, uint64_t *seen, int64_t wake_at)
{
        struct timespec until = {.tv_sec = wake_at / 1000, .tv_nsec = wake_at % 1000 * 1000000};

        pthread_mutex_lock(&runtime->mutex);
        while (runtime->wakes == *seen && !atomic_load(&runtime->is_stopping) &&
               pthread_cond_timedwait(&runtime->changed, &runtime->mutex, &until) == 0)
                continue;
        *seen = runtime->wakes;
        pthread_mutex_unlock(&runtime->mutex);
}

void *job_loop(void *context)
{
        struct runtime *runtime = context;
        struct store_job jobs[JOBS_AT_ONCE];
        auto_error error = {0};
        struct store_db *db = services_reader(runtime->services, &error);
        int64_t retain_at = clock_now() + RETAIN_EVERY_MS;
        uint64_t seen = 0;

        while (!atomic_load(&runtime->is_stopping)) {
                int64_t now = clock_now(), next_at = 0;
                size_t count = 0;
                if (!store_job_list_due(db, now, jobs, JOBS_AT_ONCE, &count, &next_at, &error)) {
                        log_error("jobs could not be read", "reason", error.message);
                        next_at = now + 1000;
                }
                for (size_t i = 0; i < count; i++)
                        submit(runtime, &jobs[i]);
                if (now >= retain_at) {
                        runtime_retain(runtime, db, now);
                        retain_at = now + RETAIN_EVERY_MS;
                }
                sleep_until(runtime, &seen, next_at && next_at < retain_at ? next_at : retain_at);
        }
        return NULL;
}
