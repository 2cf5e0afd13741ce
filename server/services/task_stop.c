#include "server/services/task.h"

#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/follow_up.h"
#include "server/services/progress.h"
#include "server/services/review_watch.h"
#include "server/services/runtime.h"
#include "server/services/slot.h"
#include "server/store/turn.h"
#include "server/store/work.h"

/* Every call answers within 25 s; usually the grace, the killing and the container's stop have less than that together.
 */
#define WAIT_MS 22000

struct request {
        struct call *call;
        const char *task_id;
        const char *kind;  /* stop or interrupt */
        const char *queue; /* send_queued, or NULL to pause it */
        struct store_task task;
        bool is_turn_open; /* a turn was there to be ended */
};

/* Ends a turn that waits for a slot: there is nothing to be told to end. */
static bool end_waiting(struct store_db *db, const struct request *request, struct error *error)
{
        struct store_turn_end end = {.ended_at = request->call->now,
                                     .type = !strcmp(request->kind, "stop") ? "stopped" : "interrupted"};
        bool is_done;

        return store_turn_end(db, request->task.turn, &end, &is_done, error) &&
               store_task_finish(db, request->task.rid, request->task.turn, "interrupted", request->call->now, NULL,
                                 &is_done, error) &&
               follow_up_after_turn(request->call->services, db, request->task.rid, request->task.turn, "interrupted",
                                    request->call->now, error) &&
               review_look(db, request->task.rid, request->task.id, error);
}

/* A queue that is paused holds no review back. */
static bool pause_queue(struct store_db *db, const struct request *request, const char *reason, struct error *error)
{
        return follow_up_pause(db, request->task.rid, reason, "Paused by a person.", NULL,
                               request->call->actor->user_name, request->call->now, error) &&
               review_look(db, request->task.rid, request->task.id, error);
}

/* What happens then is the runtime's, also when this process dies now: the job tells the runner, or withdraws the turn
 * from it. */
static bool end_open(struct store_db *db, const struct request *request, struct error *error)
{
        return store_job_add(db, "check", request->task.rid, request->task.turn, 0, error);
}

/* The end of a turn that is stopped asks for this by itself. */
static bool stop_container(struct store_db *db, const struct request *request, struct error *error)
{
        auto_store_resource resource = {0};
        bool is_found;

        if (!store_resource_find(db, "container", request->task.rid, &resource, &is_found, error))
                return false;
        return !is_found || resource.stopped_at ||
               store_job_add(db, "stop", request->task.rid, request->task.turn, 0, error);
}

static bool request_work(struct store_db *db, void *context, struct error *error)
{
        struct request *request = context;
        auto_free char *action = text_format("task.%s", request->kind);

        store_task_clear(&request->task);
        if (!access_task_require(db, request->call->actor, request->task_id, PERMISSION_TASKS_EXECUTE,
                                 PERMISSION_TASKS_EXECUTE_ANY, &request->task, error))
                return false;
        request->is_turn_open = !strcmp(request->task.status, "running");
        bool is_queued = !strcmp(request->task.status, "queued");
        bool is_stop = !strcmp(request->kind, "stop");
        if (is_stop && !request->is_turn_open && !stop_container(db, request, error))
                return false;
        if (!request->is_turn_open && !is_queued)
                return request->queue || pause_queue(db, request, is_stop ? "stopped" : "interrupted", error);
        return store_turn_set_stop_queue(db, request->task.turn, request->queue, error) &&
               store_turn_stop(db, request->task.turn, request->kind, request->call->actor->user_name,
                               request->call->now, error) &&
               (is_queued ? end_waiting(db, request, error) : end_open(db, request, error)) &&
               audit_write(db, request->call->actor, action, request->task.id, NULL, error);
}

static bool end_turn(struct call *call, const char *task_id, const char *kind, const char *queue,
                     struct request *request, int64_t until, bool *is_over, struct error *error)
{
        *request = (struct request){.call = call, .task_id = task_id, .kind = kind, .queue = queue};
        if (!store_write(call->services->store, request_work, request, error))
                return false;
        call_report(call, 1, 0, "The request stands; the turn is being ended.");
        *is_over = !request->is_turn_open ||
                   runtime_wait_turn(call->services->runtime, call->db, request->task.turn, until);
        return true;
}

static bool render(struct call *call, const struct request *request, const char *outcome, bool is_over, json_t **result,
                   struct error *error)
{
        auto_store_task task = {0};

        if (!access_task_view(call->db, call->actor, request->task.id, &task, error))
                return false;
        json_t *object = json_object();
        json_object_set_new(object, "taskId", document_string(task.id));
        json_object_set_new(object, "status", document_string(task.status));
        json_object_set_new(object, "accepted", json_true());
        json_object_set_new(object, outcome, json_boolean(is_over));
        *result = object;
        return true;
}

bool task_stop(struct call *call, const struct task_stop_input *input, json_t **result, struct error *error)
{
        int64_t until = clock_monotonic() + WAIT_MS;
        struct request request;
        bool is_over;

        if (!end_turn(call, input->taskId, "stop", NULL, &request, until, &is_over, error))
                return false;
        if (is_over)
                call_report(call, 2, 0, "No turn runs any more; the container is being stopped.");
        bool is_stopped = is_over && runtime_wait_stopped(call->services->runtime, call->db, request.task.rid, until);
        bool is_good = render(call, &request, "stopped", is_stopped, result, error);
        store_task_clear(&request.task);
        return is_good;
}

bool task_interrupt(struct call *call, const struct task_interrupt_input *input, json_t **result, struct error *error)
{
        const char *queue = input->queue && !strcmp(input->queue, "send_queued") ? input->queue : NULL;
        struct request request;
        bool is_over;

        if (!end_turn(call, input->taskId, "interrupt", queue, &request, clock_monotonic() + WAIT_MS, &is_over, error))
                return false;
        bool is_good = render(call, &request, "interrupted", is_over, result, error);
        store_task_clear(&request.task);
        return is_good;
}
