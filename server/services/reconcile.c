#include "server/services/runtime_parts.h"

#include <string.h>

#include "docker/container.h"
#include "docker/runner/control.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/services/task_paths.h"

/* A turn whose end is overdue by this much and that no engine can be asked about is given up. */
#define GIVEN_UP_MS (10 * 60 * 1000)

/* What is known of a turn that has no exit record. */
struct findings {
        enum control_state control;
        bool is_engine_silent, is_running, is_there;
        struct docker_container_state container;
};

static bool read_control(struct runtime *runtime, const struct store_turn *turn, enum control_state *state,
                         struct runner_exit *exit, struct error *error)
{
        auto_free char *control = task_path_control(runtime->services->data_folder, turn->task_id),
                       *run = turn_run_id(turn->ordinal);

        return control_state(control, run, state, exit, error);
}

static void ask_engine(struct runtime *runtime, const struct store_turn *turn, struct findings *findings)
{
        auto_free char *name = container_name(turn->task_id);
        auto_error error = {0};

        findings->is_there = docker_container_inspect(runtime->services->docker, name, &findings->container, &error);
        findings->is_running = findings->is_there && findings->container.is_running;
        findings->is_engine_silent = !findings->is_there && error.code != ERROR_CONTAINER_NOT_FOUND;
}

/* The container is gone and there is no exit record: why. */
static void explain(const struct findings *findings, struct turn_outcome *outcome)
{
        if (findings->control == CONTROL_REQUESTED || findings->control == CONTROL_ABSENT)
                turn_outcome_of_failure(outcome, "failed", "container_ended", "launch",
                                        "The container ended before the turn began (exit code %d). %s",
                                        findings->is_there ? findings->container.exit_code : -1,
                                        findings->container.error);
        else if (findings->container.is_oom_killed)
                turn_outcome_of_failure(outcome, "failed", "out_of_memory", "agent",
                                        "The container ran out of memory and was ended by the kernel.");
        else
                turn_outcome_of_failure(outcome, "interrupted", "container_lost", "agent",
                                        "The container %s while the turn ran.",
                                        findings->is_there ? "ended" : "was removed");
}

static bool end_lost(struct runtime *runtime, const struct store_turn *turn, const struct findings *findings,
                     struct error *error)
{
        struct runner_exit exit;
        enum control_state state;
        struct turn_outcome outcome;

        /* The record may have been written between the first look and the engine's answer. */
        if (!read_control(runtime, turn, &state, &exit, error))
                return false;
        if (state == CONTROL_ENDED)
                return follower_attach(runtime->follower, turn, error);
        explain(findings, &outcome);
        return follower_end(runtime->follower, turn, &outcome, error);
}

static bool give_up_if_overdue(struct runtime *runtime, struct store_db *db, const struct store_turn *turn,
                               struct error *error)
{
        auto_store_task task = {0};
        struct turn_outcome outcome;
        bool is_found;

        if (!store_task_find_rid(db, turn->task, 0, &task, &is_found, error) || !is_found)
                return false;
        auto_environment *environment = environment_find_rid(runtime->services->environments, task.environment);
        int64_t minutes = environment && environment->file.limits ? environment->file.limits->turnMinutes : 0;
        if (!minutes || clock_now() < turn->started_at + minutes * 60000 + GIVEN_UP_MS)
                return true;
        turn_outcome_of_failure(&outcome, "interrupted", "engine_lost", "agent",
                                "The engine does not answer and the turn is overdue.");
        return follower_end(runtime->follower, turn, &outcome, error);
}

static bool reconcile(struct runtime *runtime, struct store_db *db, const struct store_turn *turn, struct error *error)
{
        struct findings findings = {0};
        struct runner_exit exit;
        bool is_withdrawn;

        if (!read_control(runtime, turn, &findings.control, &exit, error))
                return false;
        if (findings.control == CONTROL_ENDED)
                return follower_attach(runtime->follower, turn, error);
        ask_engine(runtime, turn, &findings);
        bool is_good;
        if (findings.is_engine_silent)
                is_good =
                        follower_attach(runtime->follower, turn, error) && give_up_if_overdue(runtime, db, turn, error);
        else if (findings.is_running)
                is_good = (!turn->stop_kind || turn_signal(runtime, turn, &is_withdrawn, error)) &&
                          follower_attach(runtime->follower, turn, error);
        else
                is_good = end_lost(runtime, turn, &findings, error);
        docker_container_state_clear(&findings.container);
        return is_good;
}

void reconcile_turn(struct runtime *runtime, struct store_db *db, int64_t rid)
{
        auto_store_turn turn = {0};
        auto_error error = {0};
        bool is_found = false;

        if (!store_turn_find(db, rid, &turn, &is_found, &error) ||
            (is_found && !strcmp(turn.state, "running") && !reconcile(runtime, db, &turn, &error)))
                log_error("a turn could not be reconciled", "task", turn.task_id, "reason", error.message);
}

/* Removes containers of ours that no task's row speaks of. */
static void reap_orphans(struct runtime *runtime, struct store_db *db)
{
        auto_docker_container_list list = {0};
        auto_error error = {0};

        if (!docker_container_find(runtime->services->docker, runtime->server_label, &list, &error))
                return;
        for (size_t i = 0; i < list.count; i++) {
                const char *task_id = json_string_value(json_object_get(list.entries[i].labels, LABEL_TASK));
                auto_store_task task = {0};
                auto_store_resource resource = {0};
                bool is_found = false;
                if (!store_task_find(db, task_id ? task_id : "", 0, &task, &is_found, &error) ||
                    (is_found && !store_resource_find(db, "container", task.rid, &resource, &is_found, &error)) ||
                    is_found)
                        continue;
                log_warning("an orphaned container is removed", "container", list.entries[i].name);
                if (!docker_container_remove(runtime->services->docker, list.entries[i].id, true, &error))
                        log_error("an orphaned container could not be removed", "reason", error.message);
        }
}

void reconcile_all(struct runtime *runtime, struct store_db *db)
{
        auto_free int64_t *turns = NULL;
        auto_error error = {0};
        size_t count = 0;

        if (!store_turn_list_unfinished(db, &turns, &count, &error))
                log_error("unfinished turns could not be read", "reason", error.message);
        for (size_t i = 0; i < count; i++)
                reconcile_turn(runtime, db, turns[i]);
        reap_orphans(runtime, db);
}
