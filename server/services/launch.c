#include "server/services/runtime_parts.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "docker/runner/control.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/metrics.h"
#include "server/services/task_paths.h"

/* An engine that does not answer is asked again: after 1, 2, 4, 8 and 16 seconds. */
#define ATTEMPTS_MAXIMUM 5
/* A turn is looked after this long behind its time limit, should its end never be told. */
#define OVERDUE_MS 60000

/* One turn on its way into its container. */
struct launch {
        struct runtime *runtime;
        struct store_db *db;
        const struct store_job *job;
        struct store_task task;
        struct store_turn turn;
        int64_t limit_ms;
        int64_t taken_up_at; /* on the monotonic clock */
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

/* The folder the agent starts in: the one repository's, else the one that holds them all. */
static char *workdir_of(const struct environment *environment)
{
        const struct environment_repository *repositories = environment->file.repositories.items;

        if (environment->file.repositories.count == 1)
                return text_format("%s/%s", CONTAINER_WORKSPACE, repositories[0].name);
        return text_copy(CONTAINER_WORKSPACE);
}

#define FIXED_VARIABLES 10

/* The agent's variables: ours first, so that the environment's own win. The caller frees the array. */
static struct runner_variable *variables_of(const struct launch *launch, const struct environment *environment,
                                            size_t *count)
{
        const struct runner_variable fixed[FIXED_VARIABLES] = {
                {"HOME", "/home/agent"},
                {"USER", "agent"},
                {"LANG", "C.UTF-8"},
                {"TERM", "dumb"},
                {"GIT_AUTHOR_NAME", "Longshore"},
                {"GIT_AUTHOR_EMAIL", "agent@longshore.invalid"},
                {"GIT_COMMITTER_NAME", "Longshore"},
                {"GIT_COMMITTER_EMAIL", "agent@longshore.invalid"},
                {"LONGSHORE_TASK_ID", launch->task.id},
                {"LONGSHORE_OUTPUT", CONTAINER_OUTPUT},
        };
        size_t own = json_object_size(environment->file.environment);
        struct runner_variable *variables = memory_new((COUNT_OF(fixed) + own) * sizeof *variables);
        const char *name;
        json_t *value;

        *count = 0;
        for (size_t i = 0; i < COUNT_OF(fixed); i++)
                if (!json_object_get(environment->file.environment, fixed[i].name))
                        variables[(*count)++] = fixed[i];
        json_object_foreach(environment->file.environment, name, value) variables[(*count)++] =
                (struct runner_variable){name, json_string_value(value)};
        return variables;
}

static bool request_run(struct launch *launch, const struct environment *environment, struct error *error)
{
        const struct environment_limits *limits = environment->file.limits;
        const struct agent *agent = agent_find(launch->turn.agent);
        auto_free char *control = task_path_control(launch->runtime->services->data_folder, launch->task.id),
                       *run = turn_run_id(launch->turn.ordinal), *output = turn_path_output(launch->turn.ordinal),
                       *errors = turn_path_errors(launch->turn.ordinal), *workdir = workdir_of(environment);
        auto_free struct runner_variable *variables = NULL;
        const char *prompt = launch->turn.given ? launch->turn.given : launch->turn.shown;
        int64_t uid = settings_current()->agent_uid;
        bool was_there;

        if (!agent)
                return error_set(error, ERROR_AGENT_UNKNOWN, "this server has no agent %s", launch->turn.agent);
        struct runner_start start = {.kind = "turn",
                                     .command = agent->command,
                                     .prompt_on = agent->prompt_on,
                                     .workdir = workdir,
                                     .uid = uid,
                                     .gid = uid,
                                     .output = output,
                                     .errors = errors,
                                     .log = RECORD_LOG,
                                     .time_limit = limits->turnMinutes * 60 * 1000,
                                     .grace = settings_current()->stop_grace_seconds * 1000,
                                     .file_size_limit = limits->fileSizeMb * 1024 * 1024};
        variables = variables_of(launch, environment, &start.environment_count);
        start.environment = variables;
        snprintf(start.run, sizeof start.run, "%s", run);
        launch->limit_ms = start.time_limit;
        return control_start(control, &start, prompt, strlen(prompt), &was_there, error);
}

static bool started_work(struct store_db *db, void *context, struct error *error)
{
        struct launch *launch = context;
        int64_t now = clock_now();
        bool is_done;

        if (!store_turn_set_state(db, launch->turn.rid, "launching", "running", now, &is_done, error))
                return false;
        if (is_done && !store_job_add(db, "check", launch->task.rid, launch->turn.rid,
                                      now + launch->limit_ms + OVERDUE_MS, now, error))
                return false;
        return store_job_delete(db, launch->job->rid, error);
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

static bool deliver(struct launch *launch, struct error *error)
{
        struct runtime *runtime = launch->runtime;
        auto_environment *environment = environment_find_rid(runtime->services->environments, launch->task.environment);
        bool is_ended_early;

        if (!environment)
                return error_set(error, ERROR_ENVIRONMENT_DISABLED, "the task's environment is gone");
        if (!environment_check_active(environment, error) || !write_instructions(launch, error) ||
            !workspace_ensure(runtime, launch->db, &launch->task, environment, error) ||
            !is_stopped(launch, &is_ended_early, error))
                return false;
        if (is_ended_early)
                return true;
        return container_ensure(runtime, launch->db, &launch->task, environment, error) &&
               is_stopped(launch, &is_ended_early, error) &&
               (is_ended_early || request_run(launch, environment, error));
}

/* Ends a turn that was stopped before its prompt was requested; one that was requested is followed to its end. */
static bool follow(struct launch *launch, struct error *error)
{
        auto_store_turn turn = {0};
        bool is_found, is_withdrawn = false;

        if (!store_turn_find(launch->db, launch->turn.rid, &turn, &is_found, error) || !is_found)
                return false;
        if (turn.stop_kind && !turn_signal(launch->runtime, &turn, &is_withdrawn, error))
                return false;
        if (is_withdrawn) {
                struct turn_outcome outcome = {.task_status = "interrupted",
                                               .type = !strcmp(turn.stop_kind, "stop") ? "stopped" : "interrupted",
                                               .ended_at = clock_now()};
                return turn_end(launch->runtime, &turn, &outcome, error);
        }
        metrics_observe(METRIC_LAUNCH_SECONDS, clock_monotonic() - launch->taken_up_at);
        return RUNTIME_WRITE(launch->runtime, started_work, launch, error) &&
               follower_attach(launch->runtime->follower, &turn, error);
}

static bool is_passing(enum error_code code)
{
        return code == ERROR_ENGINE_UNREACHABLE || code == ERROR_ENGINE_STREAM_LOST;
}

static bool retry_work(struct store_db *db, void *context, struct error *error)
{
        const struct store_job *job = context;

        return store_job_retry(db, job->rid, clock_now() + (1000LL << (job->attempts < 5 ? job->attempts : 5)), error);
}

/* Whether the prompt has reached the runner although the launch failed: then it is never delivered again. */
static bool is_delivered(struct launch *launch)
{
        auto_free char *control = task_path_control(launch->runtime->services->data_folder, launch->task.id),
                       *run = turn_run_id(launch->turn.ordinal);
        auto_error ignored = {0};
        bool is_withdrawn = true;

        return control_withdraw(control, run, &is_withdrawn, &ignored) && !is_withdrawn;
}

static void give_up(struct launch *launch, const struct error *reason)
{
        struct turn_outcome outcome;
        auto_error error = {0};

        if (is_passing(reason->code))
                metrics_count(METRIC_ENGINE_ERRORS, 1);
        if (is_passing(reason->code) && launch->job->attempts < ATTEMPTS_MAXIMUM) {
                if (!RUNTIME_WRITE(launch->runtime, retry_work, (void *)launch->job, &error))
                        log_error("a launch could not be put off", "task", launch->task.id, "reason", error.message);
                return;
        }
        turn_outcome_of_failure(&outcome, "failed",
                                reason->code == ERROR_STORE_FULL ? "disk_full" : error_kind(reason->code)->code,
                                "launch", "%s", reason->message);
        if (!turn_end(launch->runtime, &launch->turn, &outcome, &error))
                log_error("a launch failure could not be recorded", "task", launch->task.id, "reason", error.message);
}

/* The run is requested but could not be recorded as running: the job stays and finds the request there. The pause keeps a
 * store that fails from being asked without end. */
static void put_off(struct launch *launch, const struct error *reason)
{
        auto_error error = {0};

        log_error("a launched turn could not be recorded; it is tried again", "task", launch->task.id, "reason",
                  reason->message);
        if (!RUNTIME_WRITE(launch->runtime, retry_work, (void *)launch->job, &error))
                poll(&(struct pollfd){launch->runtime->stop_event, POLLIN, 0}, 1, 1000);
}

static bool drop_work(struct store_db *db, void *context, struct error *error)
{
        return store_job_delete(db, ((const struct store_job *)context)->rid, error);
}

void launch_run(struct runtime *runtime, struct store_db *db, const struct store_job *job)
{
        struct launch launch = {.runtime = runtime, .db = db, .job = job, .taken_up_at = clock_monotonic()};
        auto_error error = {0};
        bool is_wanted = false;

        runtime_lock_task(runtime, job->task);
        if (!read_rows(&launch, &is_wanted, &error))
                log_error("a launch could not be read", "reason", error.message);
        else if (!is_wanted && !RUNTIME_WRITE(runtime, drop_work, (void *)job, &error))
                log_error("a job could not be deleted", "reason", error.message);
        else if (is_wanted && !deliver(&launch, &error) && !is_delivered(&launch))
                give_up(&launch, &error);
        else if (is_wanted && !follow(&launch, &error))
                put_off(&launch, &error);
        runtime_unlock_task(runtime, job->task);
        store_task_clear(&launch.task);
        store_turn_clear(&launch.turn);
}
