#include "server/services/runtime_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/services/event_log.h"
#include "server/services/metrics.h"
#include "server/services/slot.h"
#include "server/services/task_paths.h"
#include "server/services/task_view.h"

/* What each way of ending means. Only a real exit code 0 is success. */
static const struct {
        const char *status, *type, *stage, *category, *sentence;
} endings[RUNNER_REASON_COUNT] = {
        [RUNNER_EXITED] = {"failed", "exit_code", "agent", "unknown", "The agent ended with exit code"},
        [RUNNER_SIGNALED] = {"failed", "signal", "agent", "unknown", "The agent was ended by a signal."},
        [RUNNER_STOPPED] = {"interrupted", "stopped", NULL, NULL, ""},
        [RUNNER_INTERRUPTED] = {"interrupted", "interrupted", NULL, NULL, ""},
        [RUNNER_TIME_LIMIT] = {"failed", "time_limit", "agent", "timeout", "The turn ran out of time."},
        [RUNNER_OUT_OF_MEMORY] = {"failed", "out_of_memory", "agent", "unknown",
                                  "The container ran out of memory and the kernel ended a process of it."},
        [RUNNER_DISK_FULL] = {"failed", "disk_full", "agent", "unknown",
                              "The disk is full: the agent's output could not be recorded further."},
        [RUNNER_LAUNCH_FAILURE] = {"failed", "launch_failure", "launch", "setup", "The agent could not be started."},
        [RUNNER_LOST] = {"interrupted", "runner_lost", "agent", "unknown",
                         "The run's supervisor ended before it; the outcome is not known."},
        [RUNNER_CONTAINER_STOPPED] = {"interrupted", "container_stopped", "agent", "unknown",
                                      "The container was stopped while the turn ran."},
};

void turn_outcome_of_failure(struct turn_outcome *outcome, const char *status, const char *type, const char *stage,
                             const char *message, ...)
{
        va_list arguments;

        *outcome = (struct turn_outcome){.task_status = status,
                                         .type = type,
                                         .stage = stage,
                                         .category = strcmp(stage, "launch") ? "unknown" : "setup",
                                         .ended_at = clock_now()};
        if (!strcmp(stage, "launch")) {
                outcome->has_exit_code = true;
                outcome->exit_code = -1;
        }
        va_start(arguments, message);
        vsnprintf(outcome->message, sizeof outcome->message, message, arguments);
        va_end(arguments);
}

void turn_outcome_of_exit(const struct runner_exit *exit, struct turn_outcome *outcome)
{
        bool is_success = exit->reason == RUNNER_EXITED && exit->code == 0;
        bool is_launch = exit->reason == RUNNER_LAUNCH_FAILURE;

        *outcome = (struct turn_outcome){.task_status = is_success ? "completed" : endings[exit->reason].status,
                                         .type = is_success ? "finished" : endings[exit->reason].type,
                                         .has_exit_code = exit->code >= 0 || exit->signal || is_launch,
                                         .exit_code = is_launch         ? -1
                                                      : exit->code >= 0 ? exit->code
                                                                        : 128 + exit->signal,
                                         .signal = exit->signal,
                                         .stage = is_success ? NULL : endings[exit->reason].stage,
                                         .category = is_success ? NULL : endings[exit->reason].category,
                                         .ended_at = exit->finished_at ? exit->finished_at : clock_now()};
        if (!outcome->stage)
                return;
        if (exit->reason == RUNNER_EXITED)
                snprintf(outcome->message, sizeof outcome->message, "%s %" PRId64 ".", endings[exit->reason].sentence,
                         exit->code);
        else
                snprintf(outcome->message, sizeof outcome->message, "%s%s%s", endings[exit->reason].sentence,
                         *exit->message ? " " : "", exit->message);
}

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
        if (!store_task_find_rid(db, ending->turn->task, 0, &task, &is_found, error) || !is_found)
                return false;
        if (ending->reply &&
            (!store_reply_put(db, ending->turn->rid, ending->reply, ending->characters, ending->replied_at, error) ||
             !store_task_set_reply(db, task.rid, ending->turn->rid, error)))
                return false;
        return store_task_finish(db, task.rid, ending->turn->rid, outcome->task_status, outcome->ended_at, exit_code,
                                 &is_done, error) &&
               add_usage(db, ending, &task, error) &&
               store_job_delete_of_turn(db, "launch", ending->turn->rid, error) &&
               store_job_delete_of_turn(db, "check", ending->turn->rid, error) && slot_fill(db, clock_now(), error);
}

/* What the raw files still hold becomes events; a failure to write them loses nothing of the raw output. */
static void close_events(const struct store_turn *turn, const struct agent *agent, const char *records,
                         const struct turn_outcome *outcome)
{
        auto_error error = {0};
        struct event_log *log = event_log_open(records, turn->ordinal, agent->format, &error);
        bool is_whole = log && event_log_user(log, turn->shown, turn->submitted_at, &error) &&
                        event_log_ingest(log, true, &error) &&
                        (!outcome->stage || event_log_failure(log, outcome->message, outcome->category, &error));

        event_log_close(log);
        if (!is_whole)
                log_warning("the events of a turn are not whole; its raw output is", "task", turn->task_id, "reason",
                            error.message);
}

bool turn_end(struct runtime *runtime, const struct store_turn *turn, const struct turn_outcome *outcome,
              struct error *error)
{
        auto_free char *records = task_path_records(runtime->services->data_folder, turn->task_id), *reply = NULL;
        const struct agent *agent = agent_find(turn->agent);
        struct ending ending = {.turn = turn, .outcome = outcome};
        auto_error no_reply = {0};

        if (agent) {
                close_events(turn, agent, records, outcome);
                reply = event_log_reply(records, turn->ordinal, agent->format, REPLY_KEPT_CHARACTERS, &ending.characters,
                                        &ending.replied_at, &no_reply);
        }
        if (no_reply.code)
                return error_move(error, &no_reply);
        ending.reply = reply;
        if (!RUNTIME_WRITE(runtime, end_work, &ending, error))
                return false;
        if (turn->started_at)
                metrics_observe(METRIC_TURN_SECONDS, outcome->ended_at - turn->started_at);
        log_info("turn ended", "task", turn->task_id, "type", outcome->type, "status", outcome->task_status);
        job_wake(runtime);
        return true;
}
