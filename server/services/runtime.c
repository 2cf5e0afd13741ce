#include "server/services/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>

#include "server/base/log.h"
#include "server/base/mapping.h"
#include "server/base/path.h"
#include "server/base/secret.h"
#include "server/services/reader.h"
#include "server/services/review_watch.h"
#include "server/services/run_watch.h"
#include "server/services/runtime_parts.h"
#include "server/services/task_draft.h"
#include "server/services/unused_version.h"
#include "server/services/upload.h"
#include "server/store/meta.h"

#define RUNNER_MAXIMUM (64 * 1024 * 1024)
#define QUEUE_MAXIMUM 65536
#define END_THREADS 4
#define TURN_THREADS 8

struct runtime_times runtime_times = {.minute = 60000,
                                      .retry = 1000,
                                      .claim = 30000,
                                      .overdue = 10 * 60000,
                                      .given_up = 10 * 60000,
                                      .earlier = 60000};

static bool map_program(const char *path, struct mapping *program, struct error *error)
{
        auto_fd file = open(path, O_RDONLY | O_CLOEXEC);
        struct stat info;

        if (file < 0 || fstat(file, &info))
                return error_set(error, ERROR_INTERNAL, "cannot be opened: %s", strerror(errno));
        if (!S_ISREG(info.st_mode) || !info.st_size || info.st_size > RUNNER_MAXIMUM)
                return error_set(error, ERROR_INTERNAL, "is not a program");
        return mapping_open(program, file, (uint64_t)info.st_size, error);
}

/* Copies the runner's program to DATA/runners/VERSION/longshore-runner, where VERSION is its hash: containers that were
 * made with an older one keep theirs. */
static char *install_runner(const char *data_folder, const char *path, struct error *error)
{
        auto_mapping program = {0};
        uint8_t hash[SECRET_HASH_SIZE];
        char version[17];
        struct stat info;

        if (!map_program(path, &program, error)) {
                error_prefix(error, "the runner's program %s", path);
                return NULL;
        }
        secret_hash(program.bytes, program.length, hash);
        for (size_t i = 0; i < 8; i++)
                snprintf(version + 2 * i, 3, "%02x", hash[i]);
        auto_free char *folder = text_format("%s/runners/%s", data_folder, version),
                       *installed = path_join(folder, "longshore-runner"),
                       *versions = path_join(data_folder, "runners");
        bool is_there = stat(installed, &info) == 0 && (size_t)info.st_size == program.length;
        if (!is_there && (!path_make_folder(folder, 0755, error) ||
                          !path_write(installed, program.bytes, program.length, 0755, error)))
                return NULL;
        return version_set_current(versions, version, error) ? take(installed) : NULL;
}

/* The follower's thread hands ends to a pool, whose workers may hand turns to the follower: its thread ends first,
 * itself goes last. */
static void runtime_free(struct runtime *runtime)
{
        if (runtime->follower)
                follower_stop(runtime->follower);
        pool_free(runtime->pool);
        pool_free(runtime->turn_pool);
        pool_free(runtime->end_pool);
        if (runtime->follower)
                follower_free(runtime->follower);
        if (runtime->scheduler)
                scheduler_free(runtime->scheduler);
        if (runtime->stop_event >= 0)
                close(runtime->stop_event);
        pthread_mutex_destroy(&runtime->mutex);
        pthread_cond_destroy(&runtime->changed);
        free(runtime->server_id);
        free(runtime->server_label);
        free(runtime->container_suffix);
        free(runtime->runner_path);
        runtime->services->runtime = NULL;
        free(runtime);
}

static struct runtime *runtime_new(struct services *services)
{
        struct runtime *runtime = memory_new(sizeof *runtime);
        pthread_condattr_t attributes;

        runtime->services = services;
        services->runtime = runtime;
        runtime->times = runtime_times;
        pthread_mutex_init(&runtime->mutex, NULL);
        pthread_condattr_init(&attributes);
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        pthread_cond_init(&runtime->changed, &attributes);
        pthread_condattr_destroy(&attributes);
        runtime->stop_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        return runtime;
}

static bool take_up_work(struct store_db *db, void *context, struct error *error)
{
        const struct runtime *runtime = context;

        return store_job_take_up(db, runtime->times.earlier, error);
}

struct runtime *runtime_start(struct services *services, const char *runner_path, struct error *error)
{
        struct runtime *runtime = runtime_new(services);

        runtime->server_id = store_server_id(services->store, error);
        runtime->runner_path = runtime->server_id ? install_runner(services->data_folder, runner_path, error) : NULL;
        if (runtime->runner_path && (runtime->scheduler = scheduler_new(runtime, error)))
                runtime->follower = follower_start(runtime, error);
        if (!runtime->follower) {
                runtime_free(runtime);
                return NULL;
        }
        runtime->pool = pool_new((unsigned)settings_current()->worker_threads, QUEUE_MAXIMUM);
        runtime->end_pool = pool_new(END_THREADS, QUEUE_MAXIMUM);
        runtime->turn_pool = pool_new(TURN_THREADS, QUEUE_MAXIMUM);
        runtime->server_label = text_format("%s=%s", LABEL_SERVER, runtime->server_id);
        if (!restored_settle(runtime, error) || !RUNTIME_WRITE(runtime, take_up_work, runtime, error)) {
                atomic_store(&runtime->is_stopping, true);
                runtime_free(runtime);
                return NULL;
        }
        store_on_wake(services->store, job_wake, runtime);
        auto_error reading = {0};
        struct store_db *db = services_reader(services, &reading);
        if (db) {
                upload_sweep(services, db);
                task_draft_sweep(services, db);
                reconcile_attach_all(runtime, db);
                review_take_up(services, db);
        }
        services_reader_close();
        if (!scheduler_start(runtime->scheduler, error)) {
                atomic_store(&runtime->is_stopping, true);
                store_on_wake(services->store, NULL, NULL);
                runtime_free(runtime);
                return NULL;
        }
        pthread_create(&runtime->engine_thread, NULL, engine_loop, runtime);
        runtime->run_watch = run_watch_start(runtime, error);
        if (!runtime->run_watch) {
                runtime_stop(runtime);
                return NULL;
        }
        return runtime;
}

void runtime_stop(struct runtime *runtime)
{
        uint64_t one = 1;

        atomic_store(&runtime->is_stopping, true);
        store_on_wake(runtime->services->store, NULL, NULL);
        if (write(runtime->stop_event, &one, sizeof one) < 0)
                log_error("the runtime cannot be told to stop", "reason", strerror(errno));
        job_wake(runtime);
        scheduler_stop(runtime->scheduler);
        run_watch_stop(runtime->run_watch);
        pthread_join(runtime->engine_thread, NULL);
        runtime_free(runtime);
}
