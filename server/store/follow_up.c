#include "server/store/follow_up.h"

#include <string.h>

#include "server/store/attachment_row.h"

void store_follow_up_clear(struct store_follow_up *follow_up)
{
        char *strings[] = {follow_up->id,
                           follow_up->state,
                           follow_up->kind,
                           follow_up->origin,
                           follow_up->sender_id,
                           follow_up->sender_name,
                           follow_up->by_task,
                           follow_up->instructions,
                           follow_up->given,
                           follow_up->model,
                           follow_up->reasoning_effort,
                           follow_up->speed};

        for (size_t i = 0; i < COUNT_OF(strings); i++)
                free(strings[i]);
        *follow_up = (struct store_follow_up){0};
}

void store_follow_ups_clear(struct store_follow_ups *follow_ups)
{
        for (size_t i = 0; i < follow_ups->count; i++)
                store_follow_up_clear(&follow_ups->items[i]);
        free(follow_ups->items);
        *follow_ups = (struct store_follow_ups){0};
}

static struct store_follow_up read_row(struct query *query)
{
        int c = 0;

#define TEXT query_column_text(query, c++)
#define INTEGER query_column_integer(query, c++)
        struct store_follow_up follow_up = {.rid = INTEGER};
        follow_up.id = TEXT;
        follow_up.task = INTEGER;
        follow_up.state = TEXT;
        follow_up.version = INTEGER;
        follow_up.place = INTEGER;
        follow_up.kind = TEXT;
        follow_up.origin = TEXT;
        follow_up.sender = INTEGER;
        follow_up.sender_id = TEXT;
        follow_up.sender_name = TEXT;
        follow_up.is_sender_disabled = INTEGER;
        follow_up.by_task = TEXT;
        follow_up.instructions = TEXT;
        follow_up.given = TEXT;
        follow_up.pulls_latest = INTEGER;
        follow_up.model = TEXT;
        follow_up.reasoning_effort = TEXT;
        follow_up.speed = TEXT;
        follow_up.submitted_at = INTEGER;
        follow_up.deliver_at = INTEGER;
        follow_up.is_delay = INTEGER;
        follow_up.turn = INTEGER;
        follow_up.attachments = INTEGER;
#undef TEXT
#undef INTEGER
        return follow_up;
}

bool store_follow_up_add(struct store_db *db, const struct store_follow_up_new *follow_up, int64_t *rid,
                         struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FOLLOW_UP_ADD);

        query_text(&query, follow_up->id);
        query_integer(&query, follow_up->task);
        query_text(&query, follow_up->state);
        query_text(&query, follow_up->kind);
        query_text(&query, follow_up->origin);
        query_optional(&query, follow_up->sender);
        query_text(&query, follow_up->by_task);
        query_text(&query, follow_up->request_id);
        query_text(&query, follow_up->instructions);
        query_text(&query, follow_up->given);
        query_integer(&query, follow_up->pulls_latest);
        query_text(&query, follow_up->model);
        query_text(&query, follow_up->reasoning_effort);
        query_text(&query, follow_up->speed);
        query_integer(&query, follow_up->submitted_at);
        query_optional(&query, follow_up->deliver_at);
        query_integer(&query, follow_up->is_delay);
        if (!query_run(&query, NULL, error))
                return false;
        *rid = sqlite3_last_insert_rowid(db->connection);
        /* A new time may be the soonest. */
        if (follow_up->deliver_at)
                store_wakes(db);
        return true;
}

bool store_follow_up_attach(struct store_db *db, int64_t rid, int64_t position, const char *filename, int64_t size,
                            const char *upload, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FOLLOW_UP_ATTACH);

        query_integer(&query, rid);
        query_integer(&query, position);
        query_text(&query, filename);
        query_integer(&query, size);
        query_text(&query, upload);
        return query_run(&query, NULL, error);
}

bool store_follow_up_attachments(struct store_db *db, int64_t rid, struct store_attachments *attachments,
                                 struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FOLLOW_UP_ATTACHMENTS);

        query_integer(&query, rid);
        return attachment_rows_read(&query, attachments, error);
}

static bool read_one(struct query *query, struct store_follow_up *follow_up, bool *is_found, struct error *error)
{
        if (!query_next(query, is_found, error))
                return false;
        if (*is_found)
                *follow_up = read_row(query);
        return true;
}

bool store_follow_up_next(struct store_db *db, int64_t task, int64_t after, struct store_follow_up *follow_up,
                          bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FOLLOW_UP_NEXT);

        query_integer(&query, task);
        query_integer(&query, after);
        return read_one(&query, follow_up, is_found, error);
}

bool store_follow_up_find(struct store_db *db, const char *id, struct store_follow_up *follow_up, bool *is_found,
                          struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FOLLOW_UP_BY_ID);

        query_text(&query, id);
        return read_one(&query, follow_up, is_found, error);
}

bool store_follow_up_find_request(struct store_db *db, int64_t sender, const char *request_id,
                                  struct store_follow_up *follow_up, bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FOLLOW_UP_BY_REQUEST);

        query_integer(&query, sender);
        query_text(&query, request_id);
        return read_one(&query, follow_up, is_found, error);
}

bool store_follow_up_list(struct store_db *db, int64_t task, int64_t limit, int64_t offset,
                          struct store_follow_ups *follow_ups, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FOLLOW_UPS_WAITING);
        auto_store_follow_ups list = {0};
        bool is_row, is_good;

        query_integer(&query, task);
        query_integer(&query, limit);
        query_integer(&query, offset);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                list.items = memory_resize(list.items, (list.count + 1) * sizeof *list.items);
                list.items[list.count++] = read_row(&query);
        }
        if (!is_good)
                return false;
        *follow_ups = list;
        list = (struct store_follow_ups){0};
        return true;
}

bool store_follow_up_count(struct store_db *db, int64_t task, struct store_follow_up_counts *counts,
                           struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FOLLOW_UPS_COUNT);
        bool is_row;

        *counts = (struct store_follow_up_counts){0};
        query_integer(&query, task);
        if (!query_next(&query, &is_row, error))
                return false;
        counts->queued = query_column_integer(&query, 0);
        counts->scheduled = query_column_integer(&query, 1);
        counts->next_at = query_column_integer(&query, 2);
        return true;
}

bool store_follow_up_next_due(struct store_db *db, int64_t *next_at, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FOLLOW_UPS_NEXT);
        bool is_row;

        if (!query_next(&query, &is_row, error))
                return false;
        *next_at = query_column_integer(&query, 0);
        return true;
}

bool store_follow_up_list_due(struct store_db *db, int64_t now, struct store_follow_up_due *due, size_t capacity,
                              size_t *count, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FOLLOW_UPS_DUE);
        bool is_row, is_good;

        *count = 0;
        query_integer(&query, now);
        query_integer(&query, (int64_t)capacity);
        while ((is_good = query_next(&query, &is_row, error)) && is_row)
                due[(*count)++] =
                        (struct store_follow_up_due){query_column_integer(&query, 0), query_column_integer(&query, 1)};
        return is_good;
}
