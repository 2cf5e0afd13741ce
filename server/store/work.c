#include "server/store/work.h"

#include <stdio.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/store/query.h"

void store_receipt_clear(struct store_receipt *receipt)
{
        free(receipt->state);
        free(receipt->task);
        *receipt = (struct store_receipt){0};
}

bool store_receipt_find(struct store_db *db, int64_t user, const char *tool, const char *request_id,
                        struct store_receipt *receipt, bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_RECEIPT_FIND);

        query_integer(&query, user);
        query_text(&query, tool);
        query_text(&query, request_id);
        if (!query_next(&query, is_found, error))
                return false;
        if (!*is_found)
                return true;
        const void *fingerprint = sqlite3_column_blob(query.statement, 0);
        if (fingerprint && sqlite3_column_bytes(query.statement, 0) == SECRET_HASH_SIZE)
                memcpy(receipt->fingerprint, fingerprint, SECRET_HASH_SIZE);
        receipt->state = query_column_text(&query, 1);
        receipt->task = query_column_text(&query, 2);
        return true;
}

bool store_receipt_add(struct store_db *db, int64_t user, const char *tool, const char *request_id,
                       const uint8_t fingerprint[SECRET_HASH_SIZE], const char *task, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_RECEIPT_ADD);

        query_integer(&query, user);
        query_text(&query, tool);
        query_text(&query, request_id);
        query_blob(&query, fingerprint, SECRET_HASH_SIZE);
        query_text(&query, task);
        query_integer(&query, now);
        return query_run(&query, NULL, error);
}

bool store_job_add(struct store_db *db, const char *kind, int64_t task, int64_t turn, int64_t delay_ms,
                   struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JOB_ADD);
        int64_t now = clock_steady();

        query_text(&query, kind);
        query_integer(&query, task);
        query_optional(&query, turn);
        query_integer(&query, now + delay_ms);
        query_integer(&query, now);
        store_wakes(db);
        return query_run(&query, NULL, error);
}

bool store_job_exists(struct store_db *db, const char *kind, int64_t task, bool *exists, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JOB_EXISTS);

        query_integer(&query, task);
        query_text(&query, kind);
        return query_next(&query, exists, error);
}

bool store_job_next(struct store_db *db, int64_t now, int64_t *next_at, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JOB_NEXT);
        bool is_row;

        query_integer(&query, now);
        if (!query_next(&query, &is_row, error))
                return false;
        *next_at = query_column_integer(&query, 0);
        return true;
}

bool store_job_list_due(struct store_db *db, int64_t now, const struct store_job *after, struct store_job *jobs,
                        size_t capacity, size_t *count, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JOBS_DUE);
        bool is_row, is_good;

        query_integer(&query, now);
        query_integer(&query, after->due_at);
        query_integer(&query, after->rid);
        query_integer(&query, (int64_t)capacity);
        *count = 0;
        while ((is_good = query_next(&query, &is_row, error)) && is_row && *count < capacity) {
                struct store_job *job = &jobs[(*count)++];
                *job = (struct store_job){.rid = query_column_integer(&query, 0),
                                          .task = query_column_integer(&query, 2),
                                          .turn = query_column_integer(&query, 3),
                                          .attempts = query_column_integer(&query, 4),
                                          .due_at = query_column_integer(&query, 5),
                                          .age = now - query_column_integer(&query, 6)};
                auto_free char *kind = query_column_text(&query, 1);
                snprintf(job->kind, sizeof job->kind, "%s", kind);
        }
        return is_good;
}

bool store_job_take_up(struct store_db *db, int64_t maximum_ms, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JOBS_TAKE_UP);

        query_integer(&query, clock_steady());
        query_integer(&query, maximum_ms);
        return query_run(&query, NULL, error);
}

/* Numbers are used again: a job is meant only together with what it is about. */
static void job_bind(struct query *query, const struct store_job *job)
{
        query_integer(query, job->rid);
        query_text(query, job->kind);
        query_integer(query, job->task);
        query_optional(query, job->turn);
}

bool store_job_delete(struct store_db *db, const struct store_job *job, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JOB_DELETE);

        job_bind(&query, job);
        return query_run(&query, NULL, error);
}

bool store_job_delete_of_turn(struct store_db *db, const char *kind, int64_t turn, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JOBS_DELETE_OF_TURN);

        query_text(&query, kind);
        query_integer(&query, turn);
        return query_run(&query, NULL, error);
}

bool store_job_retry(struct store_db *db, const struct store_job *job, int64_t delay_ms, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JOB_RETRY);

        query_integer(&query, clock_steady() + delay_ms);
        job_bind(&query, job);
        store_wakes(db);
        return query_run(&query, NULL, error);
}

void store_resource_clear(struct store_resource *resource)
{
        free(resource->kind);
        free(resource->handle);
        free(resource->program);
        free(resource->task_id);
        free(resource->task_status);
        *resource = (struct store_resource){0};
}

bool store_resource_plan(struct store_db *db, const char *kind, const char *handle, int64_t task, int64_t now,
                         struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_RESOURCE_PLAN);

        query_text(&query, kind);
        query_text(&query, handle);
        query_integer(&query, task);
        query_integer(&query, now);
        return query_run(&query, NULL, error);
}

/* Runs a statement of the form (value, kind, task). */
static bool set_value(struct store_db *db, enum statement which, int64_t value, const char *kind, int64_t task,
                      struct error *error)
{
        auto_query query = query_begin(db, which);

        query_integer(&query, value);
        query_text(&query, kind);
        query_integer(&query, task);
        return query_run(&query, NULL, error);
}

bool store_resource_set_ready(struct store_db *db, const char *kind, int64_t task, bool is_ready, struct error *error)
{
        return set_value(db, STATEMENT_RESOURCE_READY, is_ready, kind, task, error);
}

bool store_resource_set_stopped(struct store_db *db, const char *kind, int64_t task, int64_t now, struct error *error)
{
        return set_value(db, STATEMENT_RESOURCE_STOPPED, now, kind, task, error);
}

bool store_resource_set_program(struct store_db *db, const char *kind, int64_t task, const char *program,
                                struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_RESOURCE_PROGRAM);

        query_text(&query, program);
        query_text(&query, kind);
        query_integer(&query, task);
        return query_run(&query, NULL, error);
}

bool store_resource_set_oom(struct store_db *db, const char *kind, const char *handle, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_RESOURCE_OOM);

        query_text(&query, kind);
        query_text(&query, handle);
        return query_run(&query, NULL, error);
}

bool store_resource_delete(struct store_db *db, const char *kind, int64_t task, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_RESOURCE_DELETE);

        query_text(&query, kind);
        query_integer(&query, task);
        return query_run(&query, NULL, error);
}

static struct store_resource read_resource(struct query *query)
{
        return (struct store_resource){.kind = query_column_text(query, 0),
                                       .handle = query_column_text(query, 1),
                                       .task = query_column_integer(query, 2),
                                       .is_ready = query_column_integer(query, 3),
                                       .is_oom_killed = query_column_integer(query, 4),
                                       .stopped_at = query_column_integer(query, 5)};
}

bool store_resource_find(struct store_db *db, const char *kind, int64_t task, struct store_resource *resource,
                         bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_RESOURCE_OF_TASK);

        query_text(&query, kind);
        query_integer(&query, task);
        if (!query_next(&query, is_found, error))
                return false;
        if (*is_found)
                *resource = read_resource(&query);
        if (*is_found)
                resource->program = query_column_text(&query, 6);
        return true;
}

bool store_resource_list(struct store_db *db, const char *kind, struct store_resource **resources, size_t *count,
                         struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_RESOURCES_OF_KIND);
        struct store_resource *list = NULL;
        size_t length = 0;
        bool is_row, is_good;

        query_text(&query, kind);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                list = memory_resize(list, (length + 1) * sizeof *list);
                list[length] = read_resource(&query);
                list[length].task_id = query_column_text(&query, 6);
                list[length].task_status = query_column_text(&query, 7);
                list[length].task_active_at = query_column_integer(&query, 8);
                list[length++].is_pinned = query_column_integer(&query, 9);
        }
        if (!is_good) {
                for (size_t i = 0; i < length; i++)
                        store_resource_clear(&list[i]);
                free(list);
                return false;
        }
        *resources = list;
        *count = length;
        return true;
}

bool store_resource_exists_before(struct store_db *db, const char *kind, int64_t at, bool *exists, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_RESOURCE_BEFORE);

        query_text(&query, kind);
        query_integer(&query, at);
        return query_next(&query, exists, error);
}

bool store_resource_uses_program(struct store_db *db, const char *kind, const char *program, bool *uses,
                                 struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_RESOURCE_WITH_PROGRAM);

        query_text(&query, kind);
        query_text(&query, program);
        return query_next(&query, uses, error);
}
