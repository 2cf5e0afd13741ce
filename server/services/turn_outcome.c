#include "server/services/runtime_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "server/base/clock.h"

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
        outcome->is_untold = !strcmp(stage, "launch");
        if (outcome->is_untold) {
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
                                         .is_untold = is_launch,
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

void turn_outcome_of_stop(struct turn_outcome *outcome, const struct store_turn *turn)
{
        *outcome = (struct turn_outcome){.task_status = "interrupted",
                                         .type = !strcmp(turn->stop_kind, "stop") ? "stopped" : "interrupted",
                                         .is_untold = true,
                                         .ended_at = clock_now()};
}

const char *turn_outcome_message(const struct turn_outcome *outcome)
{
        if (!outcome->stage)
                return NULL;
        return outcome->words ? outcome->words : outcome->message;
}

/* Only an agent that ended by itself is asked: what we ended has our reason. */
void turn_outcome_of_stream(struct turn_outcome *outcome, const struct stream_summary *summary, bool tells_end)
{
        const struct stream_failure *cause = stream_summary_cause(summary);
        bool is_success = !strcmp(outcome->type, "finished"), is_exit = !strcmp(outcome->type, "exit_code");
        bool is_cut = is_success && tells_end && !summary->is_over;

        if (is_success ? !summary->is_failed && !is_cut : !is_exit || !cause)
                return;
        outcome->task_status = "failed";
        outcome->type = cause && cause->type ? cause->type : is_cut ? "no_result" : "agent_error";
        outcome->stage = "agent";
        outcome->category = cause ? cause->category : "unknown";
        outcome->words = cause    ? cause->message
                         : is_cut ? "The agent ended with exit code 0 but did not say that its turn was over."
                                  : "The agent told of a failure without saying which.";
}
