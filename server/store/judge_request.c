#include "server/store/judge_request.h"

#include <string.h>

#include "server/store/query.h"

void store_judge_request_clear(struct store_judge_request *request)
{
        char *strings[] = {request->id,           request->origin,       request->by_task, request->source,
                           request->task_id,      request->group_id,     request->state,   request->reason,
                           request->instructions, request->min_priority, request->message, request->loop_id};

        for (size_t i = 0; i < COUNT_OF(strings); i++)
                free(strings[i]);
        for (size_t i = 0; i < request->task_count; i++)
                free(request->tasks[i].id);
        free(request->tasks);
        store_reviewers_clear(&request->reviewers);
        *request = (struct store_judge_request){0};
}

void store_judge_requests_clear(struct store_judge_requests *requests)
{
        for (size_t i = 0; i < requests->count; i++)
                store_judge_request_clear(&requests->items[i]);
        free(requests->items);
        *requests = (struct store_judge_requests){0};
}

static bool add_task(struct store_db *db, int64_t rid, int64_t position, const struct store_request_task *task,
                     struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JUDGE_REQUEST_ADD_TASK);

        query_integer(&query, rid);
        query_integer(&query, position);
        query_integer(&query, task->rid);
        query_text(&query, task->id);
        return query_run(&query, NULL, error);
}

static bool add_reviewer(struct store_db *db, int64_t rid, int64_t position, const struct store_reviewer *reviewer,
                         struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JUDGE_REQUEST_ADD_REVIEWER);

        query_integer(&query, rid);
        query_integer(&query, position);
        query_text(&query, reviewer->agent);
        query_text(&query, reviewer->model);
        query_text(&query, reviewer->reasoning_effort);
        query_text(&query, reviewer->speed);
        return query_run(&query, NULL, error);
}

static bool add_row(struct store_db *db, const struct store_judge_request *request, bool *is_done, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JUDGE_REQUEST_ADD);
        int changed;

        query_text(&query, request->id);
        query_text(&query, request->origin);
        query_integer(&query, request->requester);
        query_text(&query, request->by_task);
        query_text(&query, request->source);
        query_integer(&query, request->environment);
        query_text(&query, request->task_id);
        query_text(&query, request->group_id);
        query_text(&query, request->instructions);
        query_integer(&query, request->max_rounds);
        query_text(&query, request->min_priority);
        query_integer(&query, request->pulls_latest);
        query_text(&query, request->state);
        query_text(&query, request->reason);
        query_text(&query, request->message);
        query_integer(&query, request->created_at);
        query_optional(&query, request->ended_at);
        if (!query_run(&query, &changed, error))
                return false;
        *is_done = changed > 0;
        return true;
}

bool store_judge_request_add(struct store_db *db, const struct store_judge_request *request, bool *is_done,
                             struct error *error)
{
        if (!add_row(db, request, is_done, error))
                return false;
        int64_t rid = sqlite3_last_insert_rowid(db->connection);
        for (size_t i = 0; *is_done && i < request->task_count; i++)
                if (!add_task(db, rid, (int64_t)i, &request->tasks[i], error))
                        return false;
        for (size_t i = 0; *is_done && i < request->reviewers.count; i++)
                if (!add_reviewer(db, rid, (int64_t)i, &request->reviewers.items[i], error))
                        return false;
        return true;
}

static struct store_judge_request read_row(struct query *query)
{
        int c = 0;

#define TEXT query_column_text(query, c++)
#define INTEGER query_column_integer(query, c++)
        struct store_judge_request request = {.rid = INTEGER};
        request.id = TEXT;
        request.origin = TEXT;
        request.requester = INTEGER;
        request.by_task = TEXT;
        request.source = TEXT;
        request.environment = INTEGER;
        request.task_id = TEXT;
        request.group_id = TEXT;
        request.instructions = TEXT;
        request.max_rounds = INTEGER;
        request.min_priority = TEXT;
        request.pulls_latest = INTEGER;
        request.state = TEXT;
        request.reason = TEXT;
        request.message = TEXT;
        request.loop_id = TEXT;
        request.created_at = INTEGER;
        request.launching_at = INTEGER;
        request.ended_at = INTEGER;
#undef TEXT
#undef INTEGER
        return request;
}

static bool read_tasks(struct store_db *db, struct store_judge_request *request, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JUDGE_REQUEST_TASKS);
        bool is_row, is_good;

        query_integer(&query, request->rid);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                request->tasks = memory_resize(request->tasks, (request->task_count + 1) * sizeof *request->tasks);
                request->tasks[request->task_count++] =
                        (struct store_request_task){query_column_integer(&query, 0), query_column_text(&query, 1)};
        }
        return is_good;
}

static bool read_reviewers(struct store_db *db, struct store_judge_request *request, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JUDGE_REQUEST_REVIEWERS);
        struct store_reviewers *list = &request->reviewers;
        bool is_row, is_good;

        query_integer(&query, request->rid);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                list->items = memory_resize(list->items, (list->count + 1) * sizeof *list->items);
                list->items[list->count++] = (struct store_reviewer){.agent = query_column_text(&query, 0),
                                                                     .model = query_column_text(&query, 1),
                                                                     .reasoning_effort = query_column_text(&query, 2),
                                                                     .speed = query_column_text(&query, 3),
                                                                     .judge_id = query_column_text(&query, 4)};
        }
        return is_good;
}

static bool read_beside(struct store_db *db, struct store_judge_request *request, struct error *error)
{
        return read_tasks(db, request, error) && read_reviewers(db, request, error);
}

bool store_judge_request_find(struct store_db *db, const char *id, struct store_judge_request *request, bool *is_found,
                              struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JUDGE_REQUEST_BY_ID);

        query_text(&query, id);
        if (!query_next(&query, is_found, error))
                return false;
        if (*is_found)
                *request = read_row(&query);
        return !*is_found || read_beside(db, request, error);
}

bool store_judge_request_of_task(struct store_db *db, int64_t task, char ***ids, size_t *count, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JUDGE_REQUEST_OF_TASK);
        char **list = NULL;
        size_t length = 0;
        bool is_row, is_good;

        query_integer(&query, task);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                list = memory_resize(list, (length + 1) * sizeof *list);
                list[length++] = query_column_text(&query, 0);
        }
        for (size_t i = 0; !is_good && i < length; i++)
                free(list[i]);
        if (!is_good) {
                free(list);
                return false;
        }
        *ids = list;
        *count = length;
        return true;
}

bool store_judge_request_open(struct store_db *db, int64_t **tasks, size_t *count, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JUDGE_REQUEST_OPEN);

        return query_integers(&query, tasks, count, error);
}

static bool read_list(struct store_db *db, struct query *query, struct store_judge_requests *requests,
                      struct error *error)
{
        bool is_row, is_good;

        while ((is_good = query_next(query, &is_row, error)) && is_row) {
                requests->items = memory_resize(requests->items, (requests->count + 1) * sizeof *requests->items);
                requests->items[requests->count++] = read_row(query);
        }
        for (size_t i = 0; is_good && i < requests->count; i++)
                is_good = read_beside(db, &requests->items[i], error);
        return is_good;
}

bool store_judge_request_list(struct store_db *db, int64_t requester, const char *group_id, const char *task_id,
                              int64_t limit, struct store_judge_requests *requests, struct error *error)
{
        auto_query query = query_begin(db, task_id    ? STATEMENT_JUDGE_REQUEST_MINE_OF_TASK
                                           : group_id ? STATEMENT_JUDGE_REQUEST_MINE_OF_GROUP
                                                      : STATEMENT_JUDGE_REQUEST_MINE);

        if (task_id || group_id)
                query_text(&query, task_id ? task_id : group_id);
        query_integer(&query, requester);
        query_integer(&query, limit);
        return read_list(db, &query, requests, error);
}

bool store_judge_request_automatic(struct store_db *db, const char *group_id, const char *task_id, int64_t limit,
                                   struct store_judge_requests *requests, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JUDGE_REQUEST_AUTOMATIC);

        query_text(&query, group_id);
        query_text(&query, task_id);
        query_integer(&query, limit);
        return read_list(db, &query, requests, error);
}

bool store_judge_request_is_asked(struct store_db *db, const char *group_id, const char *task_id, bool *is_asked,
                                  struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JUDGE_REQUEST_IS_ASKED);
        bool is_row;

        query_text(&query, group_id);
        query_text(&query, task_id);
        if (!query_next(&query, &is_row, error))
                return false;
        *is_asked = is_row && query_column_integer(&query, 0);
        return true;
}

static bool reserve(struct store_db *db, int64_t rid, int64_t position, const char *judge_id, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JUDGE_REQUEST_RESERVE);

        query_text(&query, judge_id);
        query_integer(&query, rid);
        query_integer(&query, position);
        return query_run(&query, NULL, error);
}

static bool set_launching(struct store_db *db, int64_t rid, int64_t now, bool *is_done, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JUDGE_REQUEST_LAUNCH);
        int changed;

        query_integer(&query, now);
        query_integer(&query, rid);
        if (!query_run(&query, &changed, error))
                return false;
        *is_done = changed > 0;
        return true;
}

bool store_judge_request_launch(struct store_db *db, const struct store_judge_request *request, int64_t now,
                                bool *is_done, struct error *error)
{
        if (!set_launching(db, request->rid, now, is_done, error))
                return false;
        for (size_t i = 0; *is_done && i < request->reviewers.count; i++)
                if (!reserve(db, request->rid, (int64_t)i, request->reviewers.items[i].judge_id, error))
                        return false;
        return true;
}

static bool set_ended(struct store_db *db, const struct store_judge_request *request, const char *from, const char *to,
                      int64_t now, bool *is_done, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JUDGE_REQUEST_END);
        int changed;

        query_text(&query, to);
        query_text(&query, request->reason);
        query_text(&query, request->message);
        query_text(&query, request->loop_id);
        query_text(&query, request->group_id);
        query_integer(&query, now);
        query_integer(&query, request->rid);
        query_text(&query, from);
        if (!query_run(&query, &changed, error))
                return false;
        *is_done = changed > 0;
        return true;
}

/* A group that was made for the request alone. */
static bool drop_group(struct store_db *db, const struct store_judge_request *request, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JUDGE_REQUEST_DROP_GROUP);

        query_text(&query, request->group_id);
        return query_run(&query, NULL, error);
}

bool store_judge_request_end(struct store_db *db, const struct store_judge_request *request, const char *from,
                             const char *to, int64_t now, bool *is_done, struct error *error)
{
        if (!set_ended(db, request, from, to, now, is_done, error))
                return false;
        return !*is_done || !request->task_id || strcmp(to, "cancelled") != 0 || drop_group(db, request, error);
}
