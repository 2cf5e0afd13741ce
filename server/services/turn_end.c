#include "server/services/runtime_parts.h"

#include <string.h>

#include "docker/runner/control.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/event_log.h"
#include "server/services/feed.h"
#include "server/services/metrics.h"
#include "server/services/reader.h"
#include "server/services/slot.h"
#include "server/services/task_paths.h"
#include "server/services/vault.h"
#include "server/services/task_view.h"

struct ending {
        const struct store_turn *turn;
        const struct turn_outcome *outcome;
        const char *reply;
        int64_t characters, replied_at;
};

static bool add_usage(struct store_db *db, const struct ending *ending, const struct store_task *task,
                      struct error *error)
{
        const struct store_turn *turn = ending->turn;
        struct store_usage usage = {.at = ending->outcome->ended_at,
                                    .task_id = task->id,
                                    .turn_ordinal = turn->ordinal,
                                    .environment_id = task->environment_id,
                                    .user_id = turn->sender_id,
                                    .agent = turn->agent,
                                    .duration_ms = turn->started_at ? ending->outcome->ended_at - turn->started_at : 0};

        return store_usage_add(db, &usage, error);
}

static bool drop_jobs(struct store_db *db, const struct store_turn *turn, struct error *error)
{
        static const char *const kinds[] = {"launch", "check", "deadline"};

        for (size_t i = 0; i < COUNT_OF(kinds); i++)
                if (!store_job_delete_of_turn(db, kinds[i], turn->rid, error))
                        return false;
        return true;
}

/* Whoever stopped the task asked for the end of its container too; that must happen whether or not they wait for it. */
static bool add_stop(struct store_db *db, const struct store_turn *turn, struct error *error)
{
        auto_store_turn now = {0};
        int64_t at = clock_now();
        bool is_found;

        if (!store_turn_find(db, turn->rid, &now, &is_found, error))
                return false;
        return !is_found || !now.stop_kind || strcmp(now.stop_kind, "stop") ||
               store_job_add(db, "stop", turn->task, turn->rid, at, at, error);
}

static bool end_work(struct store_db *db, void *context, struct error *error)
{
        const struct ending *ending = context;
        const struct turn_outcome *outcome = ending->outcome;
        const int64_t *exit_code = outcome->has_exit_code ? &outcome->exit_code : NULL;
        auto_store_task task = {0};
        struct store_turn_end end = {.ended_at = outcome->ended_at,
                                     .type = outcome->type,
                                     .exit_code = exit_code,
                                     .signal = outcome->signal,
                                     .failure_stage = outcome->stage,
                                     .failure_category = outcome->category,
                                     .failure_message = outcome->stage ? outcome->message : NULL};
        bool is_done, is_found;

        if (!store_turn_end(db, ending->turn->rid, &end, &is_done, error))
                return false;
        if (!is_done)
                return true;
        if (!store_task_find_rid(db, ending->turn->task, 0, &task, &is_found, error))
                return false;
        if (!is_found)
                return error_set(error, ERROR_TASK_NOT_FOUND, NULL);
        if (ending->reply &&
            (!store_reply_put(db, ending->turn->rid, ending->reply, ending->characters, ending->replied_at, error) ||
             !store_task_set_reply(db, task.rid, ending->turn->rid, error)))
                return false;
        return store_task_finish(db, task.rid, ending->turn->rid, outcome->task_status, outcome->ended_at, exit_code,
                                 &is_done, error) &&
               add_usage(db, ending, &task, error) && drop_jobs(db, ending->turn, error) &&
               add_stop(db, ending->turn, error) && slot_fill(db, clock_now(), error);
}

/* What the raw files still hold becomes events; a failure to write them loses nothing of the raw output. */
static void close_events(const struct store_turn *turn, const struct agent *agent, const char *records,
                         const struct turn_outcome *outcome)
{
        auto_error error = {0};
        struct event_log *log = event_log_open(records, turn->ordinal, agent->format, &error);
        bool is_whole = log && event_log_user(log, turn->shown, turn->submitted_at, &error) &&
                        event_log_finish(log, &error) &&
                        (!outcome->stage || event_log_failure(log, outcome->message, outcome->category, &error));

        event_log_close(log);
        if (!is_whole)
                log_warning("the events of a turn are not whole; its raw output is", "task", turn->task_id, "reason",
                            error.message);
}

static bool is_ended(struct runtime *runtime, int64_t rid, bool *result, struct error *error)
{
        struct store_db *db = services_reader(runtime->services, error);
        auto_store_turn turn = {0};
        bool is_found = false;

        if (!db || !store_turn_find(db, rid, &turn, &is_found, error))
                return false;
        *result = !is_found || !strcmp(turn.state, "ended");
        return true;
}

/* The records' folder is made for a turn that never came to have one; where it cannot be, nothing is read from it. A
 * reply that cannot be read must not keep the turn from ending. */
static bool record(struct runtime *runtime, const struct store_turn *turn, const struct turn_outcome *outcome,
                   struct error *error)
{
        auto_free char *records = task_path_records(runtime->services->data_folder, turn->task_id), *reply = NULL;
        const struct agent *agent = agent_find(turn->agent);
        struct ending ending = {.turn = turn, .outcome = outcome};
        auto_error failure = {0};

        if (agent && path_make_folder(records, 0700, &failure)) {
                close_events(turn, agent, records, outcome);
                feed_events_grown(runtime->services->feed, turn->task_id);
                reply = event_log_reply(records, turn->ordinal, agent->format, REPLY_KEPT_CHARACTERS,
                                        &ending.characters, &ending.replied_at, &failure);
        }
        if (failure.code)
                log_error("the reply of a turn could not be read", "task", turn->task_id, "reason", failure.message);
        ending.reply = reply;
        return RUNTIME_WRITE(runtime, end_work, &ending, error);
}

/* What the turn was given does not stay on the disk. */
static void remove_secrets(const struct services *services, const struct store_turn *turn)
{
        auto_free char *control = task_path_control(services->data_folder, turn->task_id),
                       *run = turn_run_id(turn->ordinal);
        auto_error error = {0};

        if (!secret_files_remove(services, turn->task_id, &error) || !control_forget_request(control, run, &error))
                log_warning("the secrets of a turn could not be removed", "task", turn->task_id, "reason",
                            error.message);
}

bool turn_end(struct runtime *runtime, const struct store_turn *turn, const struct turn_outcome *outcome,
              struct error *error)
{
        bool is_over = false, is_good;

        /* Whoever comes second finds it ended, and its events are written once. */
        number_set_lock(runtime, &runtime->turns_ending, turn->rid);
        is_good = is_ended(runtime, turn->rid, &is_over, error);
        /* Before the record, which lets the next turn begin. */
        if (is_good && !is_over)
                remove_secrets(runtime->services, turn);
        is_good = is_good && (is_over || record(runtime, turn, outcome, error));
        number_set_unlock(runtime, &runtime->turns_ending, turn->rid);
        if (!is_good || is_over)
                return is_good;
        if (turn->started_at)
                metrics_observe(METRIC_TURN_SECONDS, outcome->ended_at - turn->started_at);
        log_info("turn ended", "task", turn->task_id, "type", outcome->type, "status", outcome->task_status);
        return true;
}
