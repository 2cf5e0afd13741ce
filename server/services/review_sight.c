#include "server/services/review_sight.h"

#include <string.h>

#include "server/services/review_feedback.h"
#include "server/services/review_send.h"
#include "server/store/turn.h"

void review_seen_clear(struct review_seen *seen)
{
        store_review_loop_clear(&seen->loop);
        store_task_clear(&seen->variant);
        store_reviewers_clear(&seen->judges);
        for (size_t i = 0; i < JUDGE_REVIEWERS_MAXIMUM; i++)
                verdict_clear(&seen->verdicts[i]);
}

static bool is_at_work(const struct store_task *task)
{
        return !strcmp(task->status, "running") || !strcmp(task->status, "queued");
}

/* The later attempt of a reviewer takes the place of the earlier. */
static void take_latest(struct review_seen *seen)
{
        for (size_t i = 0; i < seen->judges.count; i++) {
                struct store_reviewer *judge = &seen->judges.items[i];
                size_t at = 0;
                if (judge->round != seen->loop.round)
                        continue;
                while (at < seen->count && strcmp(seen->latest[at]->agent, judge->agent) != 0)
                        at++;
                if (at == JUDGE_REVIEWERS_MAXIMUM)
                        continue;
                seen->latest[at] = judge;
                seen->count += at == seen->count;
        }
}

static int64_t qualifying(const struct store_reviewer *judge, const char *min_priority)
{
        int least = verdict_priority(min_priority);

        return judge->high + (least <= 1 ? judge->medium : 0) + (least <= 0 ? judge->low : 0);
}

/* What a review that is over has come to. Only one that ended well has a verdict; one that a person ended was not meant
 * to have any. */
static bool rate(struct services *services, struct store_db *db, struct review_seen *seen, size_t at,
                 const struct store_task *task, struct error *error)
{
        struct loop_review *review = &seen->reviews[at];
        struct store_reviewer *judge = seen->latest[at];
        auto_store_turn turn = {0};
        bool is_found;

        if (strcmp(task->status, "completed") != 0) {
                if (!store_turn_find(db, task->turn, &turn, &is_found, error))
                        return false;
                review->is_cancelled = is_found && turn.stop_kind;
                return true;
        }
        if (!verdict_read(services, db, task, &seen->verdicts[at], error))
                return false;
        review->is_usable = verdict_is_usable(&seen->verdicts[at]);
        if (!review->is_usable)
                return true;
        free(judge->verdict);
        judge->verdict = text_copy(seen->verdicts[at].verdict);
        review_feedback_count(&seen->verdicts[at], &judge->high, &judge->medium, &judge->low);
        review->is_pass = !strcmp(judge->verdict, VERDICT_PASS);
        review->qualifying = qualifying(judge, seen->loop.min_priority);
        return true;
}

static bool see_reviews(struct services *services, struct store_db *db, struct review_seen *seen, struct error *error)
{
        for (size_t i = 0; i < seen->count; i++) {
                auto_store_task task = {0};
                bool is_found;
                if (!store_task_find(db, seen->latest[i]->judge_id, 0, &task, &is_found, error))
                        return false;
                seen->reviews[i].is_cancelled = !is_found;
                seen->reviews[i].is_open = is_found && is_at_work(&task);
                if (is_found && !seen->reviews[i].is_open && !rate(services, db, seen, i, &task, error))
                        return false;
        }
        return true;
}

/* How the loop's own turn has gone. The task tells it as long as it is the latest; what went wrong is also in the turn.
 */
static bool see_turn(struct store_db *db, struct review_seen *seen, struct error *error)
{
        const char *status = seen->variant.status;
        auto_store_turn turn = {0};
        bool is_found;

        if (!store_turn_find(db, seen->loop.turn, &turn, &is_found, error))
                return false;
        bool is_latest = is_found && seen->variant.turn == turn.rid && !is_at_work(&seen->variant);
        bool is_good =
                is_latest ? !strcmp(status, "completed")
                          : !turn.failure_stage && is_found && !strcmp(turn.end_type ? turn.end_type : "", "finished");
        bool is_failed = is_latest ? !strcmp(status, "failed") : turn.failure_stage != NULL;
        seen->sight.turn = is_found && strcmp(turn.state, "ended") ? TURN_OPEN
                           : is_good                               ? TURN_GOOD
                           : is_failed                             ? TURN_FAILED
                                                                   : TURN_INTERRUPTED;
        return true;
}

static bool see_work(struct services *services, struct store_db *db, struct review_seen *seen, struct error *error)
{
        if (!see_turn(db, seen, error))
                return false;
        if (strcmp(seen->loop.phase, LOOP_IMPROVING) != 0 || seen->sight.turn != TURN_GOOD ||
            is_at_work(&seen->variant))
                return true;
        auto_free char *now = NULL;
        if (!review_fingerprint(services, db, &seen->loop, &now, error))
                return false;
        seen->sight.is_unchanged = now && seen->loop.fingerprint && !strcmp(now, seen->loop.fingerprint);
        return true;
}

bool review_see(struct services *services, struct store_db *db, int64_t task, struct review_seen *seen, bool *is_open,
                struct error *error)
{
        const struct store_review_loop *loop = &seen->loop;
        bool is_found, is_there;

        if (!store_review_loop_of_task(db, task, &seen->loop, &is_found, error))
                return false;
        *is_open = is_found && strcmp(loop->phase, LOOP_STOPPED) != 0;
        if (!*is_open)
                return true;
        if (!store_task_find_rid(db, task, 0, &seen->variant, &is_there, error) ||
            !store_review_loop_judges(db, loop->rid, &seen->judges, error))
                return false;
        take_latest(seen);
        seen->sight = (struct loop_sight){.phase = loop->phase,
                                          .round = loop->round,
                                          .max_rounds = loop->max_rounds,
                                          .attempt = loop->attempt,
                                          .reviews = seen->reviews,
                                          .review_count = seen->count,
                                          .is_source_gone = !is_there,
                                          .source_status = is_there ? seen->variant.status : ""};
        if (!is_there)
                return true;
        if (!strcmp(loop->phase, LOOP_REVIEWING))
                return see_reviews(services, db, seen, error);
        if (!strcmp(loop->phase, LOOP_IMPROVING) || !strcmp(loop->phase, LOOP_POLISHING))
                return see_work(services, db, seen, error);
        return true;
}
