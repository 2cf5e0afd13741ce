#include "server/services/run_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

#include "docker/runner/connect.h"
#include "docker/runner/control.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/services/reader.h"
#include "server/services/runtime_parts.h"
#include "server/services/task_paths.h"
#include "server/services/task_run.h"
#include "server/services/vault.h"

/* While there is a run, its record is looked for this often, and its runner every so many looks. */
#define LOOK_MS 200
#define LOOKS_BETWEEN_RUNNERS 10
#define PING_MS 1000
#define FIRST_MS 1000
/* Without one, the thread sleeps until it is woken. */
#define REST_MS 3600000
/* Of the output of one run, so much stays on the disk: when it has more than the first it is cut to the second. */
#define LOG_MOST (INT64_C(16) << 20)
#define LOG_LEAST (INT64_C(1) << 20)

struct run_watch {
        struct runtime *runtime;
        pthread_t thread;
        unsigned looks;
};

struct ending {
        struct store_task_run *run;
        struct store_task_run_end end;
};

static bool end_work(struct store_db *db, void *context, struct error *error)
{
        const struct ending *ending = context;

        return store_task_run_end(db, ending->run->rid, &ending->end, error);
}

/* Gives the disk back what nobody will read of output that goes on and on: its offsets stay. */
static void cut_output(struct run_watch *watch, const struct store_task_run *run)
{
        auto_free char *path = task_run_log(watch->runtime->services, run);
        auto_fd file = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        struct stat info;

        if (file < 0 || fstat(file, &info) || info.st_blocks * INT64_C(512) < LOG_MOST)
                return;
        off_t until = (info.st_size - LOG_LEAST) / 4096 * 4096;
        if (until > 0 && fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, until) && errno != EOPNOTSUPP)
                log_warning("the output of a run could not be cut", "run", run->id, "reason", strerror(errno));
}

/* What the runner keeps of it goes once it is recorded here. */
static void end_run(struct run_watch *watch, struct store_db *db, struct store_task_run *run,
                    const struct store_task_run_end *end)
{
        struct runtime *runtime = watch->runtime;
        auto_free char *control = task_path_control(runtime->services->data_folder, run->task_id);
        struct ending ending = {run, *end};
        auto_error error = {0};

        cut_output(watch, run);
        if (!RUNTIME_WRITE(runtime, end_work, &ending, &error)) {
                log_error("the end of a run could not be recorded; it is tried again", "run", run->id, "reason",
                          error.message);
                return;
        }
        control_forget(control, run->id, "");
        if (!run_secret_files_remove(runtime->services, run->task_id, run->id, &error))
                log_error("the secrets of a run could not be removed", "run", run->id, "reason", error.message);
        task_run_keep_newest(runtime->services, db, run);
        job_wake(runtime);
}

static void end_by_record(struct run_watch *watch, struct store_db *db, struct store_task_run *run,
                          const struct runner_exit *exit)
{
        struct store_task_run_end end = {.ended_at = exit->finished_at ? exit->finished_at : clock_now(),
                                         .started_at = exit->started_at,
                                         .reason = runner_reason_name(exit->reason),
                                         .message = *exit->message ? exit->message : NULL,
                                         .exit_code = exit->code >= 0 ? &exit->code : NULL};

        end_run(watch, db, run, &end);
}

static void end_for(struct run_watch *watch, struct store_db *db, struct store_task_run *run, const char *reason,
                    const char *message)
{
        struct store_task_run_end end = {.ended_at = clock_now(), .reason = reason, .message = message};

        end_run(watch, db, run, &end);
}

/* Nothing was requested: it is being started by somebody who holds the task, or was when an earlier process died. */
static void look_at_absent(struct run_watch *watch, struct store_db *db, struct store_task_run *run)
{
        auto_store_task_run now = {0};
        auto_error error = {0};
        bool is_found = false;

        if (!runtime_try_lock_task(watch->runtime, run->task))
                return;
        auto_free char *control = task_path_control(watch->runtime->services->data_folder, run->task_id);
        enum control_state state = CONTROL_CLAIMED;
        struct runner_exit exit;
        bool is_lost = control_state(control, run->id, &state, &exit, &error) && state == CONTROL_ABSENT &&
                       store_task_run_find(db, run->rid, &now, &is_found, &error) && is_found && !now.ended_at;
        runtime_unlock_task(watch->runtime, run->task);
        /* Whoever learns of the end may start the next run at once. */
        if (is_lost)
                end_for(watch, db, run, "lost", "The server ended before the run began; it is not run again.");
}

struct starting {
        int64_t rid, at;
        bool is_ready;
};

static bool progress_work(struct store_db *db, void *context, struct error *error)
{
        const struct starting *starting = context;

        return starting->is_ready ? store_task_run_ready(db, starting->rid, starting->at, error)
                                  : store_task_run_started(db, starting->rid, starting->at, error);
}

static void note_progress(struct run_watch *watch, const struct store_task_run *run, bool is_ready)
{
        struct starting starting = {run->rid, clock_now(), is_ready};
        auto_error error = {0};

        if (!RUNTIME_WRITE(watch->runtime, progress_work, &starting, &error))
                log_error("a run's progress could not be recorded", "run", run->id, "reason", error.message);
        job_wake(watch->runtime);
}

/* No runner answers. When the engine says that there is no container either, no record will come. */
static void look_at_container(struct run_watch *watch, struct store_db *db, struct store_task_run *run,
                              const char *control)
{
        auto_docker_container_state container = {0};
        enum control_state state = CONTROL_CLAIMED;
        auto_error error = {0};
        struct runner_exit exit;
        bool is_there, is_withdrawn;

        if (!container_look(watch->runtime, run->task_id, &container, &is_there, &error) ||
            (is_there && container.is_running) || !control_withdraw(control, run->id, &is_withdrawn, &error) ||
            !control_state(control, run->id, &state, &exit, &error))
                return;
        if (state == CONTROL_ENDED)
                end_by_record(watch, db, run, &exit);
        else
                end_for(watch, db, run, "container_stopped",
                        is_there ? "The container ended meanwhile." : "The container was removed meanwhile.");
}

/* An application server is asked until it has answered once, or has taken longer than it may. */
static void look_for_answer(struct run_watch *watch, const struct store_task_run *run)
{
        auto_environment *environment = environment_find_rid(watch->runtime->services->environments, run->environment);
        const struct environment_app_server *server = environment ? environment->file.appServer : NULL;

        if (run->ready_at || !server ||
            clock_now() > run->requested_at + server->readiness->timeoutSeconds * INT64_C(1000))
                return;
        if (task_run_answers(watch->runtime->services, run->task_id, run->port, server->readiness->path))
                note_progress(watch, run, true);
}

static void look_at(struct run_watch *watch, struct store_db *db, struct store_task_run *run)
{
        auto_free char *control = task_path_control(watch->runtime->services->data_folder, run->task_id);
        bool is_runner_due = watch->looks % LOOKS_BETWEEN_RUNNERS == 0;
        enum control_state state;
        struct runner_exit exit;
        auto_error error = {0};

        if (!control_state(control, run->id, &state, &exit, &error)) {
                log_error("an exit record cannot be read", "run", run->id, "reason", error.message);
                if (error.code == ERROR_INVALID_INPUT || error.code == ERROR_TOO_LARGE)
                        end_for(watch, db, run, "lost", "The record of its end is damaged.");
                return;
        }
        if (state == CONTROL_ENDED) {
                end_by_record(watch, db, run, &exit);
                return;
        }
        if (state == CONTROL_ABSENT) {
                look_at_absent(watch, db, run);
                return;
        }
        if (is_runner_due && !control_ping(control, PING_MS, &error) && error.code == ERROR_CONTAINER_NOT_RUNNING) {
                look_at_container(watch, db, run, control);
                return;
        }
        if (is_runner_due)
                cut_output(watch, run);
        if (!strcmp(run->state, "starting"))
                note_progress(watch, run, false);
        else if (!strcmp(run->kind, TASK_RUN_APP))
                look_for_answer(watch, run);
}

/* Returns whether there is any. */
static bool look_at_all(struct run_watch *watch)
{
        auto_store_task_runs runs = {0};
        auto_error error = {0};
        struct store_db *db = services_reader(watch->runtime->services, &error);

        if (!db || !store_task_run_list_unfinished(db, &runs, &error)) {
                log_error("runs could not be read", "reason", error.message);
                return true;
        }
        for (size_t i = 0; i < runs.count && !atomic_load(&watch->runtime->is_stopping); i++)
                look_at(watch, db, &runs.items[i]);
        watch->looks++;
        return runs.count;
}

static void *watch_loop(void *context)
{
        struct run_watch *watch = context;
        struct runtime *runtime = watch->runtime;

        /* The server's start comes first. */
        (void)!runtime_sleep(runtime, runtime_wakes(runtime), clock_monotonic() + FIRST_MS);
        while (!atomic_load(&runtime->is_stopping)) {
                uint64_t seen = runtime_wakes(runtime);
                bool is_any = look_at_all(watch);
                /* While there is one the pace is ours: a busy server is woken all the time. */
                struct pollfd stop = {runtime->stop_event, POLLIN, 0};
                if (is_any)
                        poll(&stop, 1, LOOK_MS);
                else
                        (void)!runtime_sleep(runtime, seen, clock_monotonic() + REST_MS);
        }
        return NULL;
}

struct run_watch *run_watch_start(struct runtime *runtime, struct error *error)
{
        struct run_watch *watch = memory_new(sizeof *watch);
        int failure;

        watch->runtime = runtime;
        failure = pthread_create(&watch->thread, NULL, watch_loop, watch);
        if (!failure)
                return watch;
        error_set(error, ERROR_INTERNAL, "the thread that follows runs cannot be started: %s", strerror(failure));
        free(watch);
        return NULL;
}

void run_watch_stop(struct run_watch *watch)
{
        if (!watch)
                return;
        pthread_join(watch->thread, NULL);
        free(watch);
}
