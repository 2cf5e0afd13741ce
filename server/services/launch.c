#include "server/services/runtime_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "docker/runner/control.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/event_log.h"
#include "server/services/metrics.h"
#include "server/services/model.h"
#include "server/services/pull.h"
#include "server/services/task_paths.h"
#include "server/services/upload.h"
#include "server/services/vault.h"
#include "server/store/user.h"

/* An engine that does not answer is asked again: after 1, 2, 4, 8 and 16 seconds. */
#define ATTEMPTS_MAXIMUM 5
#define RETRY_MAXIMUM_MS 32000

#define WORKSPACE_RENEWED                                                                                              \
        "The workspace of this task had been removed because it was not used for long. It was made again from the "    \
        "repositories: what had not been pushed is gone."

/* One turn on its way into its container. */
struct launch {
        struct runtime *runtime;
        struct store_db *db;
        const struct store_job *job;
        struct store_task task;
        struct store_turn turn;
        struct turn_secrets secrets;
        const struct environment *environment; /* while the turn is delivered */
        struct launch_message message;
        const char *format;  /* of the agent's output */
        int64_t taken_up_at; /* on the monotonic clock */
        bool is_recovered;   /* an earlier process got as far as the runner */
};

static bool read_rows(struct launch *launch, bool *is_wanted, struct error *error)
{
        bool has_task = false, has_turn = false;

        if (!store_task_find_rid(launch->db, launch->job->task, 0, &launch->task, &has_task, error) ||
            !store_turn_find(launch->db, launch->job->turn, &launch->turn, &has_turn, error))
                return false;
        *is_wanted = has_task && has_turn && !strcmp(launch->turn.state, "launching");
        return true;
}

static bool write_instructions(const struct launch *launch, struct error *error)
{
        auto_free char *records = task_path_records(launch->runtime->services->data_folder, launch->task.id),
                       *path = path_join(records, RECORD_INSTRUCTIONS);

        return launch->turn.ordinal > 1 ||
               (path_make_folder(records, 0700, error) &&
                path_write(path, launch->turn.shown, strlen(launch->turn.shown), 0600, error));
}

/* The job `check` finds a runner that takes nothing up, `deadline` one that does not end the run in time. */
static bool started_work(struct store_db *db, void *context, struct error *error)
{
        struct launch *launch = context;
        const struct runtime_times *times = &launch->runtime->times;
        int64_t now = clock_now(), task = launch->task.rid, turn = launch->turn.rid;
        bool is_done;

        if (!store_turn_set_format(db, turn, launch->format, error) ||
            !store_turn_set_state(db, turn, "launching", "running", now, &is_done, error))
                return false;
        if (is_done && (!store_job_add(db, "check", task, turn, times->claim, error) ||
                        !store_job_add(db, "deadline", task, turn, launch->message.limit_ms + times->overdue, error)))
                return false;
        return store_job_delete(db, launch->job, error);
}

/* Whether somebody has asked for the end of the turn meanwhile. */
static bool is_stopped(struct launch *launch, bool *result, struct error *error)
{
        auto_store_turn turn = {0};
        bool is_found;

        if (!store_turn_find(launch->db, launch->turn.rid, &turn, &is_found, error))
                return false;
        *result = !is_found || turn.stop_kind || !strcmp(turn.state, "ended");
        return true;
}

bool launch_is_requesting(struct runtime *runtime, int64_t turn)
{
        pthread_mutex_lock(&runtime->mutex);
        bool is_requesting = number_set_has(&runtime->turns_requested, turn);
        pthread_mutex_unlock(&runtime->mutex);
        return is_requesting;
}

/* From here on a stop does not end the turn by itself: it finds us in the set, or we find it in the store. */
static void enter_request(struct launch *launch)
{
        pthread_mutex_lock(&launch->runtime->mutex);
        number_set_add(&launch->runtime->turns_requested, launch->turn.rid);
        pthread_mutex_unlock(&launch->runtime->mutex);
}

static void leave_request(struct launch *launch)
{
        pthread_mutex_lock(&launch->runtime->mutex);
        number_set_remove(&launch->runtime->turns_requested, launch->turn.rid);
        pthread_mutex_unlock(&launch->runtime->mutex);
}

/* Tells whoever reads the task that what had not been pushed is gone. */
static void note_renewal(const struct launch *launch)
{
        auto_free char *records = task_path_records(launch->runtime->services->data_folder, launch->task.id);
        auto_error error = {0};
        struct event_log *log = event_log_open(records, launch->turn.ordinal, &stream_format_text, &error);

        if (log && event_log_user(log, launch->turn.shown, launch->turn.submitted_at, &error) &&
            event_log_note(log, WORKSPACE_RENEWED, &error))
                workspace_renewal_told(launch->runtime->services, launch->task.id);
        else
                log_warning("a note could not be written", "task", launch->task.id, "reason", error.message);
        event_log_close(log);
}

static bool prepare_workspace(struct launch *launch, const struct environment *environment, struct error *error)
{
        if (!workspace_ensure(launch->runtime, launch->db, &launch->task, environment, error))
                return false;
        if (workspace_is_renewed(launch->runtime->services, launch->task.id))
                note_renewal(launch);
        return true;
}

/* Gathers what the turn is given, and puts its files where the container sees them. */
static bool prepare_secrets(struct launch *launch, const struct environment *environment, struct error *error)
{
        const struct services *services = launch->runtime->services;

        turn_secrets_clear(&launch->secrets);
        return vault_for_turn(services, launch->db, &launch->task, &launch->turn, environment, &launch->secrets,
                              error) &&
               secret_files_put(services, launch->task.id, &launch->secrets, error);
}

/* The files that came with the turn; once they are the agent's, ours are not needed any more. */
static bool deliver_attachments(struct launch *launch, struct error *error)
{
        const struct services *services = launch->runtime->services;
        auto_store_attachments attachments = {0};

        if (!store_attachment_list(launch->db, launch->turn.rid, &attachments, error) ||
            !upload_deliver(services, launch->task.id, &attachments, error))
                return false;
        upload_forget(services, &attachments);
        return true;
}

static bool prepare_request(void *context, struct error *error)
{
        struct launch *launch = context;
        struct launch_request wanted = {.runtime = launch->runtime,
                                        .db = launch->db,
                                        .task = &launch->task,
                                        .turn = &launch->turn,
                                        .environment = launch->environment,
                                        .secrets = &launch->secrets};

        return launch_prepare(&wanted, &launch->message, error);
}

/* A speed costs: that it was allowed when it was chosen does not do. */
static bool check_speed(const struct launch *launch, const struct environment *environment, struct error *error)
{
        const struct store_task *task = &launch->task;
        struct model_choice choice = {.model = task->model, .speed = task->speed};

        return !task->speed || !strcmp(task->speed, model_speeds[0]) ||
               model_check(launch->runtime->services, launch->db, environment, task->creator, launch->turn.agent,
                           &choice, error);
}

/* Who was disabled since starts nothing any more, nor is what is only theirs given out. */
static bool check_sender(const struct launch *launch, struct error *error)
{
        auto_store_user user = {0};
        auto_error looking = {0};

        if (!launch->turn.sender)
                return true;
        if (!store_user_find_rid(launch->db, launch->turn.sender, &user, &looking))
                return looking.code == ERROR_USER_NOT_FOUND || error_move(error, &looking);
        return !user.is_disabled ||
               error_set(error, ERROR_PERMISSION_DENIED, "Who sent this turn's prompt has been disabled.");
}

/* Brings the prompt to the runner, unless the turn is stopped before. */
static bool deliver(struct launch *launch, struct error *error)
{
        struct runtime *runtime = launch->runtime;
        auto_environment *environment = environment_find_rid(runtime->services->environments, launch->task.environment);
        const struct meanwhile meanwhile = {prepare_request, launch};
        bool is_over = false;

        launch->environment = environment;
        if (!is_stopped(launch, &is_over, error) || is_over)
                return is_over;
        if (!environment)
                return error_set(error, ERROR_ENVIRONMENT_DISABLED, "the task's environment is gone");
        if (!check_sender(launch, error) || !environment_check_active(environment, error) ||
            !check_speed(launch, environment, error) || !write_instructions(launch, error) ||
            !prepare_workspace(launch, environment, error) || !is_stopped(launch, &is_over, error))
                return false;
        if (is_over)
                return true;
        if (!prepare_secrets(launch, environment, error) ||
            !container_ensure(runtime, launch->db, &launch->task, environment, &meanwhile, error) ||
            !deliver_attachments(launch, error))
                return false;
        if (!pull_settle(runtime->services, launch->task.id, error))
                return false;
        enter_request(launch);
        return is_stopped(launch, &is_over, error) &&
               (is_over || launch_send(runtime->services, &launch->task, &launch->turn, &launch->message, error));
}

/* Ends a turn that was stopped before its prompt was requested; one that was requested is followed to its end. */
static bool follow(struct launch *launch, struct error *error)
{
        struct runtime *runtime = launch->runtime;
        auto_store_turn turn = {0};
        bool is_found, is_withdrawn = false;

        if (!store_turn_find(launch->db, launch->turn.rid, &turn, &is_found, error))
                return false;
        if (!is_found || !strcmp(turn.state, "ended"))
                return true;
        if (turn.stop_kind && !turn_signal(runtime, &turn, &is_withdrawn, error))
                return false;
        if (is_withdrawn) {
                struct turn_outcome outcome;
                turn_outcome_of_stop(&outcome, &turn);
                return turn_end(runtime, &turn, &outcome, error);
        }
        metrics_observe(METRIC_LAUNCH_SECONDS, clock_monotonic() - launch->taken_up_at);
        return RUNTIME_WRITE(runtime, started_work, launch, error) &&
               follower_attach(runtime->follower, turn.rid, error) &&
               (!launch->is_recovered || job_check_later(runtime, turn.task, turn.rid, 0, error));
}

/* How far an earlier process came. An exit record that cannot be read is one all the same. */
static enum control_state find_request(const struct launch *launch)
{
        auto_free char *control = task_path_control(launch->runtime->services->data_folder, launch->task.id),
                       *run = turn_run_id(launch->turn.ordinal);
        enum control_state state;
        struct runner_exit exit;
        auto_error ignored = {0};

        return control_state(control, run, &state, &exit, &ignored) ? state : CONTROL_ENDED;
}

/* Whether the prompt has reached the runner although the launch failed, or may have: then it is never delivered again.
 */
static bool is_delivered(struct launch *launch)
{
        auto_free char *control = task_path_control(launch->runtime->services->data_folder, launch->task.id),
                       *run = turn_run_id(launch->turn.ordinal);
        auto_error error = {0};
        bool is_withdrawn = false;

        if (!control_withdraw(control, run, &is_withdrawn, &error))
                log_error("a request could not be taken back", "task", launch->task.id, "reason", error.message);
        return !is_withdrawn;
}

static bool give_up(struct launch *launch, const struct error *reason)
{
        struct turn_outcome outcome;
        auto_error error = {0};

        if (engine_error_is_passing(reason->code)) {
                metrics_count(METRIC_ENGINE_ERRORS, 1);
                if (launch->job->attempts < ATTEMPTS_MAXIMUM)
                        return job_put_off(launch->runtime, launch->job, RETRY_MAXIMUM_MS);
        }
        turn_outcome_of_failure(&outcome, "failed",
                                reason->code == ERROR_STORE_FULL ? "disk_full" : error_kind(reason->code)->code,
                                "launch", "%s", reason->message);
        if (reason->code == ERROR_AGENT_AUTH_INVALID)
                outcome.category = "auth";
        return turn_end(launch->runtime, &launch->turn, &outcome, &error) ||
               (log_error("a launch failure could not be recorded", "task", launch->task.id, "reason", error.message),
                false);
}

/* The run is requested but could not be recorded as running: the job stays and finds the request there. */
static bool put_off(struct launch *launch, const struct error *reason)
{
        log_error("a launched turn could not be recorded; it is tried again", "task", launch->task.id, "reason",
                  reason->message);
        return job_put_off(launch->runtime, launch->job, RETRY_MAXIMUM_MS);
}

/* Also for a request that an earlier process has made. */
static const char *format_of(const struct launch *launch)
{
        auto_environment *environment =
                environment_find_rid(launch->runtime->services->environments, launch->task.environment);
        struct agent agent;

        return agent_find(environment, launch->turn.agent, &agent) ? agent.format->name : stream_format_text.name;
}

static bool run(struct launch *launch)
{
        enum control_state state = find_request(launch);
        auto_error error = {0};

        launch->format = format_of(launch);
        launch->is_recovered = state != CONTROL_ABSENT;
        bool is_claimed = state == CONTROL_CLAIMED || state == CONTROL_ENDED;
        if (!is_claimed && !deliver(launch, &error) && !is_delivered(launch))
                return give_up(launch, &error);
        error_clear(&error);
        return follow(launch, &error) || put_off(launch, &error);
}

/* A stop ends the turn whatever we are doing: what has been written for it since would stay. */
static void clear_up(const struct launch *launch)
{
        auto_store_turn turn = {0};
        auto_error ignored = {0};
        bool is_found = false;

        if (store_turn_find(launch->db, launch->turn.rid, &turn, &is_found, &ignored) && is_found &&
            !strcmp(turn.state, "ended"))
                turn_remove_secrets(launch->runtime->services, &turn);
}

bool launch_run(struct runtime *runtime, struct store_db *db, const struct store_job *job)
{
        struct launch launch = {.runtime = runtime, .db = db, .job = job, .taken_up_at = clock_monotonic()};
        auto_error error = {0};
        bool is_wanted = false, is_settled = false;

        if (!read_rows(&launch, &is_wanted, &error))
                log_error("a launch could not be read", "reason", error.message);
        else
                is_settled = is_wanted ? run(&launch) : job_drop(runtime, job);
        if (is_wanted)
                clear_up(&launch);
        leave_request(&launch);
        store_task_clear(&launch.task);
        store_turn_clear(&launch.turn);
        turn_secrets_clear(&launch.secrets);
        free(launch.message.text);
        return is_settled;
}
