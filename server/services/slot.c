#include "server/services/slot.h"

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

static bool launch(struct store_db *db, int64_t task, int64_t turn, int follow_ups, int64_t now, bool *is_done,
                   struct error *error)
{
        return store_task_begin(db, task, "running", turn, now, follow_ups, now, is_done, error) &&
               set_turn_state(db, turn, "launching", error) && store_job_add(db, "launch", task, turn, now, now, error);
}

bool slot_start(struct store_db *db, int64_t task, int64_t turn, int follow_ups, int64_t now, const char **status,
                struct error *error)
{
        bool has_slot, is_done;

        if (!is_free(db, &has_slot, error))
                return false;
        *status = has_slot ? "running" : "queued";
        if (has_slot) {
                if (!launch(db, task, turn, follow_ups, now, &is_done, error))
                        return false;
        } else if (!store_task_begin(db, task, "queued", turn, 0, follow_ups, now, &is_done, error) ||
                   !set_turn_state(db, turn, "waiting", error)) {
                return false;
        }
        return is_done || error_set(error, ERROR_TASK_BUSY, NULL);
}

bool slot_fill(struct store_db *db, int64_t now, struct error *error)
{
        for (;;) {
                auto_store_task task = {0};
                bool has_slot, is_found, is_done;
                int64_t next;
                if (!is_free(db, &has_slot, error) || !store_task_next_queued(db, &next, error))
                        return false;
                if (!has_slot || !next)
                        return true;
                if (!store_task_find_rid(db, next, 0, &task, &is_found, error) ||
                    !launch(db, next, task.turn, 0, now, &is_done, error))
                        return false;
        }
}
