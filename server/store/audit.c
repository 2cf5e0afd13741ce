#include "server/store/audit.h"

#include "server/store/query.h"

bool store_audit_add(struct store_db *db, const struct store_audit *entry, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_AUDIT_ADD);

        query_integer(&query, entry->at);
        query_optional(&query, entry->user);
        query_text(&query, entry->user_name);
        query_text(&query, entry->credential);
        query_text(&query, entry->credential_id);
        query_text(&query, entry->task_id);
        query_text(&query, entry->action);
        query_text(&query, entry->target);
        query_text(&query, entry->details);
        return query_run(&query, NULL, error);
}

static void read_row(struct query *query, void (*each)(const struct store_audit *entry, void *context), void *context)
{
        char *strings[7];

        for (int i = 0; i < 7; i++)
                strings[i] = query_column_text(query, i + 1);
        each(&(struct store_audit){.rid = query_column_integer(query, 8),
                                   .at = query_column_integer(query, 0),
                                   .user_name = strings[0],
                                   .credential = strings[1],
                                   .credential_id = strings[2],
                                   .task_id = strings[3],
                                   .action = strings[4],
                                   .target = strings[5],
                                   .details = strings[6]},
             context);
        for (int i = 0; i < 7; i++)
                free(strings[i]);
}

bool store_audit_list(struct store_db *db, int64_t before, int64_t limit,
                      void (*each)(const struct store_audit *entry, void *context), void *context, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_AUDIT_NEWEST);
        bool is_row, is_good;

        query_integer(&query, before);
        query_integer(&query, limit);
        while ((is_good = query_next(&query, &is_row, error)) && is_row)
                read_row(&query, each, context);
        return is_good;
}
