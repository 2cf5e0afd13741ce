#include "server/store/attachment.h"

#include "server/store/attachment_row.h"

void store_attachments_clear(struct store_attachments *attachments)
{
        for (size_t i = 0; i < attachments->count; i++) {
                free(attachments->items[i].filename);
                free(attachments->items[i].upload);
        }
        free(attachments->items);
        *attachments = (struct store_attachments){0};
}

bool store_attachment_add(struct store_db *db, int64_t turn, const char *filename, int64_t size, const char *upload,
                          struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ATTACHMENT_ADD);

        query_integer(&query, turn);
        query_text(&query, filename);
        query_integer(&query, size);
        query_text(&query, upload);
        return query_run(&query, NULL, error);
}

bool attachment_rows_read(struct query *query, struct store_attachments *attachments, struct error *error)
{
        auto_store_attachments list = {0};
        bool is_row, is_good;

        while ((is_good = query_next(query, &is_row, error)) && is_row) {
                list.items = memory_resize(list.items, (list.count + 1) * sizeof *list.items);
                list.items[list.count++] = (struct store_attachment){.filename = query_column_text(query, 0),
                                                                     .size = query_column_integer(query, 1),
                                                                     .upload = query_column_text(query, 2)};
        }
        if (!is_good)
                return false;
        *attachments = list;
        list = (struct store_attachments){0};
        return true;
}

bool store_attachment_list(struct store_db *db, int64_t turn, struct store_attachments *attachments,
                           struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ATTACHMENTS_OF_TURN);

        query_integer(&query, turn);
        return attachment_rows_read(&query, attachments, error);
}

bool store_upload_is_used(struct store_db *db, const char *upload, bool *is_used, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ATTACHMENT_OF_UPLOAD);

        query_text(&query, upload);
        return query_next(&query, is_used, error);
}
