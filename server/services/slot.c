#include "server/services/slot.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/admission.h"
#include "server/services/spend.h"
#include "server/store/turn.h"
#include "server/store/work.h"

static bool has_free(struct store_db *db, bool *result, struct error *error)
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
               store_job_add(db, "launch", task->rid, task->turn, 0, error);
}

bool slot_fill(const struct services *services, struct store_db *db, int64_t now, struct error *error)
{
        auto_admission admission = {0};
        bool has_slot, is_found;
        int64_t next;

        if (!has_free(db, &has_slot, error))
                return false;
        if (!has_slot)
                return true;
        if (!admission_open(services, db, now, &admission, error))
                return false;
        for (;;) {
                auto_store_task task = {0};
                if (!admission_next(&admission, &next, error))
                        return false;
                if (!next)
                        return true;
                if (!store_task_find_rid(db, next, 0, &task, &is_found, error) || !launch(db, &task, now, error))
                        return false;
        }
}

bool slot_start(const struct services *services, struct store_db *db, int64_t task, int64_t turn, int follow_ups,
                int64_t now, const char **status, struct error *error)
{
        auto_store_task queued = {0};
        bool is_done, is_found;

        if (!store_task_begin(db, task, "queued", turn, 0, follow_ups, now, &is_done, error) ||
            !set_turn_state(db, turn, "waiting", error))
                return false;
        if (!is_done)
                return error_set(error, ERROR_TASK_BUSY, NULL);
        if (!slot_fill(services, db, now, error) || !store_task_find_rid(db, task, 0, &queued, &is_found, error))
                return false;
        *status = is_found && !strcmp(queued.status, "running") ? "running" : "queued";
        return true;
}

/* The words of the reasons; what each is about says its sentence. */
static const struct {
        const char *reason, *sentence;
} holds[] = {
        [ADMISSION_FREE] = {"slots", "All slots of the server are taken."},
        [ADMISSION_USER] = {"user_limit", "As many of the person's tasks run as may."},
        [ADMISSION_ENVIRONMENT] = {"environment_limit", "As many of the environment's tasks run as may."},
        [ADMISSION_AGENT] = {"agent_limit", "As many tasks of the agent run as may."},
        [ADMISSION_ACCOUNT] = {"account_limit", "The provider of the agent's account has told a usage limit."},
        [ADMISSION_USER_SPEND] = {"user_spend_limit", "The person's spend limit is reached."},
        [ADMISSION_ENVIRONMENT_SPEND] = {"environment_spend_limit", "The environment's spend limit is reached."},
};

static bool is_lane_of(const struct admission_lane *lane, const struct store_task *task, int64_t user)
{
        return lane->row.user == user && lane->row.owner == task->creator &&
               lane->row.environment == task->environment && !strcmp(lane->row.agent, task->agent);
}

bool slot_explain(struct call *call, const struct store_task *task, json_t **reason, struct error *error)
{
        auto_admission admission = {0};
        auto_store_turn turn = {0};
        enum admission_hold hold = ADMISSION_FREE;
        int64_t until = 0;
        bool is_found;

        if (!store_turn_find(call->db, task->turn, &turn, &is_found, error) ||
            !admission_open(call->services, call->db, call->now, &admission, error))
                return false;
        for (size_t i = 0; i < admission.waiting_count; i++) {
                const struct admission_lane *lane = &admission.waiting[i];
                if (!is_lane_of(lane, task, turn.sender ? turn.sender : task->creator))
                        continue;
                hold = admission_hold_of(&admission, lane);
                until = hold == lane->hold ? lane->until : 0;
        }
        if (hold == ADMISSION_FREE && task->cost_micros >= spend_task_limit())
                *reason = json_pack("{s:s, s:s}", "reason", "task_spend_limit", "message",
                                    "The task's spend limit is reached.");
        else
                *reason = json_pack("{s:s, s:s}", "reason", holds[hold].reason, "message", holds[hold].sentence);
        json_object_set_new(*reason, "until", document_time(until));
        return true;
}
