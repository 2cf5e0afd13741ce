/* What is told of requests. */
#include <string.h>

#include "server/base/document.h"
#include "server/services/group.h"
#include "server/services/judge_pending.h"
#include "server/services/task_view.h"

#define REQUESTS_MAXIMUM 100

static void set(json_t *view, const char *name, json_t *value)
{
        json_object_set_new(view, name, value);
}

/* Adds the id of a task that the caller sees. */
static bool add_id(struct call *call, json_t *ids, const char *id, struct error *error)
{
        auto_store_task task = {0};
        auto_error hidden = {0};

        if (access_task_view(call->db, call->actor, id, &task, &hidden))
                json_array_append_new(ids, document_string(task.id));
        else if (hidden.code != ERROR_TASK_NOT_FOUND)
                return error_move(error, &hidden);
        return true;
}

static bool set_reviewers(struct call *call, const struct store_judge_request *request, json_t *view,
                          struct error *error)
{
        json_t *agents = json_array(), *settings = json_object(), *ids = json_array();

        set(view, "agents", agents);
        set(view, "reviewerSettings", settings);
        set(view, "taskIds", ids);

        for (size_t i = 0; i < request->reviewers.count; i++) {
                const struct store_reviewer *reviewer = &request->reviewers.items[i];
                json_array_append_new(agents, document_string(reviewer->agent));
                if (!strcmp(request->state, "launched") && reviewer->judge_id &&
                    !add_id(call, ids, reviewer->judge_id, error))
                        return false;
                json_t *chosen = json_object();
                if (reviewer->model)
                        set(chosen, "model", document_string(reviewer->model));
                if (reviewer->reasoning_effort)
                        set(chosen, "reasoningEffort", document_string(reviewer->reasoning_effort));
                if (reviewer->speed)
                        set(chosen, "speed", document_string(reviewer->speed));
                if (json_object_size(chosen))
                        json_object_set(settings, reviewer->agent, chosen);
                json_decref(chosen);
        }
        return true;
}

static bool set_tasks(struct call *call, const struct store_judge_request *request, json_t *view, struct error *error)
{
        json_t *ids = json_array();

        set(view, "variantTaskIds", ids);
        for (size_t i = 0; i < request->task_count; i++)
                if (!add_id(call, ids, request->tasks[i].id, error))
                        return false;
        return true;
}

static json_t *loop_options(const struct store_judge_request *request)
{
        return request->max_rounds
                       ? json_pack("{s:I, s:s, s:b}", "maxRounds", (json_int_t)request->max_rounds,
                                   "minFeedbackPriority", request->min_priority, "pullLatest", request->pulls_latest)
                       : json_null();
}

static bool view_request(struct call *call, const struct store_judge_request *request, json_t **result,
                         struct error *error)
{
        const struct store_task owner = {.environment = request->environment, .creator = request->requester};
        auto_json *view = json_object();
        auto_redactor redactor = {0};

        if (!redactor_init(&redactor, call->services, call->db, error))
                return false;
        redactor_set_task(&redactor, call->db, &owner);
        set(view, "pendingRequestId", document_string(request->id));
        set(view, "status", document_string(request->state));
        set(view, "origin", document_string(request->origin));
        /* One that was refused has no group where its task stands alone. */
        bool is_grouped = !request->task_id || strcmp(request->group_id, request->task_id) != 0;
        set(view, "groupId", is_grouped ? document_string(request->group_id) : json_null());
        set(view, "mode", json_string(request->task_count > 1 ? JUDGE_COMPARISON : JUDGE_REVIEW));
        if (!set_tasks(call, request, view, error) || !set_reviewers(call, request, view, error))
                return false;
        set(view, "timing", json_string("after_queued_turns"));
        set(view, "instructions", redact_string(&redactor, request->instructions));
        set(view, "reviewLoop", loop_options(request));
        set(view, "reviewLoopId", document_string(request->loop_id));
        set(view, "reason", document_string(request->reason));
        set(view, "message", redact_string(&redactor, request->message));
        set(view, "createdAt", document_time(request->created_at));
        set(view, "endedAt", document_time(request->ended_at));
        *result = take(view);
        return true;
}

bool judge_pending_show(struct call *call, const char *id, json_t **result, struct error *error)
{
        auto_store_judge_request request = {0};
        bool is_found;

        if (!store_judge_request_find(call->db, id, &request, &is_found, error))
                return false;
        return is_found ? view_request(call, &request, result, error) : error_set(error, ERROR_REQUEST_NOT_FOUND, NULL);
}

static bool view_all(struct call *call, const struct store_judge_requests *requests, json_t **result,
                     struct error *error)
{
        auto_json *views = json_array();

        for (size_t i = 0; i < requests->count; i++) {
                json_t *view;
                if (!view_request(call, &requests->items[i], &view, error))
                        return false;
                json_array_append_new(views, view);
        }
        *result = json_object();
        json_object_set(*result, "requests", views);
        return true;
}

bool judge_pending_list(struct call *call, const struct judge_pending_list_input *input, json_t **result,
                        struct error *error)
{
        auto_store_judge_requests requests = {0};

        if (input->taskId && input->groupId)
                return error_set(error, ERROR_TARGET_INVALID, "Filter by taskId or by groupId, not by both.");
        return store_judge_request_list(call->db, call->actor->user, input->groupId, input->taskId, REQUESTS_MAXIMUM,
                                        &requests, error) &&
               view_all(call, &requests, result, error);
}

bool judge_pending_automatic(struct call *call, const struct judge_pending_list_input *input, json_t **result,
                             struct error *error)
{
        auto_store_judge_requests requests = {0};
        auto_group_scope scope = {0};
        auto_store_task task = {0};

        if (!(input->taskId ? access_task_view(call->db, call->actor, input->taskId, &task, error)
                            : group_open(call, input->groupId, &scope, error)))
                return false;
        return store_judge_request_automatic(call->db, input->taskId ? task.group_id : scope.group.id, task.id,
                                             REQUESTS_MAXIMUM, &requests, error) &&
               view_all(call, &requests, result, error);
}
