#include "server/services/runtime_parts.h"

#include <stdio.h>
#include <string.h>

#include "docker/runner/control.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/services/reader.h"
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

void runtime_signal_turn(struct runtime *runtime, int64_t rid)
{
        auto_error error = {0};
        auto_store_turn turn = {0};
        struct store_db *db = services_reader(runtime->services, &error);
        bool is_found = false, is_withdrawn;

        if (!db || !store_turn_find(db, rid, &turn, &is_found, &error))
                log_error("a turn could not be stopped", "reason", error.message);
        /* A launch in progress looks at the stop itself before and after it requests the run. */
        if (is_found && turn.stop_kind && !strcmp(turn.state, "running") &&
            !turn_signal(runtime, &turn, &is_withdrawn, &error))
                log_error("a turn could not be stopped", "task", turn.task_id, "reason", error.message);
        reconcile_turn(runtime, db, rid);
}

bool runtime_wait_turn(struct runtime *runtime, struct store_db *db, int64_t rid, int64_t timeout_ms)
{
        int64_t until = clock_now() + timeout_ms;
        struct timespec deadline = {.tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000};

        for (;;) {
                auto_store_turn turn = {0};
                auto_error error = {0};
                bool is_found;
                pthread_mutex_lock(&runtime->mutex);
                uint64_t seen = runtime->wakes;
                pthread_mutex_unlock(&runtime->mutex);
                if (!store_turn_find(db, rid, &turn, &is_found, &error) || !is_found || !strcmp(turn.state, "ended"))
                        return !error.code;
                pthread_mutex_lock(&runtime->mutex);
                int outcome = 0;
                while (runtime->wakes == seen && !outcome && !atomic_load(&runtime->is_stopping))
                        outcome = pthread_cond_timedwait(&runtime->changed, &runtime->mutex, &deadline);
                pthread_mutex_unlock(&runtime->mutex);
                if (outcome || atomic_load(&runtime->is_stopping))
                        return false;
        }
}
