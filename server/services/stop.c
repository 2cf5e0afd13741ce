#include "server/services/runtime_parts.h"

#include <stdio.h>
#include <string.h>

#include "docker/runner/control.h"
#include "server/base/clock.h"
#include "server/services/task_paths.h"

bool turn_signal(struct runtime *runtime, const struct store_turn *turn, bool *is_withdrawn, struct error *error)
{
        auto_free char *control = task_path_control(runtime->services->data_folder, turn->task_id),
                       *run = turn_run_id(turn->ordinal);
        struct runner_stop stop = {.reason = !strcmp(turn->stop_kind, "stop") ? RUNNER_STOP : RUNNER_INTERRUPT,
                                   .grace = settings_current()->stop_grace_seconds * 1000};

        if (!control_withdraw(control, run, is_withdrawn, error))
                return false;
        if (*is_withdrawn)
                return true;
        snprintf(stop.run, sizeof stop.run, "%s", run);
        return control_stop(control, &stop, error);
}

/* Waits until what `is_over` looks at is so; false when it is not by `until` (clock_monotonic), or cannot be told. */
static bool wait_for(struct runtime *runtime, struct store_db *db, int64_t rid, int64_t until,
                     bool (*is_over)(struct store_db *db, int64_t rid, bool *result, struct error *error))
{
        for (;;) {
                uint64_t seen = runtime_wakes(runtime);
                auto_error error = {0};
                bool result = false;
                if (!is_over(db, rid, &result, &error) || result)
                        return result;
                if (!runtime_sleep(runtime, seen, until))
                        return false;
        }
}

static bool turn_is_over(struct store_db *db, int64_t rid, bool *result, struct error *error)
{
        auto_store_turn turn = {0};
        bool is_found;

        if (!store_turn_find(db, rid, &turn, &is_found, error))
                return false;
        *result = !is_found || !strcmp(turn.state, "ended");
        return true;
}

static bool container_is_stopped(struct store_db *db, int64_t task, bool *result, struct error *error)
{
        auto_store_resource resource = {0};
        bool is_found;

        if (!store_resource_find(db, "container", task, &resource, &is_found, error))
                return false;
        *result = !is_found || resource.stopped_at;
        return true;
}

bool runtime_wait_turn(struct runtime *runtime, struct store_db *db, int64_t turn, int64_t until)
{
        return wait_for(runtime, db, turn, until, turn_is_over);
}

bool runtime_wait_stopped(struct runtime *runtime, struct store_db *db, int64_t task, int64_t until)
{
        return wait_for(runtime, db, task, until, container_is_stopped);
}
