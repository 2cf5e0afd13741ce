#include "server/store/rewind.h"

#include "server/store/query.h"

static bool discard(struct store_db *db, int64_t task, int64_t ordinal, int *discarded, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_REWIND_TURNS);

        query_integer(&query, task);
        query_integer(&query, ordinal);
        return query_run(&query, discarded, error);
}

bool store_rewind(struct store_db *db, int64_t task, int64_t ordinal, int *discarded, struct error *error)
{
        if (!discard(db, task, ordinal, discarded, error))
                return false;
        auto_query query = query_begin(db, STATEMENT_REWIND_REPLY);
        query_integer(&query, task);
        return query_run(&query, NULL, error);
}

bool store_turns_since(struct store_db *db, int64_t task, int64_t ordinal, int64_t *count, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TURNS_SINCE);
        bool is_row;

        query_integer(&query, task);
        query_integer(&query, ordinal);
        if (!query_next(&query, &is_row, error))
                return false;
        *count = query_column_integer(&query, 0);
        return true;
}

void store_turn_before_clear(struct store_turn_before *before)
{
        free(before->conversation_files);
        free(before->agent);
        *before = (struct store_turn_before){0};
}

bool store_turn_find_before(struct store_db *db, int64_t task, int64_t ordinal, struct store_turn_before *before,
                            struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TURN_BEFORE);
        bool is_row;

        query_integer(&query, task);
        query_integer(&query, ordinal);
        if (!query_next(&query, &is_row, error))
                return false;
        if (is_row)
                *before = (struct store_turn_before){.ordinal = query_column_integer(&query, 0),
                                                     .conversation_files = query_column_text(&query, 1),
                                                     .agent = query_column_text(&query, 2),
                                                     .latest = query_column_integer(&query, 3)};
        return true;
}

bool store_turn_set_conversation(struct store_db *db, int64_t turn, const char *files, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TURN_SET_CONVERSATION);

        query_text(&query, files);
        query_integer(&query, turn);
        return query_run(&query, NULL, error);
}
