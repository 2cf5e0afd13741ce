#include "server/services/review_rules.h"

#include <string.h>

const char *const loop_phases[] = {LOOP_LAUNCHING, LOOP_REVIEWING, LOOP_FEEDBACK, LOOP_IMPROVING,
                                   LOOP_POLISH,    LOOP_POLISHING, LOOP_STOPPED,  NULL};
const char *const loop_stop_reasons[] = {
        STOP_PASSED,          STOP_PASSED_AFTER_POLISH, STOP_POLISH_FAILED, STOP_POLISH_INTERRUPTED,
        STOP_MAX_ROUNDS,      STOP_NO_CHANGES,          STOP_NO_FEEDBACK,   STOP_JUDGES_FAILED,
        STOP_JUDGE_CANCELLED, STOP_FOLLOW_UP_FAILED,    STOP_PULL_CONFLICT, STOP_BY_PERSON,
        SOURCE_FAILED,        SOURCE_INTERRUPTED,       SOURCE_DELETED,     NULL};

static bool is(const char *a, const char *b)
{
        return !strcmp(a, b);
}

static bool is_at_work(const char *status)
{
        return is(status, "running") || is(status, "queued");
}

/* Why what is not at work cannot be reviewed; NULL when it can. */
static const char *fault_of(const char *status)
{
        return is(status, "failed") ? SOURCE_FAILED : is(status, "interrupted") ? SOURCE_INTERRUPTED : NULL;
}

static const char *refusal_of(const struct review_source *source)
{
        if (source->is_gone)
                return SOURCE_DELETED;
        if (source->is_excluded || is(source->status, "staged"))
                return SOURCE_INELIGIBLE;
        return fault_of(source->status);
}

enum request_step review_request_step(const struct review_source *sources, size_t count, const char **reason)
{
        bool is_waiting = false;

        for (size_t i = 0; i < count; i++) {
                *reason = refusal_of(&sources[i]);
                if (*reason)
                        return REQUEST_CANCEL;
                is_waiting = is_waiting || is_at_work(sources[i].status) || sources[i].is_queue_active;
        }
        return is_waiting ? REQUEST_WAIT : REQUEST_LAUNCH;
}

static struct loop_step stop(const char *reason)
{
        return (struct loop_step){LOOP_STOP, LOOP_STOPPED, reason};
}

static struct loop_step go(enum loop_action action, const char *next)
{
        return (struct loop_step){action, next, NULL};
}

/* Once every review of the round is over. */
static struct loop_step after_round(const struct loop_sight *sight)
{
        bool is_missing = false, is_passed = true, is_qualifying = false;

        for (size_t i = 0; i < sight->review_count; i++) {
                const struct loop_review *review = &sight->reviews[i];
                if (review->is_cancelled)
                        return stop(STOP_JUDGE_CANCELLED);
                is_missing = is_missing || !review->is_usable;
                is_passed = is_passed && review->is_pass;
                is_qualifying = is_qualifying || review->qualifying > 0;
        }
        if (is_missing)
                return sight->attempt < 2 ? go(LOOP_AGAIN, LOOP_LAUNCHING) : stop(STOP_JUDGES_FAILED);
        if (is_passed)
                return is_qualifying ? go(LOOP_GO_ON, LOOP_POLISH) : stop(STOP_PASSED);
        if (sight->round >= sight->max_rounds)
                return stop(STOP_MAX_ROUNDS);
        return is_qualifying ? go(LOOP_GO_ON, LOOP_FEEDBACK) : stop(STOP_NO_FEEDBACK);
}

static struct loop_step while_reviewing(const struct loop_sight *sight)
{
        for (size_t i = 0; i < sight->review_count; i++)
                if (sight->reviews[i].is_open)
                        return go(LOOP_WAIT, sight->phase);
        return after_round(sight);
}

static struct loop_step while_improving(const struct loop_sight *sight)
{
        const char *fault = fault_of(sight->source_status);

        if (sight->turn == TURN_OPEN)
                return go(LOOP_WAIT, sight->phase);
        if (sight->turn == TURN_FAILED)
                return stop(STOP_FOLLOW_UP_FAILED);
        if (sight->turn == TURN_INTERRUPTED)
                return stop(SOURCE_INTERRUPTED);
        /* What somebody else has sent meanwhile is part of the next round. */
        if (is_at_work(sight->source_status))
                return go(LOOP_WAIT, sight->phase);
        if (fault)
                return stop(fault);
        return sight->is_unchanged ? stop(STOP_NO_CHANGES) : go(LOOP_ROUND, LOOP_LAUNCHING);
}

static struct loop_step while_polishing(const struct loop_sight *sight)
{
        static const char *const reasons[] = {[TURN_GOOD] = STOP_PASSED_AFTER_POLISH,
                                              [TURN_FAILED] = STOP_POLISH_FAILED,
                                              [TURN_INTERRUPTED] = STOP_POLISH_INTERRUPTED};

        return sight->turn == TURN_OPEN ? go(LOOP_WAIT, sight->phase) : stop(reasons[sight->turn]);
}

struct loop_step review_loop_step(const struct loop_sight *sight)
{
        if (is(sight->phase, LOOP_STOPPED))
                return go(LOOP_WAIT, LOOP_STOPPED);
        if (sight->is_source_gone)
                return stop(SOURCE_DELETED);
        if (is(sight->phase, LOOP_IMPROVING))
                return while_improving(sight);
        if (is(sight->phase, LOOP_POLISHING))
                return while_polishing(sight);
        if (fault_of(sight->source_status))
                return stop(fault_of(sight->source_status));
        if (is(sight->phase, LOOP_REVIEWING))
                return while_reviewing(sight);
        if (is_at_work(sight->source_status))
                return go(LOOP_WAIT, sight->phase);
        if (is(sight->phase, LOOP_LAUNCHING))
                return go(LOOP_LAUNCH, LOOP_REVIEWING);
        return go(LOOP_SEND, is(sight->phase, LOOP_POLISH) ? LOOP_POLISHING : LOOP_IMPROVING);
}

bool review_loop_may_continue(const char *phase, const char *reason)
{
        return is(phase, LOOP_STOPPED) && is(reason, STOP_MAX_ROUNDS);
}
