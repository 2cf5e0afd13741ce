#include <string.h>

#include "server/store/follow_up.h"
#include "server/store/query.h"

static bool run(struct query *query, bool *is_done, struct error *error)
{
        int changed = 0;

        if (!query_run(query, &changed, error))
                return false;
        *is_done = changed == 1;
        return true;
}

static bool drop_files(struct store_db *db, int64_t rid, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FOLLOW_UP_DROP_FILES);

        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

static bool hand_files(struct store_db *db, int64_t rid, int64_t turn, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FOLLOW_UP_HAND_FILES);

        query_integer(&query, turn);
        query_integer(&query, rid);
        return query_run(&query, NULL, error) && drop_files(db, rid, error);
}

static bool set_delivered(struct store_db *db, int64_t rid, int64_t turn, bool *is_done, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FOLLOW_UP_DELIVER);

        query_integer(&query, turn);
        query_integer(&query, rid);
        return run(&query, is_done, error);
}

bool store_follow_up_deliver(struct store_db *db, int64_t rid, int64_t turn, bool *is_done, struct error *error)
{
        return set_delivered(db, rid, turn, is_done, error) && (!*is_done || hand_files(db, rid, turn, error));
}

bool store_follow_up_change(struct store_db *db, int64_t rid, int64_t version, const struct store_follow_up_edit *edit,
                            bool *is_done, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FOLLOW_UP_EDIT);

        query_text(&query, edit->instructions);
        query_maybe(&query, edit->deliver_at);
        query_maybe(&query, edit->is_delay);
        query_maybe(&query, edit->pulls_latest);
        query_integer(&query, rid);
        query_integer(&query, version);
        if (edit->deliver_at)
                store_wakes(db);
        return run(&query, is_done, error);
}

static bool set_removed(struct store_db *db, int64_t rid, int64_t version, bool *is_done, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FOLLOW_UP_REMOVE);

        query_integer(&query, rid);
        query_integer(&query, version);
        return run(&query, is_done, error);
}

bool store_follow_up_remove(struct store_db *db, int64_t rid, int64_t version, bool *is_done, struct error *error)
{
        return set_removed(db, rid, version, is_done, error) && (!*is_done || drop_files(db, rid, error));
}

bool store_follow_up_queue(struct store_db *db, int64_t rid, int64_t task, bool *is_done, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FOLLOW_UP_QUEUE);

        query_integer(&query, rid);
        query_integer(&query, task);
        return run(&query, is_done, error);
}

bool store_follow_up_shift(struct store_db *db, int64_t ms, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_FOLLOW_UPS_SHIFT);

        query_integer(&query, ms);
        return query_run(&query, NULL, error);
}

void store_queue_pause_clear(struct store_queue_pause *pause)
{
        free(pause->reason);
        free(pause->message);
        free(pause->details);
        free(pause->paused_by);
        *pause = (struct store_queue_pause){0};
}

bool store_queue_find_pause(struct store_db *db, int64_t task, struct store_queue_pause *pause, bool *is_found,
                            struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_QUEUE_PAUSE_FIND);

        query_integer(&query, task);
        if (!query_next(&query, is_found, error))
                return false;
        if (*is_found)
                *pause = (struct store_queue_pause){.reason = query_column_text(&query, 0),
                                                    .message = query_column_text(&query, 1),
                                                    .details = query_column_text(&query, 2),
                                                    .paused_by = query_column_text(&query, 3),
                                                    .paused_at = query_column_integer(&query, 4)};
        return true;
}

bool store_queue_pause(struct store_db *db, int64_t task, const struct store_queue_pause *pause, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_QUEUE_PAUSE);

        query_integer(&query, task);
        query_text(&query, pause->reason);
        query_text(&query, pause->message);
        query_text(&query, pause->details);
        query_text(&query, pause->paused_by);
        query_integer(&query, pause->paused_at);
        return query_run(&query, NULL, error);
}

bool store_queue_resume(struct store_db *db, int64_t task, bool *is_done, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_QUEUE_RESUME);

        query_integer(&query, task);
        return run(&query, is_done, error);
}

bool store_turn_set_stop_queue(struct store_db *db, int64_t turn, const char *queue, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TURN_SET_STOP_QUEUE);

        query_text(&query, queue);
        query_integer(&query, turn);
        return query_run(&query, NULL, error);
}

bool store_turn_stop_queue(struct store_db *db, int64_t turn, bool *is_stopped, bool *is_sending, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TURN_STOP_QUEUE);
        bool is_row;

        *is_stopped = *is_sending = false;
        query_integer(&query, turn);
        if (!query_next(&query, &is_row, error) || !is_row)
                return !error->code;
        auto_free char *kind = query_column_text(&query, 0), *queue = query_column_text(&query, 1);
        *is_stopped = kind != NULL;
        *is_sending = kind && !strcmp(kind, "interrupt") && queue && !strcmp(queue, "send_queued");
        return true;
}
