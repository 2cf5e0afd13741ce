#include "server/store/environment.h"

#include "server/store/query.h"

void store_environment_clear(struct store_environment *environment)
{
        free(environment->id);
        free(environment->name);
        *environment = (struct store_environment){0};
}

static struct store_environment read_row(struct query *query)
{
        return (struct store_environment){.rid = query_column_integer(query, 0),
                                          .id = query_column_text(query, 1),
                                          .name = query_column_text(query, 2)};
}

static bool find(struct query *query, struct store_environment *environment, bool *is_found, struct error *error)
{
        if (!query_next(query, is_found, error))
                return false;
        if (*is_found)
                *environment = read_row(query);
        return true;
}

bool store_environment_find(struct store_db *db, const char *name, struct store_environment *environment,
                            bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ENVIRONMENT_BY_NAME);

        query_text(&query, name);
        return find(&query, environment, is_found, error);
}

bool store_environment_find_rid(struct store_db *db, int64_t rid, struct store_environment *environment, bool *is_found,
                                struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ENVIRONMENT_BY_RID);

        query_integer(&query, rid);
        return find(&query, environment, is_found, error);
}

static bool add(struct store_db *db, const char *name, int64_t now, struct error *error)
{
        char id[ID_SIZE];

        id_new("env", id);
        auto_query query = query_begin(db, STATEMENT_ENVIRONMENT_ADD);
        query_text(&query, id);
        query_text(&query, name);
        query_integer(&query, now);
        store_changes_access(db);
        return query_run(&query, NULL, error);
}

bool store_environment_ensure(struct store_db *db, const char *name, int64_t now, struct store_environment *environment,
                              struct error *error)
{
        bool is_found;

        if (!store_environment_find(db, name, environment, &is_found, error))
                return false;
        return is_found ||
               (add(db, name, now, error) && store_environment_find(db, name, environment, &is_found, error));
}

bool store_environment_remove(struct store_db *db, int64_t rid, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ENVIRONMENT_REMOVE);

        query_integer(&query, now);
        query_integer(&query, rid);
        store_changes_access(db);
        return query_run(&query, NULL, error);
}

bool store_environment_list(struct store_db *db, struct store_environment **environments, size_t *count,
                            struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ENVIRONMENT_ALL);
        struct store_environment *list = NULL;
        size_t length = 0;
        bool is_row, is_good;

        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                list = memory_resize(list, (length + 1) * sizeof *list);
                list[length++] = read_row(&query);
        }
        if (!is_good) {
                for (size_t i = 0; i < length; i++)
                        store_environment_clear(&list[i]);
                free(list);
                return false;
        }
        *environments = list;
        *count = length;
        return true;
}
