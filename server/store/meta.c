#include "server/store/meta.h"

#include "server/base/id.h"
#include "server/store/query.h"

static bool ensure(struct store_db *db, void *context, struct error *error)
{
        char id[ID_SIZE];
        bool is_row;

        id_new("srv", id);
        {
                auto_query query = query_begin(db, STATEMENT_META_ADD);
                query_text(&query, "server_id");
                query_text(&query, id);
                if (!query_run(&query, NULL, error))
                        return false;
        }
        auto_query query = query_begin(db, STATEMENT_META_GET);
        query_text(&query, "server_id");
        if (!query_next(&query, &is_row, error))
                return false;
        *(char **)context = query_column_text(&query, 0);
        return true;
}

char *store_server_id(struct store *store, struct error *error)
{
        char *id = NULL;

        return store_write(store, ensure, &id, error) ? id : NULL;
}
