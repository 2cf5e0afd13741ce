#include "server/store/turn.h"

#include "server/store/query.h"

void store_turn_clear(struct store_turn *turn)
{
        char *strings[] = {turn->task_id,         turn->kind,
                           turn->origin,          turn->state,
                           turn->sender_id,       turn->sender_name,
                           turn->agent,           turn->shown,
                           turn->given,           turn->stop_kind,
                           turn->stop_user,       turn->end_type,
                           turn->failure_stage,   turn->failure_category,
                           turn->failure_message, turn->stream_format,
                           turn->session,         turn->agent_errors};

        for (size_t i = 0; i < COUNT_OF(strings); i++)
                free(strings[i]);
        *turn = (struct store_turn){0};
}

void store_turns_clear(struct store_turns *turns)
{
        for (size_t i = 0; i < turns->count; i++)
                store_turn_clear(&turns->items[i]);
        free(turns->items);
        *turns = (struct store_turns){0};
}

void store_reply_clear(struct store_reply *reply)
{
        free(reply->body);
        *reply = (struct store_reply){0};
}

static struct store_turn read_row(struct query *query)
{
        int c = 0;

#define TEXT query_column_text(query, c++)
#define INTEGER query_column_integer(query, c++)
        struct store_turn turn = {.rid = INTEGER};
        turn.task = INTEGER;
        turn.task_id = TEXT;
        turn.ordinal = INTEGER;
        turn.has_conversation_index = !query_column_is_null(query, c);
        turn.conversation_index = INTEGER;
        turn.kind = TEXT;
        turn.origin = TEXT;
        turn.state = TEXT;
        turn.sender = INTEGER;
        turn.sender_id = TEXT;
        turn.sender_name = TEXT;
        turn.agent = TEXT;
        turn.shown = TEXT;
        turn.given = TEXT;
        turn.submitted_at = INTEGER;
        turn.started_at = INTEGER;
        turn.ended_at = INTEGER;
        turn.stop_kind = TEXT;
        turn.stop_user = TEXT;
        turn.end_type = TEXT;
        turn.has_exit_code = !query_column_is_null(query, c);
        turn.exit_code = INTEGER;
        turn.signal = INTEGER;
        turn.failure_stage = TEXT;
        turn.failure_category = TEXT;
        turn.failure_message = TEXT;
        turn.stream_format = TEXT;
        turn.session = TEXT;
        turn.agent_errors = TEXT;
        turn.limit_resets_at = INTEGER;
#undef TEXT
#undef INTEGER
        return turn;
}

bool store_turn_next(struct store_db *db, int64_t task, int64_t *ordinal, int64_t *conversation_index,
                     struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TURN_LAST_ORDINAL);
        bool is_row;

        query_integer(&query, task);
        if (!query_next(&query, &is_row, error))
                return false;
        *ordinal = query_column_integer(&query, 0) + 1;
        *conversation_index = query_column_integer(&query, 1) + 1;
        return true;
}

bool store_turn_add(struct store_db *db, const struct store_turn_new *turn, int64_t *rid, int64_t *ordinal,
                    struct error *error)
{
        int64_t conversation_index;

        if (!store_turn_next(db, turn->task, ordinal, &conversation_index, error))
                return false;
        auto_query query = query_begin(db, STATEMENT_TURN_ADD);
        query_integer(&query, turn->task);
        query_integer(&query, *ordinal);
        query_integer(&query, conversation_index);
        query_text(&query, turn->kind);
        query_text(&query, turn->origin);
        query_text(&query, turn->state);
        query_optional(&query, turn->sender);
        query_text(&query, turn->agent);
        query_text(&query, turn->shown);
        query_text(&query, turn->given);
        query_integer(&query, turn->submitted_at);
        if (!query_run(&query, NULL, error))
                return false;
        *rid = sqlite3_last_insert_rowid(db->connection);
        return true;
}

bool store_turn_find(struct store_db *db, int64_t rid, struct store_turn *turn, bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TURN_BY_RID);

        query_integer(&query, rid);
        if (!query_next(&query, is_found, error))
                return false;
        if (*is_found)
                *turn = read_row(&query);
        return true;
}

bool store_turn_list(struct store_db *db, int64_t task, int64_t limit, struct store_turns *turns, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TURNS_OF_TASK);
        auto_store_turns list = {0};
        bool is_row, is_good;

        query_integer(&query, task);
        query_integer(&query, limit);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                list.items = memory_resize(list.items, (list.count + 1) * sizeof *list.items);
                list.items[list.count++] = read_row(&query);
        }
        if (!is_good)
                return false;
        *turns = list;
        list = (struct store_turns){0};
        return true;
}

bool store_turn_list_unfinished(struct store_db *db, int64_t **rids, size_t *count, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TURNS_UNFINISHED);

        return query_integers(&query, rids, count, error);
}

bool store_turn_list_open(struct store_db *db, int64_t **rids, size_t *count, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TURNS_OPEN);

        return query_integers(&query, rids, count, error);
}

bool store_turn_set_state(struct store_db *db, int64_t rid, const char *from, const char *to, int64_t started_at,
                          bool *is_done, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TURN_SET_STATE);
        int changed = 0;

        query_text(&query, to);
        query_optional(&query, started_at);
        query_integer(&query, rid);
        query_text(&query, from);
        if (!query_run(&query, &changed, error))
                return false;
        *is_done = changed == 1;
        return true;
}

bool store_turn_append(struct store_db *db, int64_t rid, const char *shown, const char *given, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TURN_APPEND);

        query_text(&query, shown);
        query_text(&query, given);
        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

bool store_turn_stop(struct store_db *db, int64_t rid, const char *kind, const char *user, int64_t now,
                     struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TURN_STOP);

        query_text(&query, kind);
        query_text(&query, user);
        query_integer(&query, now);
        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

bool store_turn_end(struct store_db *db, int64_t rid, const struct store_turn_end *end, bool *is_done,
                    struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TURN_END);
        int changed = 0;

        query_integer(&query, end->ended_at);
        query_text(&query, end->type);
        query_maybe(&query, end->exit_code);
        query_optional(&query, end->signal);
        query_text(&query, end->failure_stage);
        query_text(&query, end->failure_category);
        query_text(&query, end->failure_message);
        query_text(&query, end->session);
        query_text(&query, end->agent_errors);
        query_optional(&query, end->limit_resets_at);
        query_integer(&query, end->is_untold);
        query_integer(&query, rid);
        if (!query_run(&query, &changed, error))
                return false;
        *is_done = changed == 1;
        return true;
}

bool store_prompt_part_add(struct store_db *db, int64_t turn, const char *kind, const char *body, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_PROMPT_PART_ADD);

        query_integer(&query, turn);
        query_text(&query, kind);
        query_text(&query, body);
        return query_run(&query, NULL, error);
}

bool store_prompt_parts(struct store_db *db, int64_t task,
                        void (*each)(const char *kind, const char *body, void *context), void *context,
                        struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_PROMPT_PARTS_OF_TASK);
        bool is_row, is_good;

        query_integer(&query, task);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                auto_free char *kind = query_column_text(&query, 0), *body = query_column_text(&query, 1);
                each(kind, body, context);
        }
        return is_good;
}

bool store_task_first_text(struct store_db *db, int64_t task, char **text, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_FIRST_TEXT);
        bool is_row;

        query_integer(&query, task);
        if (!query_next(&query, &is_row, error))
                return false;
        *text = is_row ? query_column_text(&query, 0) : NULL;
        return true;
}

bool store_reply_put(struct store_db *db, int64_t turn, const char *body, int64_t characters, int64_t replied_at,
                     struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_REPLY_PUT);

        query_integer(&query, turn);
        query_text(&query, body);
        query_integer(&query, characters);
        query_optional(&query, replied_at);
        return query_run(&query, NULL, error);
}

bool store_reply_find(struct store_db *db, int64_t turn, struct store_reply *reply, bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_REPLY_OF_TURN);

        query_integer(&query, turn);
        if (!query_next(&query, is_found, error))
                return false;
        if (*is_found)
                *reply = (struct store_reply){.body = query_column_text(&query, 0),
                                              .characters = query_column_integer(&query, 1),
                                              .replied_at = query_column_integer(&query, 2),
                                              .ordinal = query_column_integer(&query, 3),
                                              .has_conversation_index = !query_column_is_null(&query, 4),
                                              .conversation_index = query_column_integer(&query, 4)};
        return true;
}

bool store_reply_exists(struct store_db *db, int64_t turn, bool *exists, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_REPLY_EXISTS);

        query_integer(&query, turn);
        return query_next(&query, exists, error);
}

bool store_turn_set_format(struct store_db *db, int64_t rid, const char *format, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TURN_SET_FORMAT);

        query_text(&query, format);
        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

bool store_turn_session(struct store_db *db, int64_t task, int64_t ordinal, const char *agent, char **session,
                        struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TURN_SESSION);
        bool is_row;

        query_integer(&query, task);
        query_integer(&query, ordinal);
        query_text(&query, agent);
        if (!query_next(&query, &is_row, error))
                return false;
        *session = is_row ? query_column_text(&query, 0) : NULL;
        return true;
}

bool store_usage_of_session(struct store_db *db, int64_t task, int64_t ordinal, const char *session,
                            struct store_usage *sum, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_USAGE_OF_SESSION);
        bool is_row;

        query_integer(&query, task);
        query_integer(&query, ordinal);
        query_text(&query, session);
        if (!query_next(&query, &is_row, error))
                return false;
        *sum = (struct store_usage){.input_tokens = query_column_integer(&query, 0),
                                    .output_tokens = query_column_integer(&query, 1),
                                    .cache_read_tokens = query_column_integer(&query, 2),
                                    .cache_write_tokens = query_column_integer(&query, 3),
                                    .cost_micros = query_column_integer(&query, 4)};
        return true;
}

bool store_usage_add(struct store_db *db, const struct store_usage *usage, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_USAGE_ADD);

        query_integer(&query, usage->at);
        query_text(&query, usage->task_id);
        query_integer(&query, usage->turn_ordinal);
        query_text(&query, usage->environment_id);
        query_text(&query, usage->user_id);
        query_text(&query, usage->agent);
        query_text(&query, usage->model);
        query_integer(&query, usage->duration_ms);
        query_integer(&query, usage->input_tokens);
        query_integer(&query, usage->output_tokens);
        query_integer(&query, usage->cache_read_tokens);
        query_integer(&query, usage->cache_write_tokens);
        query_integer(&query, usage->cost_micros);
        return query_run(&query, NULL, error);
}
