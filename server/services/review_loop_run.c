/* A loop, step by step: what follows from what is seen of it, and what that begins. */
#include <string.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/services/review_actor.h"
#include "server/services/review_feedback.h"
#include "server/services/review_send.h"
#include "server/services/review_sight.h"

/* A step that is nothing but a transaction. */
struct stepping {
        const struct review_seen *seen;
        struct store_review_loop to; /* borrows */
        struct store_reviewer added[JUDGE_REVIEWERS_MAXIMUM];
        size_t added_count;
        char ids[JUDGE_REVIEWERS_MAXIMUM][ID_SIZE];
};

static bool step_work(struct store_db *db, void *context, struct error *error)
{
        const struct stepping *stepping = context;
        const struct review_seen *seen = stepping->seen;
        int64_t loop = seen->loop.rid;
        bool is_done;

        if (!store_review_loop_step(db, &stepping->to, &is_done, error))
                return false;
        if (!is_done)
                return error_set(error, ERROR_CANCELLED, "The loop was changed meanwhile.");
        for (size_t i = 0; !strcmp(seen->loop.phase, LOOP_REVIEWING) && i < seen->count; i++)
                if (seen->latest[i]->verdict && !store_review_loop_set_verdict(db, loop, seen->latest[i], error))
                        return false;
        for (size_t i = 0; i < stepping->added_count; i++)
                if (!store_review_loop_add_judge(db, loop, (int64_t)i, &stepping->added[i], error))
                        return false;
        return true;
}

static struct stepping stepping_to(const struct review_seen *seen, const char *phase)
{
        struct stepping stepping = {.seen = seen, .to = seen->loop};

        stepping.to.phase = (char *)phase;
        stepping.to.changed_at = clock_now();
        return stepping;
}

static bool write_step(struct services *services, struct stepping *stepping, struct error *error)
{
        const struct store_review_loop *to = &stepping->to;

        if (!store_write(services->store, step_work, stepping, error))
                return false;
        log_info("a review loop went on", "loop", to->id, "task", to->task_id, "phase", to->phase, "reason",
                 to->stop_reason ? to->stop_reason : "");
        return true;
}

static bool stop(struct services *services, const struct review_seen *seen, const char *reason, const char *message,
                 struct error *error)
{
        struct stepping stepping = stepping_to(seen, LOOP_STOPPED);

        stepping.to.stop_reason = (char *)reason;
        stepping.to.stop_message = (char *)message;
        stepping.to.stopped_at = stepping.to.changed_at;
        return write_step(services, &stepping, error);
}

static void reserve(struct stepping *stepping, const struct store_reviewer *reviewer)
{
        size_t at = stepping->added_count++;

        id_new_task(stepping->to.changed_at, stepping->ids[at]);
        stepping->added[at] = (struct store_reviewer){.agent = reviewer->agent,
                                                      .model = reviewer->model,
                                                      .reasoning_effort = reviewer->reasoning_effort,
                                                      .speed = reviewer->speed,
                                                      .judge_id = stepping->ids[at],
                                                      .round = stepping->to.round,
                                                      .attempt = stepping->to.attempt};
}

static bool reserve_again(struct services *services, const struct review_seen *seen, struct error *error)
{
        struct stepping stepping = stepping_to(seen, LOOP_LAUNCHING);

        stepping.to.attempt = 2;
        for (size_t i = 0; i < seen->count; i++)
                if (!seen->reviews[i].is_usable)
                        reserve(&stepping, seen->latest[i]);
        return write_step(services, &stepping, error);
}

static bool reserve_round(struct services *services, const struct review_seen *seen, struct error *error)
{
        struct stepping stepping = stepping_to(seen, LOOP_LAUNCHING);

        stepping.to.round++;
        stepping.to.attempt = 1;
        stepping.to.feedback = stepping.to.fingerprint = NULL;
        stepping.to.turn = 0;
        for (size_t i = 0; i < seen->count; i++)
                reserve(&stepping, seen->latest[i]);
        return write_step(services, &stepping, error);
}

static bool gather(struct services *services, const struct review_seen *seen, const char *next, struct error *error)
{
        struct stepping stepping = stepping_to(seen, next);
        const struct agent *agent = agent_find_known(seen->variant.agent);
        struct review_said said[JUDGE_REVIEWERS_MAXIMUM];

        for (size_t i = 0; i < seen->count; i++)
                said[i] = (struct review_said){seen->latest[i]->agent, &seen->verdicts[i]};
        auto_free char *text = review_feedback_text(said, seen->count, seen->loop.min_priority,
                                                    !strcmp(next, LOOP_POLISH), agent && agent->is_script);
        stepping.to.feedback = text;
        return write_step(services, &stepping, error);
}

/* In the transaction that makes the reviews: a loop that was stopped meanwhile makes none. */
static bool launched(struct call *call, const struct judge_launched *made, const void *context, struct error *error)
{
        struct stepping *stepping = (struct stepping *)context;

        (void)made;
        return step_work(call->db, stepping, error);
}

static bool launch(struct services *services, struct store_db *db, const struct review_seen *seen, struct error *error)
{
        const struct store_review_loop *loop = &seen->loop;
        struct stepping stepping = stepping_to(seen, LOOP_REVIEWING);
        auto_review_actor owner = {0};
        struct judge_launched made;
        struct judge_order order = {.task_id = loop->task_id,
                                    .instructions = loop->instructions,
                                    .loop = loop->id,
                                    .round = loop->round,
                                    .recorded = launched,
                                    .context = &stepping};

        for (size_t i = 0; i < seen->judges.count && order.reviewer_count < JUDGE_REVIEWERS_MAXIMUM; i++) {
                const struct store_reviewer *judge = &seen->judges.items[i];
                if (judge->round != loop->round || judge->attempt != loop->attempt)
                        continue;
                order.reserved[order.reviewer_count] = judge->judge_id;
                order.reviewers[order.reviewer_count++] =
                        (struct judge_reviewer){judge->agent, judge->model, judge->reasoning_effort, judge->speed};
        }
        if (!review_actor_open(db, loop->owner, &owner, error))
                return false;
        struct call call = review_actor_call(services, db, &owner, loop->source);
        return judge_launch(&call, &order, &made, error);
}

static bool send(struct services *services, struct store_db *db, const struct review_seen *seen, const char *next,
                 struct error *error)
{
        struct stepping stepping = stepping_to(seen, next);
        auto_free char *fingerprint = NULL;

        if (!review_fingerprint(services, db, &seen->loop, &fingerprint, error))
                return false;
        stepping.to.fingerprint = fingerprint;
        return review_send(services, db, &stepping.to, error);
}

/* What a launch or a follow-up that was refused means. */
static const char *reason_of(const struct loop_step *step, enum error_code code)
{
        if (step->action == LOOP_LAUNCH)
                return STOP_JUDGES_FAILED;
        if (code == ERROR_PULL_CONFLICT)
                return STOP_PULL_CONFLICT;
        return strcmp(step->next, LOOP_POLISHING) ? STOP_FOLLOW_UP_FAILED : STOP_POLISH_FAILED;
}

static bool act(struct services *services, struct store_db *db, const struct review_seen *seen,
                const struct loop_step *step, struct error *error)
{
        switch (step->action) {
        case LOOP_LAUNCH:
                return launch(services, db, seen, error);
        case LOOP_SEND:
                return send(services, db, seen, step->next, error);
        case LOOP_AGAIN:
                return reserve_again(services, seen, error);
        case LOOP_ROUND:
                return reserve_round(services, seen, error);
        case LOOP_GO_ON:
                return gather(services, seen, step->next, error);
        case LOOP_STOP:
                return stop(services, seen, step->reason, NULL, error);
        case LOOP_WAIT:
                break;
        }
        return true;
}

/* A step that was refused ends the loop, unless it is to be looked at anew: the task has begun to work meanwhile, say,
 * or another step was taken. */
static bool refused(struct services *services, struct store_db *db, const struct review_seen *seen,
                    const struct loop_step *step, const struct error *failure, struct error *error)
{
        auto_review_seen now = {0};
        bool is_open;

        if (!review_see(services, db, seen->loop.task, &now, &is_open, error))
                return false;
        if (!is_open || now.loop.version != seen->loop.version)
                return true;
        if (review_loop_step(&now.sight).action != step->action)
                return true;
        auto_free char *message = text_format("%s: %s", error_kind(failure->code)->code, failure->message);
        return stop(services, &now, reason_of(step, failure->code), message, error);
}

bool review_loop_take_step(struct services *services, struct store_db *db, int64_t task, bool *is_over, bool *is_again,
                           struct error *error)
{
        auto_review_seen seen = {0};
        auto_error failure = {0};
        bool is_open;

        if (!review_see(services, db, task, &seen, &is_open, error))
                return false;
        struct loop_step step = is_open ? review_loop_step(&seen.sight) : (struct loop_step){0};
        *is_over = step.action == LOOP_WAIT;
        if (*is_over || act(services, db, &seen, &step, &failure) || failure.code == ERROR_CANCELLED)
                return true;
        if (review_error_is_passing(failure.code) || failure.code == ERROR_TASK_BUSY) {
                *is_over = *is_again = true;
                return true;
        }
        if (step.action != LOOP_LAUNCH && step.action != LOOP_SEND)
                return error_move(error, &failure);
        return refused(services, db, &seen, &step, &failure, error);
}

bool review_loop_advance(struct services *services, struct store_db *db, int64_t task, bool *is_again,
                         struct error *error)
{
        bool is_over = false;

        while (!is_over)
                if (!review_loop_take_step(services, db, task, &is_over, is_again, error))
                        return false;
        return true;
}

bool review_loop_source_gone(struct store_db *db, int64_t task, int64_t now, struct error *error)
{
        auto_store_review_loop loop = {0};
        bool is_found, is_done;

        if (!store_review_loop_of_task(db, task, &loop, &is_found, error))
                return false;
        if (!is_found || !strcmp(loop.phase, LOOP_STOPPED))
                return true;
        struct store_review_loop stopped = loop;
        stopped.phase = (char *)LOOP_STOPPED;
        stopped.stop_reason = (char *)SOURCE_DELETED;
        stopped.stopped_at = stopped.changed_at = now;
        return store_review_loop_step(db, &stopped, &is_done, error);
}
