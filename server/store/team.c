#include "server/store/team.h"

#include "server/store/query.h"

void store_team_clear(struct store_team *team)
{
        free(team->id);
        free(team->name);
        *team = (struct store_team){0};
}

static struct store_team read_row(struct query *query)
{
        return (struct store_team){.rid = query_column_integer(query, 0),
                                   .id = query_column_text(query, 1),
                                   .name = query_column_text(query, 2),
                                   .created_at = query_column_integer(query, 3)};
}

static bool find(struct store_db *db, const char *name, struct store_team *team, bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TEAM_BY_NAME);

        query_text(&query, name);
        if (!query_next(&query, is_found, error))
                return false;
        if (*is_found)
                *team = read_row(&query);
        return true;
}

bool store_team_find(struct store_db *db, const char *name, struct store_team *team, struct error *error)
{
        bool is_found;

        if (!find(db, name, team, &is_found, error))
                return false;
        return is_found || error_set(error, ERROR_NOT_FOUND, "there is no team %.100s", name);
}

bool store_team_add(struct store_db *db, const char *name, int64_t now, char id[ID_SIZE], struct error *error)
{
        auto_store_team same = {0};
        bool is_taken;

        if (!find(db, name, &same, &is_taken, error))
                return false;
        if (is_taken)
                return error_set(error, ERROR_CONFLICT, "there is a team %s already", same.name);
        id_new("team", id);
        auto_query query = query_begin(db, STATEMENT_TEAM_ADD);
        query_text(&query, id);
        query_text(&query, name);
        query_integer(&query, now);
        return query_run(&query, NULL, error);
}

bool store_team_list(struct store_db *db, void (*each)(const struct store_team *team, void *context), void *context,
                     struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TEAMS_ALL);
        bool is_row, is_good;

        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                auto_store_team team = read_row(&query);
                each(&team, context);
        }
        return is_good;
}

bool store_team_list_members(struct store_db *db, int64_t team, void (*each)(const char *user, void *context),
                             void *context, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TEAM_MEMBERS);
        bool is_row, is_good;

        query_integer(&query, team);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                auto_free char *name = query_column_text(&query, 0);
                each(name, context);
        }
        return is_good;
}

static bool change_member(struct store_db *db, enum statement which, int64_t team, int64_t user, struct error *error)
{
        auto_query query = query_begin(db, which);

        query_integer(&query, team);
        query_integer(&query, user);
        store_changes_access(db);
        return query_run(&query, NULL, error);
}

bool store_team_add_member(struct store_db *db, int64_t team, int64_t user, struct error *error)
{
        return change_member(db, STATEMENT_TEAM_MEMBER_ADD, team, user, error);
}

bool store_team_remove_member(struct store_db *db, int64_t team, int64_t user, struct error *error)
{
        return change_member(db, STATEMENT_TEAM_MEMBER_REMOVE, team, user, error);
}
