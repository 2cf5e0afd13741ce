#include "server/store/meta.h"

#include "server/base/clock.h"
#include "server/base/id.h"
#include "server/store/query.h"

#define SERVER_ID "server_id"
/* Of a restored store: the id of the original, and, while its turns are unsettled, "1". */
#define ORIGIN "restored_from"
#define UNSETTLED "restored_unsettled"

/* *value is NULL where there is none; else the caller's. */
static bool get(struct store_db *db, const char *name, char **value, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_META_GET);
        bool is_row;

        *value = NULL;
        query_text(&query, name);
        if (!query_next(&query, &is_row, error))
                return false;
        if (is_row)
                *value = query_column_text(&query, 0);
        return true;
}

static bool put(struct store_db *db, const char *name, const char *value, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_META_SET);

        query_text(&query, name);
        query_text(&query, value);
        return query_run(&query, NULL, error);
}

static bool ensure(struct store_db *db, void *context, struct error *error)
{
        char **id = context, made[ID_SIZE];

        if (!get(db, SERVER_ID, id, error) || *id)
                return *id;
        id_new("srv", made);
        *id = text_copy(made);
        return put(db, SERVER_ID, made, error);
}

char *store_server_id(struct store *store, struct error *error)
{
        auto_free char *id = NULL;

        return store_write(store, ensure, &id, error) ? take(id) : NULL;
}

static bool forget_containers(struct store_db *db, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_RESOURCES_DELETE_OF_KIND);

        query_text(&query, "container");
        return query_run(&query, NULL, error);
}

static bool pause_queues(struct store_db *db, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_QUEUES_PAUSE);

        query_text(&query, "restored");
        query_text(&query, "The store was restored from a backup; the original may have delivered what waits here.");
        query_integer(&query, clock_now());
        return query_run(&query, NULL, error);
}

static bool become_copy(struct store_db *db, void *context, struct error *error)
{
        char **old_id = context, made[ID_SIZE];

        if (!get(db, SERVER_ID, old_id, error))
                return false;
        id_new("srv", made);
        return put(db, SERVER_ID, made, error) && (!*old_id || put(db, ORIGIN, *old_id, error)) &&
               put(db, UNSETTLED, "1", error) && forget_containers(db, error) && pause_queues(db, error);
}

bool store_become_copy(struct store *store, char **old_id, struct error *error)
{
        auto_free char *found = NULL;

        if (!store_write(store, become_copy, &found, error))
                return false;
        *old_id = take(found);
        return true;
}

void store_origin_clear(struct store_origin *origin)
{
        free(origin->server_id);
        *origin = (struct store_origin){0};
}

bool store_origin_read(struct store_db *db, struct store_origin *origin, struct error *error)
{
        auto_free char *unsettled = NULL;

        if (!get(db, UNSETTLED, &unsettled, error) || !get(db, ORIGIN, &origin->server_id, error))
                return false;
        origin->is_unsettled = unsettled;
        return true;
}

bool store_origin_settle(struct store_db *db, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_META_DELETE);

        query_text(&query, UNSETTLED);
        return query_run(&query, NULL, error);
}
