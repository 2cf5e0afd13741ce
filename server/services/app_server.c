#include "server/services/app_server.h"

#include <stdio.h>
#include <string.h>

#include "docker/runner/connect.h"
#include "docker/runner/control.h"
#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/services/app_access.h"
#include "server/services/audit.h"
#include "server/services/log_tail.h"
#include "server/services/panel.h"
#include "server/services/runtime.h"
#include "server/services/task_paths.h"
#include "server/services/task_run.h"

/* Every call answers within 25 s: the end of the old one, then the first answer of the new one. */
#define END_MS 18000
#define READY_MS 5000
#define PING_MS 300

const char *const app_server_statuses[] = {"stopped", "exited", "starting", "unready", "running", NULL};

void app_server_look_clear(struct app_server_look *look)
{
        store_task_run_clear(&look->run);
}

static bool is_end_by_others(const char *reason)
{
        static const char *const words[] = {"stopped", "interrupted", "container_stopped", "lost"};

        for (size_t i = 0; i < COUNT_OF(words); i++)
                if (!strcmp(reason, words[i]))
                        return true;
        return false;
}

static const char *status_of_end(const char *reason)
{
        return is_end_by_others(reason) ? "stopped" : "exited";
}

static const char *status_of_life(const struct services *services, const struct store_task *task,
                                  const struct store_task_run *run)
{
        auto_environment *environment = environment_find_rid(services->environments, task->environment);
        const struct environment_app_server *server = environment ? environment->file.appServer : NULL;
        int64_t patience = server ? server->readiness->timeoutSeconds * 1000 : 0;

        if (run->ready_at)
                return "running";
        return clock_now() <= run->requested_at + patience ? "starting" : "unready";
}

static void take_end(struct store_task_run *run, const struct runner_exit *exit)
{
        run->reason = text_copy(runner_reason_name(exit->reason));
        run->message = *exit->message ? text_copy(exit->message) : NULL;
        run->has_exit_code = exit->code >= 0;
        run->exit_code = exit->code;
        run->ended_at = exit->finished_at;
}

/* What the store does not know yet is read from the runner's record, and from whether there is a runner. */
static void look_at_container(const struct services *services, const struct store_task *task,
                              struct app_server_look *look)
{
        auto_free char *control = task_path_control(services->data_folder, task->id);
        enum control_state state = CONTROL_ABSENT;
        auto_error ignored = {0};
        struct runner_exit exit;

        look->status = status_of_life(services, task, &look->run);
        look->is_alive = true;
        if (!control_state(control, look->run.id, &state, &exit, &ignored))
                return;
        if (state == CONTROL_ENDED) {
                take_end(&look->run, &exit);
                look->status = status_of_end(look->run.reason);
        } else if (state != CONTROL_ABSENT && !control_ping(control, PING_MS, &ignored) &&
                   ignored.code == ERROR_CONTAINER_NOT_RUNNING) {
                look->status = "stopped";
        }
        look->is_alive = strcmp(look->status, "stopped") != 0 && strcmp(look->status, "exited") != 0;
}

bool app_server_look(const struct services *services, struct store_db *db, const struct store_task *task,
                     struct app_server_look *look, struct error *error)
{
        bool is_found;

        if (!store_task_run_latest(db, task->rid, TASK_RUN_APP, "", &look->run, &is_found, error))
                return false;
        look->is_recorded = !is_found || look->run.ended_at;
        if (!is_found)
                look->status = "stopped";
        else if (look->run.ended_at)
                look->status = status_of_end(look->run.reason);
        else
                look_at_container(services, task, look);
        return true;
}

static json_t *view(struct call *call, const struct store_task *task, const struct app_server_look *look,
                    const struct redactor *redactor)
{
        auto_environment *environment = environment_find_rid(call->services->environments, task->environment);
        const struct environment_app_server *server = environment ? environment->file.appServer : NULL;
        const struct store_task_run *run = &look->run;
        int64_t port = look->is_alive ? run->port : server ? server->port : 0;
        bool is_available = look->is_alive && task_run_answers(call->services, task->id, run->port, NULL);

        return json_pack("{s:s, s:s, s:b, s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "taskId", task->id,
                         "status", look->status, "configured", server != NULL, "port",
                         port ? json_integer(port) : json_null(), "portAvailable", is_available, "proxied",
                         app_access_is_on(call->services), "runId", document_string(run->id), "startedAt",
                         document_time(run->started_at ? run->started_at : run->requested_at), "readyAt",
                         document_time(run->ready_at), "endedAt", document_time(run->ended_at), "exitCode",
                         run->has_exit_code ? json_integer(run->exit_code) : json_null(), "reason",
                         document_string(run->reason), "message", redact_string(redactor, run->message));
}

bool app_server_status(struct call *call, const struct app_server_input *input, json_t **result, struct error *error)
{
        auto_app_server_look look = {0};
        auto_store_task task = {0};
        auto_redactor redactor = {0};

        if (!panel_open(call, input->taskId, true, &task, &redactor, result, error) || *result)
                return !error->code;
        if (!app_server_look(call->services, call->db, &task, &look, error))
                return false;
        *result = view(call, &task, &look, &redactor);
        return true;
}

bool app_server_logs(struct call *call, const struct app_server_log_input *input, json_t **result, struct error *error)
{
        auto_store_task_run run = {0};
        auto_store_task task = {0};
        auto_redactor redactor = {0};
        auto_log_tail tail = {0};
        bool is_found;

        if (!panel_open(call, input->taskId, true, &task, &redactor, result, error) || *result)
                return !error->code;
        if (!store_task_run_latest(call->db, task.rid, TASK_RUN_APP, "", &run, &is_found, error))
                return false;
        auto_free char *path = is_found ? task_run_log(call->services, &run) : NULL;
        if (is_found && !log_tail_read(path, &redactor, (size_t)input->maxChars, &tail, error))
                return false;
        *result = json_pack("{s:s, s:s, s:o, s:o, s:b, s:b, s:b}", "taskId", task.id, "status",
                            tail.text.length ? "available" : "empty", "runId", document_string(run.id), "content",
                            document_text(text_string(&tail.text), tail.text.length), "omitted", tail.is_omitted,
                            "truncated", tail.is_truncated, "redacted", tail.is_redacted);
        return true;
}

/* One change in the making, with the task held. */
struct change {
        struct call *call;
        const struct app_server_change_input *input;
        struct store_task task;
        struct app_server_look look;
        const struct environment *environment;
};

static bool refuse(const struct change *change, const char *sentence, struct error *error)
{
        return error_set_details(
                error, ERROR_APP_SERVER_STATE,
                json_pack("{s:s, s:s}", "expectedStatus", change->input->expectedStatus, "status", change->look.status),
                "The application server is %s%s.", change->look.status, sentence);
}

static bool look(struct change *change, struct error *error)
{
        app_server_look_clear(&change->look);
        change->look = (struct app_server_look){0};
        return app_server_look(change->call->services, change->call->db, &change->task, &change->look, error);
}

/* Within the piece of work that adds the run. */
static bool check_work(struct store_db *db, void *context, struct error *error)
{
        struct change *change = context;
        auto_store_task_run latest = {0};
        auto_store_task task = {0};
        bool is_found;

        if (!access_task_require(db, change->call->actor, change->input->taskId, PERMISSION_TASKS_EXECUTE,
                                 PERMISSION_TASKS_EXECUTE_ANY, &task, error) ||
            !store_task_run_latest(db, task.rid, TASK_RUN_APP, "", &latest, &is_found, error))
                return false;
        return !is_found || latest.ended_at || error_set(error, ERROR_APP_SERVER_STATE, NULL);
}

/* Waits until what was found dead is recorded as ended too. */
static bool settle(struct change *change, struct error *error)
{
        struct store_task_run *run = &change->look.run;

        if (change->look.is_recorded)
                return true;
        return task_run_wait(change->call, run->rid, false, clock_monotonic() + END_MS, run, error) &&
               (run->ended_at ||
                error_set(error, ERROR_UNAVAILABLE, "The application server has not ended yet; look again later."));
}

static bool start(struct change *change, struct error *error)
{
        const struct environment_app_server *server = change->environment->file.appServer;
        auto_free char *port = text_format("%d", (int)server->port),
                       *origin = app_access_origin(change->call->services, change->task.id);
        auto_free struct runner_variable *variables =
                memory_new((json_object_size(server->environment) + 2) * sizeof *variables);
        auto_store_task_run run = {0};
        struct task_run_order order = {.task = &change->task,
                                       .environment = change->environment,
                                       .kind = TASK_RUN_APP,
                                       .name = "",
                                       .command = server->command,
                                       .variables = variables,
                                       .port = server->port,
                                       .check = check_work,
                                       .context = change};
        const char *name;
        json_t *value;

        variables[order.variable_count++] = (struct runner_variable){"PORT", port};
        if (origin)
                variables[order.variable_count++] = (struct runner_variable){"LONGSHORE_APP_ORIGIN", origin};
        json_object_foreach(server->environment, name, value) variables[order.variable_count++] =
                (struct runner_variable){name, json_string_value(value)};
        return settle(change, error) && task_run_start(change->call, &order, &run, error) &&
               task_run_wait(change->call, run.rid, true, clock_monotonic() + READY_MS, &run, error);
}

static bool audit_work(struct store_db *db, void *context, struct error *error)
{
        struct change *change = context;

        return audit_write(db, change->call->actor, "task.app.stop", change->task.id, NULL, error);
}

static bool stop(struct change *change, struct error *error)
{
        const struct services *services = change->call->services;

        app_access_revoke(services, change->task.rid);
        return store_write(services->store, audit_work, change, error) &&
               task_run_stop(services, &change->look.run, error) && settle(change, error);
}

static bool start_one(struct change *change, struct error *error)
{
        return !change->look.is_alive ? start(change, error) : refuse(change, " already", error);
}

static bool stop_one(struct change *change, struct error *error)
{
        return change->look.is_alive ? stop(change, error) : refuse(change, " already", error);
}

static bool restart_one(struct change *change, struct error *error)
{
        return change->look.is_alive ? stop(change, error) && start(change, error)
                                     : refuse(change, "; it can only be started", error);
}

static bool check(struct change *change, struct error *error)
{
        const char *status = change->task.status;

        if (!change->environment)
                return error_set(error, ERROR_ENVIRONMENT_DISABLED, "The task's environment is gone.");
        if (!strcmp(status, "staged") || !strcmp(status, "queued"))
                return error_set(error, ERROR_CONFLICT, "The task is %s; it has no workspace before its start.",
                                 status);
        return environment_check_active(change->environment, error) &&
               (change->environment->file.appServer || error_set(error, ERROR_APP_SERVER_NONE, NULL));
}

static bool run_locked(struct change *change, bool needs_environment, bool (*act)(struct change *, struct error *),
                       struct error *error)
{
        if ((needs_environment && !check(change, error)) || !look(change, error))
                return false;
        if (strcmp(change->look.status, change->input->expectedStatus) != 0)
                return refuse(change, ", not as expected", error);
        return act(change, error);
}

static bool run(struct call *call, const struct app_server_change_input *input, bool needs_environment,
                bool (*act)(struct change *, struct error *), json_t **result, struct error *error)
{
        struct change change = {.call = call, .input = input};
        struct app_server_input again = {input->taskId};

        bool is_done = access_task_require(call->db, call->actor, input->taskId, PERMISSION_TASKS_EXECUTE,
                                           PERMISSION_TASKS_EXECUTE_ANY, &change.task, error) &&
                       access_require_content(&change.task, error);
        if (is_done && !runtime_try_lock_task(call->services->runtime, change.task.rid))
                is_done = error_set(error, ERROR_TASK_SOURCE_BUSY, NULL);
        else if (is_done) {
                auto_environment *environment =
                        environment_find_rid(call->services->environments, change.task.environment);
                change.environment = environment;
                is_done = run_locked(&change, needs_environment, act, error);
                runtime_unlock_task(call->services->runtime, change.task.rid);
        }
        app_server_look_clear(&change.look);
        store_task_clear(&change.task);
        return is_done && app_server_status(call, &again, result, error);
}

bool app_server_start(struct call *call, const struct app_server_change_input *input, json_t **result,
                      struct error *error)
{
        return run(call, input, true, start_one, result, error);
}

bool app_server_stop(struct call *call, const struct app_server_change_input *input, json_t **result,
                     struct error *error)
{
        return run(call, input, false, stop_one, result, error);
}

bool app_server_restart(struct call *call, const struct app_server_change_input *input, json_t **result,
                        struct error *error)
{
        return run(call, input, true, restart_one, result, error);
}
