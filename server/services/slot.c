#include "server/services/slot.h"

#include <string.h>

#include "server/store/turn.h"
#include "server/store/work.h"

static bool is_free(struct store_db *db, bool *result, struct error *error)
{
        int64_t running;

        if (!store_task_count_running(db, &running, error))
                return false;
        *result = running < settings_current()->task_concurrency;
        return true;
}

/* Moves a turn into `state` from whichever state before a launch it is in. */
static bool set_turn_state(struct store_db *db, int64_t turn, const char *state, struct error *error)
{
        bool is_done;

        return store_turn_set_state(db, turn, "staged", state, 0, &is_done, error) &&
               (is_done || store_turn_set_state(db, turn, "waiting", state, 0, &is_done, error));
}

/* Gives a slot to a task that waits for one. */
static bool launch(struct store_db *db, const struct store_task *task, int64_t now, struct error *error)
{
        bool is_done;

        return store_task_begin(db, task->rid, "running", task->turn, now, 0, now, &is_done, error) &&
               set_turn_state(db, task->turn, "launching", error) &&
               store_job_add(db, "launch", task->rid, task->turn, now, now, error);
}

bool slot_fill(struct store_db *db, int64_t now, struct error *error)
{
        for (;;) {
                auto_store_task task = {0};
                bool has_slot, is_found;
                int64_t next;
                if (!is_free(db, &has_slot, error) || !store_task_next_queued(db, &next, error))
                        return false;
                if (!has_slot || !next)
                        return true;
                if (!store_task_find_rid(db, next, 0, &task, &is_found, error) || !launch(db, &task, now, error))
                        return false;
        }
}

bool slot_start(struct store_db *db, int64_t task, int64_t turn, int follow_ups, int64_t now, const char **status,
                struct error *error)
{
        auto_store_task queued = {0};
        bool is_done, is_found;

        if (!store_task_begin(db, task, "queued", turn, 0, follow_ups, now, &is_done, error) ||
            !set_turn_state(db, turn, "waiting", error))
                return false;
        if (!is_done)
                return error_set(error, ERROR_TASK_BUSY, NULL);
        if (!slot_fill(db, now, error) || !store_task_find_rid(db, task, 0, &queued, &is_found, error))
                return false;
        *status = is_found && !strcmp(queued.status, "running") ? "running" : "queued";
        return true;
}
