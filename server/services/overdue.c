#include "server/services/runtime_parts.h"

#include <string.h>

#include "docker/runner/control.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/task_paths.h"

#define LOOK_AGAIN_MS 60000
/* For a runner that lives after all to write its records. */
#define GRACE_S 5

/* The limit that the runner was given; 0 when that cannot be told. */
static int64_t limit_of(struct runtime *runtime, const struct store_turn *turn)
{
        auto_free char *control = task_path_control(runtime->services->data_folder, turn->task_id),
                       *run = turn_run_id(turn->ordinal), *claimed = control_path_claimed(control, run);
        auto_text message = TEXT_WITH_MAXIMUM(RUNNER_START_MAXIMUM);
        auto_runner_start start = {0};
        auto_error ignored = {0};

        return path_read(claimed, RUNNER_START_MAXIMUM, &message, NULL, &ignored) &&
                               runner_start_parse(text_string(&message), message.length, &start, &ignored)
                       ? start.time_limit + start.grace
                       : 0;
}

static bool end_hung(struct runtime *runtime, struct store_db *db, const struct store_turn *turn, struct error *error)
{
        auto_docker_container_state container = {0};
        auto_free char *control = task_path_control(runtime->services->data_folder, turn->task_id),
                       *run = turn_run_id(turn->ordinal);
        struct turn_outcome outcome;
        struct runner_exit exit;
        enum control_state state = CONTROL_ENDED;
        auto_error reading = {0};
        bool is_there;

        if (!container_look(runtime, turn->task_id, &container, &is_there, error))
                return false;
        if (!is_there || !container.is_running)
                return reconcile_lost(runtime, db, turn, is_there ? &container : NULL, error);
        log_warning("a turn is long overdue: its container is stopped", "task", turn->task_id);
        if (!container_end(runtime, container.id, GRACE_S, error))
                return false;
        if (control_state(control, run, &state, &exit, &reading) && state == CONTROL_ENDED)
                return follower_attach(runtime->follower, turn->rid, error);
        turn_outcome_of_failure(&outcome, "failed", "time_limit", "agent",
                                "The turn ran out of time and its supervisor did not end it.");
        outcome.category = "timeout";
        return follower_end(runtime->follower, turn->rid, &outcome, error);
}

/* `late`: by how much it is overdue. */
static bool end_overdue(struct runtime *runtime, struct store_db *db, const struct store_turn *turn, int64_t late,
                        struct error *error)
{
        struct turn_outcome outcome;
        auto_error ending = {0};

        if (end_hung(runtime, db, turn, &ending))
                return true;
        if (!engine_error_is_passing(ending.code) || late < runtime->times.given_up)
                return error_move(error, &ending);
        turn_outcome_of_failure(&outcome, "interrupted", "engine_lost", "agent",
                                "The engine does not answer and the turn is overdue.");
        return follower_end(runtime->follower, turn->rid, &outcome, error);
}

static bool look(struct runtime *runtime, struct store_db *db, const struct store_job *job, struct error *error)
{
        auto_store_turn turn = {0};
        bool is_found;

        if (!store_turn_find(db, job->turn, &turn, &is_found, error))
                return false;
        if (!is_found || strcmp(turn.state, "running"))
                return true;
        /* The job's age, for the wall clock may have been set since the turn began. */
        int64_t late = job->age - limit_of(runtime, &turn) - runtime->times.overdue;
        return late < 0 || end_overdue(runtime, db, &turn, late, error);
}

/* The end of the turn deletes the job; until then it is looked at again and again. The lock keeps the next turn from
 * beginning in a container that is about to be stopped. */
bool deadline_run(struct runtime *runtime, struct store_db *db, const struct store_job *job)
{
        auto_error error = {0};

        if (runtime_try_lock_task(runtime, job->task)) {
                if (!look(runtime, db, job, &error))
                        log_error("an overdue turn could not be ended", "reason", error.message);
                runtime_unlock_task(runtime, job->task);
        }
        return job_put_off(runtime, job, LOOK_AGAIN_MS);
}
