/* What people do with a loop: read, stop and continue it. */
#include <string.h>

#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/redact.h"
#include "server/services/review_loop.h"
#include "server/services/review_rules.h"
#include "server/services/review_watch.h"

static json_t *view_judge(const struct store_reviewer *judge)
{
        json_t *view = json_object(), *counts = json_pack("{s:I, s:I, s:I}", "high", (json_int_t)judge->high, "medium",
                                                          (json_int_t)judge->medium, "low", (json_int_t)judge->low);

        json_object_set_new(view, "round", json_integer(judge->round));
        json_object_set_new(view, "attempt", json_integer(judge->attempt));
        json_object_set_new(view, "agent", document_string(judge->agent));
        json_object_set_new(view, "model", document_string(judge->model));
        json_object_set_new(view, "reasoningEffort", document_string(judge->reasoning_effort));
        json_object_set_new(view, "speed", document_string(judge->speed));
        json_object_set_new(view, "taskId", document_string(judge->judge_id));
        json_object_set_new(view, "verdict", document_string(judge->verdict));
        json_object_set_new(view, "improvements", counts);
        return view;
}

static json_t *view_loop(const struct store_review_loop *loop, const struct redactor *redactor)
{
        bool is_active = strcmp(loop->phase, LOOP_STOPPED) != 0;
        json_t *view = json_object();

        json_object_set_new(view, "loopId", document_string(loop->id));
        json_object_set_new(view, "taskId", document_string(loop->task_id));
        json_object_set_new(view, "groupId", document_string(loop->group_id));
        json_object_set_new(view, "phase", document_string(loop->phase));
        json_object_set_new(view, "active", json_boolean(is_active));
        json_object_set_new(view, "round", json_integer(loop->round));
        json_object_set_new(view, "maxRounds", json_integer(loop->max_rounds));
        json_object_set_new(view, "minFeedbackPriority", document_string(loop->min_priority));
        json_object_set_new(view, "pullLatest", json_boolean(loop->pulls_latest));
        json_object_set_new(view, "stopReason", document_string(loop->stop_reason));
        json_object_set_new(view, "stopMessage", redact_string(redactor, loop->stop_message));
        json_object_set_new(view, "stoppedBy", document_string(loop->stopped_by_name));
        json_object_set_new(
                view, "canContinue",
                json_boolean(loop->stop_reason && review_loop_may_continue(loop->phase, loop->stop_reason)));
        json_object_set_new(view, "holdsNotifications", json_boolean(is_active));
        json_object_set_new(view, "createdAt", document_time(loop->created_at));
        json_object_set_new(view, "changedAt", document_time(loop->changed_at));
        json_object_set_new(view, "stoppedAt", document_time(loop->stopped_at));
        return view;
}

static bool show(struct call *call, const struct store_review_loop *loop, json_t **view, struct error *error)
{
        const struct store_task owner = {.environment = loop->environment, .creator = loop->owner};
        auto_store_reviewers judges = {0};
        auto_redactor redactor = {0};

        if (!redactor_init(&redactor, call->services, call->db, error) ||
            !store_review_loop_judges(call->db, loop->rid, &judges, error))
                return false;
        redactor_set_task(&redactor, call->db, &owner);
        json_t *list = json_array();
        for (size_t i = 0; i < judges.count; i++)
                json_array_append_new(list, view_judge(&judges.items[i]));
        *view = view_loop(loop, &redactor);
        json_object_set_new(*view, "reviews", list);
        return true;
}

bool review_loop_show(struct call *call, const char *id, json_t **view, struct error *error)
{
        auto_store_review_loop loop = {0};
        bool is_found;

        if (!store_review_loop_find(call->db, id, &loop, &is_found, error))
                return false;
        if (is_found)
                return show(call, &loop, view, error);
        *view = json_null();
        return true;
}

bool review_loop_get(struct call *call, const struct review_loop_get_input *input, json_t **result, struct error *error)
{
        auto_store_review_loop loop = {0};
        auto_store_task task = {0};
        bool is_found;

        if (!access_task_view(call->db, call->actor, input->taskId, &task, error) ||
            !access_require_content(&task, error) ||
            !store_review_loop_of_task(call->db, task.rid, &loop, &is_found, error))
                return false;
        return is_found ? show(call, &loop, result, error) : error_set(error, ERROR_LOOP_NOT_FOUND, NULL);
}

/* A loop that the caller may change; of a variant that the caller does not see there is none. */
static bool require(struct call *call, const char *id, struct store_review_loop *loop, struct error *error)
{
        auto_store_task task = {0};
        auto_error hidden = {0};
        bool is_found;

        if (!store_review_loop_find(call->db, id, loop, &is_found, error))
                return false;
        if (!is_found)
                return error_set(error, ERROR_LOOP_NOT_FOUND, NULL);
        if (access_task_require(call->db, call->actor, loop->task_id, PERMISSION_TASKS_CHANGE,
                                PERMISSION_TASKS_CHANGE_ANY, &task, &hidden))
                return access_require_content(&task, error);
        return hidden.code == ERROR_TASK_NOT_FOUND ? error_set(error, ERROR_LOOP_NOT_FOUND, NULL)
                                                   : error_move(error, &hidden);
}

/* Writes the loop's place with other words in it, which stay the caller's. */
static bool step(struct call *call, const struct store_review_loop *loop, struct error *error)
{
        bool is_done;

        return store_review_loop_step(call->db, loop, &is_done, error) &&
               (is_done || error_set(error, ERROR_CONFLICT, "The loop has just taken a step; try again."));
}

bool review_loop_stop(struct call *call, const struct review_loop_input *input, json_t **result, struct error *error)
{
        auto_store_review_loop loop = {0};

        if (!require(call, input->loopId, &loop, error))
                return false;
        if (!strcmp(loop.phase, LOOP_STOPPED))
                return show(call, &loop, result, error);
        struct store_review_loop stopped = loop;
        stopped.phase = (char *)LOOP_STOPPED;
        stopped.stop_reason = (char *)STOP_BY_PERSON;
        stopped.stopped_by = call->actor->user;
        stopped.stopped_at = stopped.changed_at = call->now;
        return step(call, &stopped, error) &&
               audit_write(call->db, call->actor, "review_loop.stop", loop.task_id, json_pack("{s:s}", "loop", loop.id),
                           error) &&
               review_loop_show(call, loop.id, result, error);
}

bool review_loop_continue(struct call *call, const struct review_loop_input *input, json_t **result,
                          struct error *error)
{
        auto_store_review_loop loop = {0}, latest = {0};
        bool is_found;

        if (!require(call, input->loopId, &loop, error) ||
            !store_review_loop_of_task(call->db, loop.task, &latest, &is_found, error))
                return false;
        if (!loop.stop_reason || !review_loop_may_continue(loop.phase, loop.stop_reason))
                return error_set(error, ERROR_CONFLICT, "Only a loop that ran out of rounds can be continued.");
        if (latest.rid != loop.rid)
                return error_set(error, ERROR_CONFLICT, "The task has a later review loop.");
        struct store_review_loop going = loop;
        going.phase = (char *)LOOP_REVIEWING;
        going.max_rounds = loop.round + input->maxRounds;
        going.stop_reason = going.stop_message = NULL;
        going.stopped_by = going.stopped_at = 0;
        going.changed_at = call->now;
        return step(call, &going, error) && review_look(call->db, loop.task, loop.task_id, error) &&
               audit_write(call->db, call->actor, "review_loop.continue", loop.task_id,
                           json_pack("{s:s, s:I}", "loop", loop.id, "rounds", (json_int_t)input->maxRounds), error) &&
               review_loop_show(call, loop.id, result, error);
}
