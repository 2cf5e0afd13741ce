/* Requests that wait, step by step. */
#include <stdio.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/services/judge_pending.h"
#include "server/services/review_actor.h"
#include "server/services/review_rules.h"
#include "server/store/follow_up.h"

static const struct {
        const char *reason, *sentence;
} reasons[] = {
        {SOURCE_FAILED, "Work that was to be reviewed has failed."},
        {SOURCE_INTERRUPTED, "Work that was to be reviewed was interrupted."},
        {SOURCE_DELETED, "A task that was to be reviewed was deleted."},
        {SOURCE_INELIGIBLE, "A task that was to be reviewed cannot be reviewed any more."},
};

static const char *sentence_of(const char *reason)
{
        for (size_t i = 0; i < COUNT_OF(reasons); i++)
                if (!strcmp(reasons[i].reason, reason))
                        return reasons[i].sentence;
        return NULL;
}

static bool is_queue_active(struct store_db *db, int64_t task, bool *result, struct error *error)
{
        struct store_follow_up_counts counts;
        auto_store_queue_pause pause = {0};
        bool is_paused;

        if (!store_follow_up_count(db, task, &counts, error) ||
            !store_queue_find_pause(db, task, &pause, &is_paused, error))
                return false;
        *result = counts.queued && !is_paused;
        return true;
}

static bool step_of(struct store_db *db, const struct store_judge_request *request, enum request_step *step,
                    const char **reason, struct error *error)
{
        struct review_source sources[JUDGE_VARIANTS_MAXIMUM];
        auto_store_tasks tasks = {0};
        size_t count = request->task_count < JUDGE_VARIANTS_MAXIMUM ? request->task_count : JUDGE_VARIANTS_MAXIMUM;

        tasks.items = memory_new((count + 1) * sizeof *tasks.items);
        tasks.count = count;
        for (size_t i = 0; i < count; i++) {
                struct store_task *task = &tasks.items[i];
                bool is_found;
                if (!store_task_find_rid(db, request->tasks[i].rid, 0, task, &is_found, error))
                        return false;
                sources[i] = (struct review_source){.is_gone = !is_found,
                                                    .is_excluded = is_found && (task->is_loser || task->is_judge),
                                                    .status = is_found ? task->status : ""};
                if (is_found && !is_queue_active(db, task->rid, &sources[i].is_queue_active, error))
                        return false;
        }
        *step = review_request_step(sources, count, reason);
        return true;
}

/* The end of a request: compare-and-set from the state that was read. */
struct ending {
        struct store_judge_request to; /* borrows */
        const char *from, *state;
};

static bool end_work(struct store_db *db, void *context, struct error *error)
{
        const struct ending *ending = context;
        bool is_done;

        return store_judge_request_end(db, &ending->to, ending->from, ending->state, clock_now(), &is_done, error) &&
               (is_done || error_set(error, ERROR_CANCELLED, "The request was changed meanwhile."));
}

static bool cancel(struct services *services, const struct store_judge_request *request, const char *reason,
                   const char *message, struct error *error)
{
        struct ending ending = {*request, request->state, "cancelled"};

        ending.to.reason = (char *)reason;
        ending.to.message = (char *)message;
        if (!store_write(services->store, end_work, &ending, error))
                return false;
        log_info("a review that waited was cancelled", "request", request->id, "reason", reason);
        return true;
}

static bool reserve_work(struct store_db *db, void *context, struct error *error)
{
        bool is_done;

        return store_judge_request_launch(db, context, clock_now(), &is_done, error) &&
               (is_done || error_set(error, ERROR_CANCELLED, "The request was changed meanwhile."));
}

static bool reserve(struct services *services, const struct store_judge_request *request, struct error *error)
{
        struct store_judge_request to = *request;
        struct store_reviewer reviewers[JUDGE_REVIEWERS_MAXIMUM];
        char ids[JUDGE_REVIEWERS_MAXIMUM][ID_SIZE];

        to.reviewers.items = reviewers;
        for (size_t i = 0; i < to.reviewers.count; i++) {
                id_new_task(clock_now(), ids[i]);
                reviewers[i] = (struct store_reviewer){.judge_id = ids[i]};
        }
        return store_write(services->store, reserve_work, &to, error);
}

/* In the transaction that makes the reviews. */
struct recording {
        const struct store_judge_request *request;
        const struct review_loop_start *start; /* NULL: no loop */
};

static bool recorded(struct call *call, const struct judge_launched *launched, const void *context, struct error *error)
{
        const struct recording *recording = context;
        struct ending ending = {*recording->request, "launching", "launched"};

        ending.to.group_id = (char *)launched->group_id;
        ending.to.loop_id = recording->start ? (char *)recording->start->id : NULL;
        ending.to.reason = ending.to.message = NULL;
        return end_work(call->db, &ending, error) &&
               (!recording->start || review_loop_recorded(call, launched, recording->start, error));
}

/* The tasks that were fixed, as an order; `ids` is filled. */
static void fill_order(const struct store_judge_request *request, const char *ids[JUDGE_VARIANTS_MAXIMUM],
                       struct judge_order *order)
{
        for (size_t i = 0; i < request->task_count; i++)
                ids[i] = request->tasks[i].id;
        if (request->task_count == 1) {
                order->task_id = ids[0];
                order->reserved_group = request->group_id;
        } else {
                order->group_id = request->group_id;
                order->task_ids = (struct field_strings){ids, request->task_count};
        }
        order->instructions = request->instructions;
        order->reviewer_count = request->reviewers.count;
        for (size_t i = 0; i < request->reviewers.count; i++) {
                const struct store_reviewer *reviewer = &request->reviewers.items[i];
                order->reserved[i] = reviewer->judge_id;
                order->reviewers[i] = (struct judge_reviewer){reviewer->agent, reviewer->model,
                                                              reviewer->reasoning_effort, reviewer->speed};
        }
}

static bool may_loop(struct call *call, const struct judge_order *order, struct error *error)
{
        auto_judge_plan plan = {0};

        return judge_plan_make(call, order, &plan, error) && review_loop_check(call, &plan, error);
}

static bool launch(struct services *services, struct store_db *db, const struct store_judge_request *request,
                   struct error *error)
{
        const char *ids[JUDGE_VARIANTS_MAXIMUM];
        struct judge_order order = {.recorded = recorded};
        struct judge_launched launched;
        auto_review_actor requester = {0};
        char loop_id[ID_SIZE];
        struct review_loop_start start = {.order = &order,
                                          .options = {.maxRounds = request->max_rounds,
                                                      .minFeedbackPriority = request->min_priority,
                                                      .pullLatest = request->pulls_latest},
                                          .id = loop_id};
        struct recording recording = {request, request->max_rounds ? &start : NULL};

        review_loop_new_id(loop_id);
        fill_order(request, ids, &order);
        order.context = &recording;
        order.round = request->max_rounds ? 1 : 0;
        order.loop = request->max_rounds ? loop_id : NULL;
        if (!review_actor_open(db, request->requester, &requester, error))
                return false;
        struct call call = review_actor_call(services, db, &requester, request->source);
        return (!request->max_rounds || may_loop(&call, &order, error)) &&
               judge_launch(&call, &order, &launched, error);
}

/* A launch that was refused cancels the request, unless it is to wait again: the work went on meanwhile. */
static bool refused(struct services *services, struct store_db *db, const struct store_judge_request *request,
                    const struct error *failure, bool *is_again, struct error *error)
{
        enum request_step step;
        const char *reason;

        if (review_error_is_passing(failure->code) || failure->code == ERROR_TASK_BUSY) {
                *is_again = true;
                return true;
        }
        if (!step_of(db, request, &step, &reason, error))
                return false;
        if (step == REQUEST_WAIT)
                return true;
        if (step == REQUEST_CANCEL)
                return cancel(services, request, reason, sentence_of(reason), error);
        return cancel(services, request, error_kind(failure->code)->code, failure->message, error);
}

bool judge_pending_take_step(struct services *services, struct store_db *db, const char *id, bool *is_over,
                             bool *is_again, struct error *error)
{
        auto_store_judge_request request = {0};
        auto_error failure = {0};
        enum request_step step;
        const char *reason;
        bool is_found;

        *is_over = true;
        if (!store_judge_request_find(db, id, &request, &is_found, error))
                return false;
        bool is_launching = is_found && !strcmp(request.state, "launching");
        if (!is_launching && !(is_found && !strcmp(request.state, "pending")))
                return true;
        if (!step_of(db, &request, &step, &reason, error))
                return false;
        if (step == REQUEST_WAIT)
                return true;
        if (step == REQUEST_CANCEL) {
                if (cancel(services, &request, reason, sentence_of(reason), &failure))
                        return true;
        } else if (!is_launching) {
                *is_over = false;
                if (reserve(services, &request, &failure))
                        return true;
        } else if (launch(services, db, &request, &failure)) {
                return true;
        } else if (failure.code != ERROR_CANCELLED) {
                return refused(services, db, &request, &failure, is_again, error);
        }
        return failure.code == ERROR_CANCELLED || error_move(error, &failure);
}

bool judge_pending_advance(struct services *services, struct store_db *db, int64_t task, bool *is_again,
                           struct error *error)
{
        char **ids = NULL;
        size_t count = 0;
        bool is_good = store_judge_request_of_task(db, task, &ids, &count, error);

        for (size_t i = 0; i < count; i++) {
                bool is_over = false;
                while (is_good && !is_over)
                        is_good = judge_pending_take_step(services, db, ids[i], &is_over, is_again, error);
                free(ids[i]);
        }
        free(ids);
        return is_good;
}

bool judge_pending_source_gone(struct store_db *db, int64_t task, int64_t now, struct error *error)
{
        char **ids = NULL;
        size_t count = 0;
        bool is_good = store_judge_request_of_task(db, task, &ids, &count, error), is_found, is_done;

        for (size_t i = 0; i < count; i++) {
                auto_store_judge_request request = {0};
                is_good = is_good && store_judge_request_find(db, ids[i], &request, &is_found, error);
                struct store_judge_request to = request;
                to.reason = (char *)SOURCE_DELETED;
                to.message = (char *)sentence_of(SOURCE_DELETED);
                is_good = is_good && store_judge_request_end(db, &to, request.state, "cancelled", now, &is_done, error);
                free(ids[i]);
        }
        free(ids);
        return is_good;
}
