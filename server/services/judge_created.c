#include "server/services/judge_created.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/judge_pending.h"
#include "server/services/task_view.h"

static json_t *id_list(const char (*ids)[ID_SIZE], size_t count)
{
        json_t *list = json_array();

        for (size_t i = 0; i < count; i++)
                json_array_append_new(list, json_string(ids[i]));
        return list;
}

char *judge_created_outcome(const struct judge_launched *launched, const char *loop_id)
{
        auto_json *outcome = json_pack("{s:s, s:s, s:o, s:o}", "groupId", launched->group_id, "mode", launched->mode,
                                       "variantTaskIds", id_list(launched->variant_ids, launched->variant_count),
                                       "taskIds", id_list(launched->task_ids, launched->count));

        if (loop_id)
                json_object_set_new(outcome, "loopId", json_string(loop_id));
        return document_print(outcome);
}

char *judge_pending_outcome(const char *id)
{
        auto_json *outcome = json_pack("{s:s}", "pendingRequestId", id);

        return document_print(outcome);
}

/* Reads a task that may not be seen any more. */
static bool look(struct call *call, const char *id, struct store_task *task, bool *is_seen, struct error *error)
{
        auto_error hidden = {0};

        *is_seen = access_task_view(call->db, call->actor, id, task, &hidden);
        return *is_seen || hidden.code == ERROR_TASK_NOT_FOUND || error_move(error, &hidden);
}

/* Adds the judges that are seen. *shows_all says that one of them shows all that it holds copies of. */
static bool add_judges(struct call *call, const json_t *outcome, json_t *object, bool *shows_all, struct error *error)
{
        json_t *ids = json_object_get(outcome, "taskIds"), *id;
        size_t i;

        json_array_foreach(ids, i, id)
        {
                auto_store_task task = {0};
                bool is_seen;
                if (!look(call, json_string_value(id), &task, &is_seen, error))
                        return false;
                if (!is_seen)
                        continue;
                auto_free char *url = task_url(call->services, task.id);
                *shows_all = *shows_all || !task.is_withheld;
                json_array_append_new(json_object_get(object, "agents"), json_string(task.agent));
                json_array_append_new(json_object_get(object, "taskIds"), json_string(task.id));
                json_array_append_new(json_object_get(object, "tasks"),
                                      json_pack("{s:s, s:s, s:s, s:o}", "taskId", task.id, "agent", task.agent,
                                                "status", task.status, "url", document_string(url)));
                json_object_set_new(object, "environment", document_string(task.environment_name));
        }
        return true;
}

static bool add_variants(struct call *call, const json_t *outcome, json_t *object, bool shows_all, struct error *error)
{
        json_t *ids = json_object_get(outcome, "variantTaskIds"), *id;
        size_t i;

        json_array_foreach(ids, i, id)
        {
                auto_store_task task = {0};
                bool is_seen;
                if (!look(call, json_string_value(id), &task, &is_seen, error))
                        return false;
                if (is_seen || shows_all)
                        json_array_append(json_object_get(object, "variantTaskIds"), id);
                if (is_seen)
                        json_object_set_new(object, "environment", document_string(task.environment_name));
        }
        return true;
}

/* Of one judge its own members too. */
static void set_single(const json_t *outcome, json_t *object)
{
        static const char *const copied[] = {"taskId", "status", "url"};
        const json_t *first = json_array_get(json_object_get(object, "tasks"), 0);

        if (json_array_size(json_object_get(outcome, "taskIds")) != 1 || !first)
                return;
        for (size_t i = 0; i < COUNT_OF(copied); i++)
                json_object_set(object, copied[i], json_object_get(first, copied[i]));
}

/* The loop that follows, as it is now; null for none and for who sees no content of its reviews. */
static bool add_loop(struct call *call, const json_t *outcome, json_t *object, bool shows_all, struct error *error)
{
        const char *loop_id = document_get_string(outcome, "loopId");
        json_t *loop = NULL;

        if (!loop_id || !shows_all)
                loop = json_null();
        else if (!review_loop_show(call, loop_id, &loop, error))
                return false;
        json_object_set_new(object, "reviewLoop", loop);
        return true;
}

static bool render_run(struct call *call, const json_t *outcome, json_t **result, struct error *error)
{
        const char *group_id = document_get_string(outcome, "groupId"), *mode = document_get_string(outcome, "mode");
        bool shows_all = false;

        auto_free char *url = group_url(call->services, group_id);
        auto_json *object = json_pack("{s:s, s:o, s:n, s:s, s:[], s:[], s:[], s:[]}", "groupId", group_id, "groupUrl",
                                      document_string(url), "environment", "mode", mode, "variantTaskIds", "agents",
                                      "taskIds", "tasks");
        if (!add_judges(call, outcome, object, &shows_all, error) ||
            !add_variants(call, outcome, object, shows_all, error))
                return false;
        if (json_is_null(json_object_get(object, "environment")))
                return error_set(error, ERROR_GROUP_NOT_FOUND, NULL);
        set_single(outcome, object);
        json_object_set_new(object, "reviewLoopAvailable", json_boolean(!strcmp(mode, JUDGE_REVIEW)));
        if (!add_loop(call, outcome, object, shows_all, error))
                return false;
        *result = take(object);
        return true;
}

bool judge_created_render(struct call *call, const char *text, json_t **result, struct error *error)
{
        auto_json *outcome = document_parse(text, strlen(text), error);
        const char *pending = document_get_string(outcome, "pendingRequestId");

        if (!outcome)
                return false;
        return pending ? judge_pending_show(call, pending, result, error) : render_run(call, outcome, result, error);
}
