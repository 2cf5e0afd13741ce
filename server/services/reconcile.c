#include "server/services/runtime_parts.h"

#include <string.h>

#include "docker/runner/control.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/services/task_paths.h"

/* A turn that is being launched is looked at again this often at least. */
#define LAUNCH_LOOK_MS 8000
#define RETRY_MAXIMUM_MS 32000

static bool read_control(struct runtime *runtime, const struct store_turn *turn, enum control_state *state,
                         struct error *error)
{
        auto_free char *control = task_path_control(runtime->services->data_folder, turn->task_id),
                       *run = turn_run_id(turn->ordinal);
        auto_error reading = {0};
        struct runner_exit exit;

        if (control_state(control, run, state, &exit, &reading))
                return true;
        /* The follower ends a turn whose exit record is damaged. */
        *state = CONTROL_ENDED;
        return reading.code == ERROR_INVALID_INPUT || reading.code == ERROR_TOO_LARGE || error_move(error, &reading);
}

/* Takes back a request that no runner has seen, so that no later one finds it. */
static bool withdraw(struct runtime *runtime, const struct store_turn *turn, bool *is_withdrawn, struct error *error)
{
        auto_free char *control = task_path_control(runtime->services->data_folder, turn->task_id),
                       *run = turn_run_id(turn->ordinal);

        return control_withdraw(control, run, is_withdrawn, error);
}

static bool ran_out_of_memory(struct store_db *db, int64_t task, const struct docker_container_state *container)
{
        auto_store_resource resource = {0};
        auto_error ignored = {0};
        bool is_found = false;

        return (container && container->is_oom_killed) ||
               (store_resource_find(db, "container", task, &resource, &is_found, &ignored) && is_found &&
                resource.is_oom_killed);
}

bool reconcile_lost(struct runtime *runtime, struct store_db *db, const struct store_turn *turn,
                    const struct docker_container_state *container, struct error *error)
{
        enum control_state state;
        struct turn_outcome outcome;
        bool is_withdrawn;

        /* The record may have been written between the first look and the engine's answer. */
        if (!withdraw(runtime, turn, &is_withdrawn, error) || !read_control(runtime, turn, &state, error))
                return false;
        if (state == CONTROL_ENDED)
                return follower_attach(runtime->follower, turn->rid, error);
        if (is_withdrawn && turn->stop_kind)
                turn_outcome_of_stop(&outcome, turn);
        else if (is_withdrawn)
                turn_outcome_of_failure(&outcome, "failed", "container_ended", "launch",
                                        "The container ended before the turn began. %s",
                                        container ? container->error : "");
        else if (ran_out_of_memory(db, turn->task, container))
                turn_outcome_of_failure(&outcome, "failed", "out_of_memory", "agent",
                                        "The container ran out of memory and was ended by the kernel.");
        else
                turn_outcome_of_failure(&outcome, "interrupted", "container_lost", "agent",
                                        "The container %s while the turn ran.", container ? "ended" : "was removed");
        return follower_end(runtime->follower, turn->rid, &outcome, error);
}

/* A runner that lives has taken up nothing for long, or there is nothing that it could take up. */
static bool end_unclaimed(struct runtime *runtime, const struct store_turn *turn,
                          const struct docker_container_state *container, struct error *error)
{
        struct turn_outcome outcome;
        bool is_withdrawn;

        if (!withdraw(runtime, turn, &is_withdrawn, error))
                return false;
        if (!is_withdrawn)
                return follower_attach(runtime->follower, turn->rid, error);
        turn_outcome_of_failure(&outcome, "failed", "runner_silent", "launch",
                                "The supervisor in the container did not take the turn up.");
        /* The next turn gets a container that works. */
        auto_error ending = {0};
        if (!container_end(runtime, container->id, 1, &ending))
                log_warning("a container that does not work could not be stopped", "task", turn->task_id, "reason",
                            ending.message);
        return follower_end(runtime->follower, turn->rid, &outcome, error);
}

static bool reconcile_container(struct runtime *runtime, struct store_db *db, const struct store_turn *turn,
                                enum control_state state, struct error *error)
{
        auto_docker_container_state container = {0};
        auto_error asking = {0};
        bool is_there;

        if (!container_look(runtime, turn->task_id, &container, &is_there, &asking)) {
                log_warning("the engine cannot be asked about a turn", "task", turn->task_id, "reason", asking.message);
                return follower_attach(runtime->follower, turn->rid, error);
        }
        if (!is_there || !container.is_running)
                return reconcile_lost(runtime, db, turn, is_there ? &container : NULL, error);
        bool is_due = clock_now() >= turn->started_at + runtime->times.claim;
        if (state == CONTROL_ABSENT || (state == CONTROL_REQUESTED && is_due))
                return end_unclaimed(runtime, turn, &container, error);
        return follower_attach(runtime->follower, turn->rid, error);
}

static bool reconcile_running(struct runtime *runtime, struct store_db *db, const struct store_turn *turn,
                              struct error *error)
{
        struct turn_outcome outcome;
        enum control_state state;
        bool is_withdrawn = false;

        if (!read_control(runtime, turn, &state, error))
                return false;
        if (state == CONTROL_ENDED)
                return follower_attach(runtime->follower, turn->rid, error);
        /* The runner is told without the engine. */
        if (turn->stop_kind && !turn_signal(runtime, turn, &is_withdrawn, error))
                return false;
        if (!is_withdrawn)
                return reconcile_container(runtime, db, turn, state, error);
        turn_outcome_of_stop(&outcome, turn);
        return follower_end(runtime->follower, turn->rid, &outcome, error);
}

/* A stop ends at once a launch that has not come to its request, whatever it is doing: it will find the turn ended. */
static bool reconcile_launching(struct runtime *runtime, const struct store_turn *turn, bool *is_open,
                                struct error *error)
{
        struct turn_outcome outcome;
        bool is_withdrawn = false;

        *is_open = true;
        if (!turn->stop_kind || launch_is_requesting(runtime, turn->rid))
                return true;
        if (!turn_signal(runtime, turn, &is_withdrawn, error) || !is_withdrawn)
                return !error->code;
        turn_outcome_of_stop(&outcome, turn);
        *is_open = false;
        return turn_end(runtime, turn, &outcome, error);
}

bool reconcile_turn(struct runtime *runtime, struct store_db *db, int64_t rid, bool *is_open, struct error *error)
{
        auto_store_turn turn = {0};
        bool is_found = false;

        *is_open = false;
        if (!store_turn_find(db, rid, &turn, &is_found, error))
                return false;
        if (is_found && !strcmp(turn.state, "launching"))
                return reconcile_launching(runtime, &turn, is_open, error);
        return !is_found || strcmp(turn.state, "running") || reconcile_running(runtime, db, &turn, error);
}

bool check_run(struct runtime *runtime, struct store_db *db, const struct store_job *job)
{
        auto_error error = {0};
        bool is_open;

        if (!reconcile_turn(runtime, db, job->turn, &is_open, &error)) {
                log_error("a turn could not be reconciled", "reason", error.message);
                return job_put_off(runtime, job, RETRY_MAXIMUM_MS);
        }
        return is_open ? job_put_off(runtime, job, LAUNCH_LOOK_MS) : job_drop(runtime, job);
}

static bool is_known(struct store_db *db, const struct docker_container_entry *entry, bool *result, struct error *error)
{
        const char *task_id = json_string_value(json_object_get(entry->labels, LABEL_TASK));
        auto_store_task task = {0};
        auto_store_resource resource = {0};

        return store_task_find(db, task_id ? task_id : "", 0, &task, result, error) &&
               (!*result || store_resource_find(db, "container", task.rid, &resource, result, error));
}

/* Removes containers of ours that no task's row speaks of. */
static void reap_orphans(struct runtime *runtime, struct store_db *db)
{
        auto_docker_container_list list = {0};
        auto_error error = {0};

        if (!docker_container_find(runtime->services->docker, runtime->server_label, &list, &error))
                return;
        for (size_t i = 0; i < list.count && !atomic_load(&runtime->is_stopping); i++) {
                bool is_ours = false;
                if (!is_known(db, &list.entries[i], &is_ours, &error) || is_ours)
                        continue;
                log_warning("an orphaned container is removed", "container", list.entries[i].name);
                if (!docker_container_remove(runtime->services->docker, list.entries[i].id, true, &error))
                        log_error("an orphaned container could not be removed", "reason", error.message);
        }
}

/* Does something with every unfinished turn. */
static void for_each(struct runtime *runtime, struct store_db *db,
                     bool (*look)(struct runtime *runtime, struct store_db *db, int64_t turn, struct error *error))
{
        auto_free int64_t *turns = NULL;
        auto_error listing = {0};
        size_t count = 0;

        if (!store_turn_list_unfinished(db, &turns, &count, &listing))
                log_error("unfinished turns could not be read", "reason", listing.message);
        for (size_t i = 0; i < count && !atomic_load(&runtime->is_stopping); i++) {
                auto_error error = {0};
                if (!look(runtime, db, turns[i], &error))
                        log_error("a turn could not be taken up", "reason", error.message);
        }
}

static bool attach(struct runtime *runtime, struct store_db *db, int64_t turn, struct error *error)
{
        (void)db;
        return follower_attach(runtime->follower, turn, error);
}

void reconcile_attach_all(struct runtime *runtime, struct store_db *db)
{
        for_each(runtime, db, attach);
}

/* A launch in progress may have seen its container before the engine lost it. */
static bool look_again(struct runtime *runtime, struct store_db *db, int64_t rid, struct error *error)
{
        auto_store_turn turn = {0};
        bool is_open, is_found;

        if (!reconcile_turn(runtime, db, rid, &is_open, error) || !is_open)
                return !error->code;
        return store_turn_find(db, rid, &turn, &is_found, error) &&
               (!is_found || job_check_later(runtime, turn.task, rid, 1000, error));
}

void reconcile_all(struct runtime *runtime, struct store_db *db)
{
        for_each(runtime, db, look_again);
        reap_orphans(runtime, db);
}
