#include "server/store/access.h"

#include <stdio.h>

#include "server/store/query.h"

static bool find_role(struct store_db *db, const char *name, int64_t *rid, bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ROLE_BY_NAME);

        query_text(&query, name);
        if (!query_next(&query, is_found, error))
                return false;
        *rid = *is_found ? query_column_integer(&query, 0) : 0;
        return true;
}

static bool ensure_role(struct store_db *db, const char *name, bool is_predefined, int64_t *rid, struct error *error)
{
        bool is_found;
        auto_query query = query_begin(db, STATEMENT_ROLE_ENSURE);

        query_text(&query, name);
        query_integer(&query, is_predefined);
        return query_run(&query, NULL, error) && find_role(db, name, rid, &is_found, error);
}

static bool clear_permissions(struct store_db *db, int64_t role, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ROLE_PERMISSIONS_CLEAR);

        query_integer(&query, role);
        return query_run(&query, NULL, error);
}

static bool add_permissions(struct store_db *db, int64_t role, const char *const *permissions, size_t count,
                            bool *is_changed, struct error *error)
{
        for (size_t i = 0; i < count; i++) {
                auto_query query = query_begin(db, STATEMENT_ROLE_PERMISSION_ADD);
                int added;
                query_integer(&query, role);
                query_text(&query, permissions[i]);
                if (!query_run(&query, &added, error))
                        return false;
                *is_changed |= added > 0;
        }
        return true;
}

static bool count_permissions(struct store_db *db, int64_t role, size_t *count, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ROLE_PERMISSION_COUNT);
        bool is_row;

        query_integer(&query, role);
        if (!query_next(&query, &is_row, error))
                return false;
        *count = (size_t)query_column_integer(&query, 0);
        return true;
}

/* The predefined roles are put at every start, which need not wait for the disk when they are there already. */
bool store_role_put(struct store_db *db, const char *name, bool is_predefined, const char *const *permissions,
                    size_t count, struct error *error)
{
        bool is_changed = false;
        size_t present;
        int64_t role;

        if (!ensure_role(db, name, is_predefined, &role, error) ||
            !add_permissions(db, role, permissions, count, &is_changed, error) ||
            !count_permissions(db, role, &present, error))
                return false;
        if (present != count) {
                is_changed = true;
                if (!clear_permissions(db, role, error) ||
                    !add_permissions(db, role, permissions, count, &is_changed, error))
                        return false;
        }
        if (is_changed)
                store_changes_access(db);
        return true;
}

static void append_name(const char *name, void *context)
{
        struct text *names = context;

        text_printf(names, "%s%s", names->length ? ", " : "", name);
}

bool store_role_find(struct store_db *db, const char *name, int64_t *rid, struct error *error)
{
        auto_text names = TEXT_WITH_MAXIMUM(300);
        bool is_found;

        if (!find_role(db, name, rid, &is_found, error))
                return false;
        if (is_found)
                return true;
        return store_role_list(db, append_name, &names, error) &&
               error_set(error, ERROR_NOT_FOUND, "there is no role %.100s; the roles are: %s", name,
                         text_string(&names));
}

bool store_role_list(struct store_db *db, void (*each)(const char *name, void *context), void *context,
                     struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ROLE_NAMES);
        bool is_row, is_good;

        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                auto_free char *name = query_column_text(&query, 0);
                each(name, context);
        }
        return is_good;
}

static bool find_binding(struct store_db *db, const struct store_binding_new *binding, char id[ID_SIZE], bool *is_found,
                         struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_BINDING_FIND);

        query_optional(&query, binding->user);
        query_optional(&query, binding->team);
        query_text(&query, binding->scope);
        query_optional(&query, binding->environment);
        query_integer(&query, binding->role);
        if (!query_next(&query, is_found, error))
                return false;
        if (*is_found) {
                auto_free char *found = query_column_text(&query, 0);
                snprintf(id, ID_SIZE, "%s", found);
        }
        return true;
}

bool store_binding_add(struct store_db *db, const struct store_binding_new *binding, int64_t now, char id[ID_SIZE],
                       struct error *error)
{
        bool is_found;

        if (!find_binding(db, binding, id, &is_found, error))
                return false;
        if (is_found)
                return true;
        id_new("bind", id);
        auto_query query = query_begin(db, STATEMENT_BINDING_ADD);
        query_text(&query, id);
        query_optional(&query, binding->user);
        query_optional(&query, binding->team);
        query_text(&query, binding->scope);
        query_optional(&query, binding->environment);
        query_integer(&query, binding->role);
        query_integer(&query, now);
        store_changes_access(db);
        return query_run(&query, NULL, error);
}

bool store_binding_remove(struct store_db *db, const char *id, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_BINDING_REMOVE);
        int changed = 0;

        query_text(&query, id);
        store_changes_access(db);
        if (!query_run(&query, &changed, error))
                return false;
        return changed || error_set(error, ERROR_NOT_FOUND, "there is no binding %.100s", id);
}

bool store_binding_list(struct store_db *db, void (*each)(const struct store_binding *binding, void *context),
                        void *context, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_BINDINGS_ALL);
        bool is_row, is_good;

        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                auto_free char *id = query_column_text(&query, 0), *user = query_column_text(&query, 1);
                auto_free char *team = query_column_text(&query, 2), *role = query_column_text(&query, 3);
                auto_free char *scope = query_column_text(&query, 4), *environment = query_column_text(&query, 5);
                each(&(struct store_binding){id, user, team, role, scope, environment}, context);
        }
        return is_good;
}

bool store_grant_list(struct store_db *db, int64_t user, void (*each)(const struct store_grant *grant, void *context),
                      void *context, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_GRANTS_OF_USER);
        bool is_row, is_good;

        query_integer(&query, user);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                auto_free char *scope = query_column_text(&query, 0), *role = query_column_text(&query, 2);
                auto_free char *permission = query_column_text(&query, 4);
                each(&(struct store_grant){scope, query_column_integer(&query, 1), role,
                                           query_column_integer(&query, 3), permission},
                     context);
        }
        return is_good;
}

bool store_reason_list(struct store_db *db, int64_t user,
                       void (*each)(const struct store_reason *reason, void *context), void *context,
                       struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_REASONS_OF_USER);
        bool is_row, is_good;

        query_integer(&query, user);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                auto_free char *id = query_column_text(&query, 0), *name = query_column_text(&query, 1);
                auto_free char *team = query_column_text(&query, 2), *role = query_column_text(&query, 3);
                auto_free char *scope = query_column_text(&query, 4), *environment = query_column_text(&query, 5);
                auto_free char *permission = query_column_text(&query, 7);
                each(&(struct store_reason){{id, name, team, role, scope, environment},
                                            query_column_integer(&query, 6),
                                            permission},
                     context);
        }
        return is_good;
}

bool store_role_list_permissions(struct store_db *db,
                                 void (*each)(const char *role, bool is_predefined, const char *permission,
                                              void *context),
                                 void *context, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_ROLES_ALL);
        bool is_row, is_good;

        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                auto_free char *role = query_column_text(&query, 0), *permission = query_column_text(&query, 2);
                each(role, query_column_integer(&query, 1), permission, context);
        }
        return is_good;
}
