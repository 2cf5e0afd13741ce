#include "server/services/task_run.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "docker/runner/connect.h"
#include "docker/runner/control.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/audit.h"
#include "server/services/run_environment.h"
#include "server/services/runtime_parts.h"
#include "server/services/task_paths.h"

/* A runner that has just been started listens within this time. */
#define RUNNER_START_MS 5000
#define RUNNER_LOOK_MS 20
#define PROBE_MS 1000

char *task_run_log(const struct services *services, const struct store_task_run *run)
{
        auto_free char *records = task_path_records(services->data_folder, run->task_id);

        return text_format("%s/runs/%s.log", records, run->id);
}

struct adding {
        struct call *call;
        const struct task_run_order *order;
        struct store_task_run *run;
};

static bool add_work(struct store_db *db, void *context, struct error *error)
{
        struct adding *adding = context;
        const struct task_run_order *order = adding->order;
        auto_free char *action = text_format("task.%s.start", order->kind);
        struct store_task_run row = {.id = adding->run->id,
                                     .task = order->task->rid,
                                     .kind = (char *)order->kind,
                                     .name = (char *)order->name,
                                     .requested_at = clock_now(),
                                     .port = order->port};

        return (!order->check || order->check(db, order->context, error)) &&
               store_task_run_add(db, &row, adding->call->actor->user, &adding->run->rid, error) &&
               store_task_touch(db, order->task->rid, clock_now(), error) &&
               audit_write(db, adding->call->actor, action, order->task->id,
                           *order->name ? json_pack("{s:s}", "name", order->name) : NULL, error);
}

/* Waits until the runner of a container that was just started listens. */
static bool await_runner(struct runtime *runtime, const char *control, struct error *error)
{
        int64_t until = clock_monotonic() + RUNNER_START_MS;

        while (!control_ping(control, RUNNER_START_MS, error)) {
                if (clock_monotonic() >= until)
                        return error_prefix(error, "the supervisor in the container cannot be reached");
                error_clear(error);
                if (poll(&(struct pollfd){runtime->stop_event, POLLIN, 0}, 1, RUNNER_LOOK_MS) > 0)
                        return error_set(error, ERROR_CANCELLED, "the server is stopping");
        }
        return true;
}

/* A container that others use is used as it is; otherwise it is made as the environment says now. */
static bool bring_up(struct call *call, const struct task_run_order *order, struct error *error)
{
        struct runtime *runtime = call->services->runtime;
        auto_docker_container_state state = {0};
        bool is_at_work = !strcmp(order->task->status, "running"), is_there;
        int64_t open = 0;

        if (!container_look(runtime, order->task->id, &state, &is_there, error) ||
            !store_task_run_count_open(call->db, order->task->rid, &open, error))
                return false;
        bool is_up = is_there && state.is_running;
        if (is_at_work && !is_up)
                return error_set(error, ERROR_TASK_BUSY, "The task's container is being started; retry in a moment.");
        /* One of those that are open is ours. */
        if (is_up && (is_at_work || open > 1))
                return true;
        return workspace_ensure(runtime, call->db, order->task, order->environment, error) &&
               container_ensure(runtime, call->db, order->task, order->environment, NULL, error);
}

static bool request(struct call *call, const struct task_run_order *order, const struct store_task_run *run,
                    const char *control, struct error *error)
{
        const char *const command[] = {"/bin/sh", "-c", order->command, NULL};
        auto_free char *output = text_format("runs/%s.log", run->id), *workdir = task_workdir(order->environment);
        auto_run_environment variables = {0};
        int64_t uid = settings_current()->agent_uid;
        bool was_there;

        if (!run_environment_fill(call, order, run->id, &variables, error))
                return false;
        struct runner_start start = {.kind = "",
                                     .command = command,
                                     .environment = variables.items,
                                     .environment_count = variables.count,
                                     .workdir = workdir,
                                     .uid = uid,
                                     .gid = uid,
                                     .output = output,
                                     .errors = output,
                                     .time_limit = order->time_limit,
                                     .grace = settings_current()->stop_grace_seconds * 1000,
                                     .file_size_limit = order->environment->file.limits->fileSizeMb * 1024 * 1024};
        snprintf(start.run, sizeof start.run, "%s", run->id);
        snprintf(start.kind, sizeof start.kind, "%s", order->kind);
        return control_start(control, &start, NULL, 0, &was_there, error);
}

struct change {
        int64_t rid;
        const struct error *failure; /* NULL: it runs */
};

static bool change_work(struct store_db *db, void *context, struct error *error)
{
        const struct change *change = context;
        struct store_task_run_end end = {.ended_at = clock_now(), .reason = "launch_failure"};

        if (!change->failure)
                return store_task_run_started(db, change->rid, clock_now(), error);
        end.message = change->failure->message;
        return store_task_run_end(db, change->rid, &end, error);
}

static void record_failure(struct runtime *runtime, const struct task_run_order *order,
                           const struct store_task_run *run, const struct error *failure)
{
        struct change change = {run->rid, failure};
        auto_error error = {0}, ignored = {0};

        if (!run_secret_files_remove(runtime->services, order->task->id, run->id, &ignored))
                log_error("the secrets of a run could not be removed", "run", run->id, "reason", ignored.message);
        if (!RUNTIME_WRITE(runtime, change_work, &change, &error))
                log_error("a run that failed to start could not be recorded", "run", run->id, "reason", error.message);
}

static bool launch(struct call *call, const struct task_run_order *order, const struct store_task_run *run,
                   struct error *error)
{
        auto_free char *control = task_path_control(call->services->data_folder, order->task->id);

        return bring_up(call, order, error) && await_runner(call->services->runtime, control, error) &&
               request(call, order, run, control, error);
}

bool task_run_start(struct call *call, const struct task_run_order *order, struct store_task_run *run,
                    struct error *error)
{
        struct runtime *runtime = call->services->runtime;
        struct adding adding = {call, order, run};
        char id[ID_SIZE];
        bool is_found;

        id_new(order->kind, id);
        run->id = text_copy(id);
        if (!store_write(call->services->store, add_work, &adding, error))
                return false;
        if (!launch(call, order, run, error)) {
                record_failure(runtime, order, run, error);
                return false;
        }
        struct change change = {run->rid, NULL};
        if (!RUNTIME_WRITE(runtime, change_work, &change, error))
                return false;
        job_wake(runtime);
        change.rid = run->rid;
        store_task_run_clear(run);
        return store_task_run_find(call->db, change.rid, run, &is_found, error);
}

bool task_run_stop(const struct services *services, const struct store_task_run *run, struct error *error)
{
        auto_free char *control = task_path_control(services->data_folder, run->task_id);
        struct runner_stop stop = {.reason = RUNNER_STOP, .grace = settings_current()->stop_grace_seconds * 1000};

        snprintf(stop.run, sizeof stop.run, "%s", run->id);
        return control_stop(control, &stop, error);
}

bool task_run_wait(struct call *call, int64_t rid, bool is_ready_enough, int64_t until, struct store_task_run *run,
                   struct error *error)
{
        struct runtime *runtime = call->services->runtime;

        for (;;) {
                uint64_t seen = runtime_wakes(runtime);
                bool is_found = false;
                store_task_run_clear(run);
                if (!store_task_run_find(call->db, rid, run, &is_found, error))
                        return false;
                if (!is_found)
                        return error_set(error, ERROR_TASK_NOT_FOUND, NULL);
                if (run->ended_at || (is_ready_enough && run->ready_at) || !runtime_sleep(runtime, seen, until))
                        return true;
        }
}

static bool is_ready(int fd, short events, int64_t until)
{
        int64_t left = until - clock_monotonic();

        return left > 0 && poll(&(struct pollfd){fd, events, 0}, 1, (int)left) > 0;
}

/* Sends a request and reads the first line of the answer. */
static bool answers_well(int fd, const char *path, int64_t until)
{
        auto_free char *request =
                text_format("GET %s HTTP/1.0\r\nHost: localhost\r\nUser-Agent: longshore-readiness\r\n\r\n", path);
        char line[32] = "";
        size_t length = 0;

        if (!is_ready(fd, POLLOUT, until) ||
            send(fd, request, strlen(request), MSG_NOSIGNAL) != (ssize_t)strlen(request))
                return false;
        while (length < 12 && is_ready(fd, POLLIN, until)) {
                ssize_t got = recv(fd, line + length, sizeof line - 1 - length, MSG_DONTWAIT);
                if (got <= 0)
                        break;
                length += (size_t)got;
        }
        return length >= 12 && !strncmp(line, "HTTP/1.", 7) && line[8] == ' ' && line[9] >= '1' && line[9] < '5';
}

bool task_run_answers(const struct services *services, const char *task_id, int64_t port, const char *path)
{
        auto_free char *control = task_path_control(services->data_folder, task_id);
        int64_t until = clock_monotonic() + PROBE_MS;
        auto_error ignored = {0};
        auto_fd fd = control_connect(control, (uint16_t)port, PROBE_MS, &ignored);

        return fd >= 0 && (!path || answers_well(fd, path, until));
}

static bool delete_work(struct store_db *db, void *context, struct error *error)
{
        return store_task_run_delete(db, ((const struct store_task_run *)context)->rid, error);
}

/* The row goes first: output without a row is read by nobody, a row without output would be shown as empty. */
static bool forget(const struct services *services, struct store_task_run *run)
{
        auto_free char *path = task_run_log(services, run);
        auto_error error = {0};

        if (store_write(services->store, delete_work, run, &error) && path_remove_tree(path, &error))
                return true;
        log_warning("an old run could not be removed", "run", run->id, "reason", error.message);
        return false;
}

void task_run_expire(const struct services *services, struct store_db *db, int64_t now)
{
        bool is_good = true;

        for (size_t count = 1; count && is_good;) {
                auto_store_task_runs runs = {0};
                auto_error error = {0};
                if (!store_task_run_list_old(db, now - TASK_RUN_DAYS * INT64_C(86400000), &runs, &error)) {
                        log_error("old runs could not be read", "reason", error.message);
                        return;
                }
                count = runs.count;
                for (size_t i = 0; i < runs.count; i++)
                        is_good = forget(services, &runs.items[i]) && is_good;
        }
}

void task_run_keep_newest(const struct services *services, struct store_db *db, const struct store_task_run *run)
{
        bool is_app = !strcmp(run->kind, TASK_RUN_APP);
        auto_store_task_runs runs = {0};
        auto_error error = {0};

        /* Of an application server only the latest output is ever read. */
        if (!store_task_run_list_surplus(db, run->task, run->kind, is_app ? 1 : TASK_RUNS_KEPT, &runs, &error))
                log_error("old runs could not be read", "reason", error.message);
        for (size_t i = 0; i < runs.count; i++)
                if (!forget(services, &runs.items[i]))
                        return;
}
