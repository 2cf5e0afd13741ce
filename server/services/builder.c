#include <stdint.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/services/builder_parts.h"
#include "server/services/reader.h"

#define TIME_LIMIT_MS (2 * 60 * 60 * 1000)
/* Images that a container used are looked at again. */
#define SWEEP_EVERY_MS (10 * 60 * 1000)
#define PAUSE_MS 1000

static void arm(int timer, int64_t ms)
{
        struct itimerspec when = {.it_value = {ms / 1000, ms % 1000 * 1000000}};

        if (!ms)
                when.it_value.tv_nsec = 1;
        timerfd_settime(timer, 0, &when, NULL);
}

/* With the mutex held. The first reason stays. */
static void stop_run(struct build_run *run, enum build_stop reason)
{
        if (run->stop == BUILD_GOES_ON)
                run->stop = reason;
        arm(run->timer, 0);
}

void builder_enter(struct builder *builder, struct build_run *run)
{
        run->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
        arm(run->timer, builder->time_limit_ms);
        pthread_mutex_lock(&builder->mutex);
        run->next = builder->runs;
        builder->runs = run;
        if (builder->is_stopping)
                stop_run(run, BUILD_SERVER_STOPS);
        pthread_mutex_unlock(&builder->mutex);
}

void builder_leave(struct builder *builder, struct build_run *run)
{
        pthread_mutex_lock(&builder->mutex);
        for (struct build_run **at = &builder->runs; *at; at = &(*at)->next)
                if (*at == run) {
                        *at = run->next;
                        break;
                }
        pthread_mutex_unlock(&builder->mutex);
        close(run->timer);
}

enum build_stop builder_stop_reason(struct builder *builder, const struct build_run *run)
{
        pthread_mutex_lock(&builder->mutex);
        enum build_stop reason = run->stop;
        pthread_mutex_unlock(&builder->mutex);
        return reason;
}

void builder_wake(struct builder *builder)
{
        if (!builder)
                return;
        pthread_mutex_lock(&builder->mutex);
        builder->wakes++;
        pthread_cond_broadcast(&builder->changed);
        pthread_mutex_unlock(&builder->mutex);
}

void builder_cancel(struct builder *builder, int64_t rid)
{
        if (!builder)
                return;
        pthread_mutex_lock(&builder->mutex);
        for (struct build_run *run = builder->runs; run; run = run->next)
                if (run->rid == rid)
                        stop_run(run, BUILD_CANCELLED);
        pthread_mutex_unlock(&builder->mutex);
}

static uint64_t wakes_of(struct builder *builder)
{
        pthread_mutex_lock(&builder->mutex);
        uint64_t wakes = builder->wakes;
        pthread_mutex_unlock(&builder->mutex);
        return wakes;
}

/* Waits until something was queued since the wakes were `seen`, at most `ms`; false once the builder stops. */
static bool wait_wake(struct builder *builder, uint64_t seen, int64_t ms)
{
        struct timespec until;
        int failure = 0;

        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += ms / 1000;
        until.tv_nsec += ms % 1000 * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_lock(&builder->mutex);
        while (!builder->is_stopping && builder->wakes == seen && !failure)
                failure = pthread_cond_timedwait(&builder->changed, &builder->mutex, &until);
        bool goes_on = !builder->is_stopping;
        pthread_mutex_unlock(&builder->mutex);
        return goes_on;
}

bool builder_pause(struct builder *builder)
{
        return wait_wake(builder, wakes_of(builder), PAUSE_MS);
}

/* The oldest queued build, from now on a running one. */
struct taking {
        struct store_build build;
        bool is_taken;
};

static bool take_work(struct store_db *db, void *context, struct error *error)
{
        struct taking *taking = context;
        bool is_any;

        if (!store_build_next(db, &taking->build, &is_any, error))
                return false;
        if (!is_any)
                return true;
        taking->build.reference = build_image_reference(taking->build.environment_name, taking->build.id);
        return store_build_begin(db, taking->build.rid, taking->build.reference, clock_now(), &taking->is_taken, error);
}

/* Runs one build; false when none waits. A store that fails is asked again after a pause. */
static bool run_next(struct builder *builder, struct store_db *db)
{
        auto_store_build waiting = {0};
        struct taking taking = {0};
        auto_error error = {0};
        bool is_any = false;

        bool is_good = store_build_next(db, &waiting, &is_any, &error) &&
                       (!is_any || store_write(builder->services->store, take_work, &taking, &error));
        if (!is_good) {
                log_error("a build could not be begun", "reason", error.message);
                builder_pause(builder);
        }
        if (is_good && taking.is_taken)
                build_run(builder, db, &taking.build);
        store_build_clear(&taking.build);
        return is_any || !is_good;
}

static void *builder_loop(void *context)
{
        struct builder *builder = context;
        int64_t rest = PAUSE_MS; /* the server's start comes first */
        uint64_t seen = 0;

        pthread_setname_np(pthread_self(), "builder");
        while (wait_wake(builder, seen, rest)) {
                auto_error error = {0};
                seen = wakes_of(builder);
                struct store_db *db = services_reader(builder->services, &error);
                if (db && run_next(builder, db))
                        seen = UINT64_MAX;
                if (db) {
                        build_images_sweep(builder, db);
                        build_records_sweep(builder, db);
                }
                rest = SWEEP_EVERY_MS;
        }
        return NULL;
}

/* What ran when an earlier process ended has ended with it. */
static bool recover_work(struct store_db *db, void *context, struct error *error)
{
        auto_store_builds running = {0};

        (void)context;
        if (!store_build_list_running(db, &running, error))
                return false;
        for (size_t i = 0; i < running.count; i++) {
                bool is_cancelled = running.items[i].cancelled_at != 0;
                struct store_build_end end = {.state = is_cancelled ? "cancelled" : "failed",
                                              .type = is_cancelled ? "cancelled" : "server_restart",
                                              .message = is_cancelled ? "The build was cancelled."
                                                                      : "The server ended while the image was built."};
                if (!store_build_end(db, running.items[i].rid, &end, clock_now(), error))
                        return false;
        }
        return true;
}

static void builder_free(struct builder *builder)
{
        builder->services->builder = NULL;
        pthread_cond_destroy(&builder->changed);
        pthread_mutex_destroy(&builder->mutex);
        free(builder);
}

struct builder *builder_start(struct services *services, struct error *error)
{
        struct builder *builder = memory_new(sizeof *builder);
        pthread_condattr_t attributes;

        *builder = (struct builder){.services = services, .time_limit_ms = TIME_LIMIT_MS};
        pthread_mutex_init(&builder->mutex, NULL);
        pthread_condattr_init(&attributes);
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        pthread_cond_init(&builder->changed, &attributes);
        pthread_condattr_destroy(&attributes);
        if (!store_write(services->store, recover_work, NULL, error)) {
                builder_free(builder);
                return NULL;
        }
        services->builder = builder;
        while (builder->thread_count < BUILDER_THREADS &&
               !pthread_create(&builder->threads[builder->thread_count], NULL, builder_loop, builder))
                builder->thread_count++;
        return builder;
}

void builder_stop(struct builder *builder)
{
        pthread_mutex_lock(&builder->mutex);
        builder->is_stopping = true;
        for (struct build_run *run = builder->runs; run; run = run->next)
                stop_run(run, BUILD_SERVER_STOPS);
        pthread_cond_broadcast(&builder->changed);
        pthread_mutex_unlock(&builder->mutex);
        for (size_t i = 0; i < builder->thread_count; i++)
                pthread_join(builder->threads[i], NULL);
        builder_free(builder);
}
