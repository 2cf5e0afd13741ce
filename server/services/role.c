#include "server/services/role.h"

#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/permission.h"
#include "server/services/write.h"
#include "server/store/access.h"
#include "server/store/environment.h"
#include "server/store/team.h"
#include "server/store/user.h"

#define BIT(name) (UINT64_C(1) << PERMISSION_##name)
#define VIEWER (BIT(TASKS_VIEW) | BIT(ENVIRONMENTS_VIEW_DETAILS) | BIT(DEPLOYMENTS_VIEW) | BIT(SKILLS_VIEW))
#define DEVELOPER                                                                                                      \
        (VIEWER | BIT(TASKS_CREATE) | BIT(TASKS_CHANGE) | BIT(TASKS_EXECUTE) | BIT(TASKS_APPROVE) |                    \
         BIT(DEPLOYMENTS_EXECUTE))

/* The sets with a scope are computed: every permission of that scope is in them, also those added later. */
static const struct {
        const char *name;
        uint64_t permissions;
        bool has_environment, has_server;
} predefined[] = {
        {"Viewer", VIEWER, false, false},
        {"Developer", DEVELOPER, false, false},
        {"Environment Admin", BIT(SKILLS_VIEW), true, false},
        {"Team Admin", DEVELOPER | BIT(TEAMS_MANAGE), false, false},
        {ROLE_SERVER_ADMIN, 0, true, true},
};

static bool has(size_t role, enum permission permission)
{
        if (predefined[role].permissions & permission_bit(permission))
                return true;
        return permission_row(permission)->scope == PERMISSION_SCOPE_ENVIRONMENT ? predefined[role].has_environment
                                                                                 : predefined[role].has_server;
}

static bool seed_work(struct store_db *db, void *context, struct error *error)
{
        (void)context;
        for (size_t role = 0; role < COUNT_OF(predefined); role++) {
                const char *strings[PERMISSION_COUNT];
                size_t count = 0;
                for (int i = 0; i < PERMISSION_COUNT; i++)
                        if (has(role, (enum permission)i))
                                strings[count++] = permission_string((enum permission)i);
                if (!store_role_put(db, predefined[role].name, true, strings, count, error))
                        return false;
        }
        return true;
}

bool role_seed(struct store *store, struct error *error)
{
        return store_write(store, seed_work, NULL, error);
}

static const struct field bind_rows[] = {
        STRING_FIELD(struct role_bind_input, user, .minimum = 1, .maximum = 64, .help = "The user who gets the role."),
        STRING_FIELD(struct role_bind_input, team, .minimum = 1, .maximum = 64,
                     .help = "The team that gets it, instead of a user."),
        STRING_FIELD(struct role_bind_input, role, .is_required = true, .minimum = 1, .maximum = 64,
                     .help = "The role, such as Developer."),
        STRING_FIELD(struct role_bind_input, environment, .minimum = 1, .maximum = 100,
                     .help = "The environment in which it holds; without it, at the server."),
        BOOLEAN_FIELD(struct role_bind_input, everywhere, .help = "In all environments instead."),
};
const struct field_table role_bind_table = FIELD_TABLE(struct role_bind_input, bind_rows);

static bool environment_rid(struct store_db *db, const char *name, int64_t *rid, struct error *error)
{
        auto_store_environment environment = {0};
        bool is_found;

        if (!store_environment_find(db, name, &environment, &is_found, error))
                return false;
        if (!is_found)
                return error_set(error, ERROR_ENVIRONMENT_NOT_FOUND,
                                 "there is no environment %.100s (a new one is known once a running server has read "
                                 "the setup folder)",
                                 name);
        *rid = environment.rid;
        return true;
}

static bool holder_rids(struct store_db *db, const struct role_bind_input *input, struct store_binding_new *binding,
                        struct error *error)
{
        auto_store_user user = {0};
        auto_store_team team = {0};

        if (!input->user == !input->team)
                return error_set(error, ERROR_INVALID_INPUT, "give either user or team");
        if (input->user ? !store_user_find(db, input->user, &user, error)
                        : !store_team_find(db, input->team, &team, error))
                return false;
        binding->user = user.rid;
        binding->team = team.rid;
        return true;
}

/* Who may only manage users must not become a server administrator by it. */
static bool may_bind(const struct actor *actor, const char *scope, const char *role, struct error *error)
{
        if (!access_require(actor, PERMISSION_USERS_MANAGE, error))
                return false;
        bool is_guarded = !strcmp(scope, "server") || !strcasecmp(role, ROLE_SERVER_ADMIN);
        return !is_guarded || actor->grants->is_administrator ||
               error_set(error, ERROR_PERMISSION_DENIED, "only a server administrator gives roles at the server");
}

static const char *scope_of(const struct role_bind_input *input)
{
        return input->environment ? "environment" : input->everywhere ? "environments" : "server";
}

static bool bind(struct call *call, const struct role_bind_input *input, json_t **result, struct error *error)
{
        struct store_binding_new binding = {.scope = scope_of(input)};
        char id[ID_SIZE];

        if (!may_bind(call->actor, binding.scope, input->role, error) ||
            !holder_rids(call->db, input, &binding, error) ||
            !store_role_find(call->db, input->role, &binding.role, error))
                return false;
        if (input->environment && !environment_rid(call->db, input->environment, &binding.environment, error))
                return false;
        if (!store_binding_add(call->db, &binding, call->now, id, error))
                return false;
        *result = json_pack("{s:s, s:s*, s:s*, s:s, s:s, s:s*}", "id", id, "user", input->user, "team", input->team,
                            "role", input->role, "scope", binding.scope, "environment", input->environment);
        return true;
}

static bool bind_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        auto_json *made = NULL;

        if (!bind(call, input, &made, error) || !audit_write(call->db, call->actor, "access.bind",
                                                             document_get_string(made, "id"), json_incref(made), error))
                return false;
        *result = take(made);
        return true;
}

bool role_bind(struct call *call, const struct role_bind_input *input, json_t **result, struct error *error)
{
        if (input->environment && input->everywhere)
                return error_set(error, ERROR_INVALID_INPUT, "give either environment or everywhere");
        return call_write(call, bind_work, input, result, error);
}

bool role_bind_user(struct call *call, const char *user, const char *role, const char *environment, struct error *error)
{
        auto_json *result = NULL;

        return bind(call, &(struct role_bind_input){.user = user, .role = role, .environment = environment}, &result,
                    error);
}

static const struct field unbind_rows[] = {
        STRING_FIELD(struct role_unbind_input, id, .is_required = true, .minimum = 1, .maximum = ID_SIZE,
                     .help = "The binding's id."),
};
const struct field_table role_unbind_table = FIELD_TABLE(struct role_unbind_input, unbind_rows);

static bool unbind_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct role_unbind_input *input = context;

        if (!may_bind(call->actor, "server", "", error) || !store_binding_remove(call->db, input->id, error) ||
            !audit_write(call->db, call->actor, "access.unbind", input->id, NULL, error))
                return false;
        *result = json_pack("{s:s, s:b}", "id", input->id, "removed", 1);
        return true;
}

bool role_unbind(struct call *call, const struct role_unbind_input *input, json_t **result, struct error *error)
{
        return call_write(call, unbind_work, input, result, error);
}

static void append_binding(const struct store_binding *binding, void *context)
{
        json_array_append_new(context, json_pack("{s:s, s:s?, s:s?, s:s, s:s, s:s?}", "id", binding->id, "user",
                                                 binding->user, "team", binding->team, "role", binding->role, "scope",
                                                 binding->scope, "environment", binding->environment));
}

bool role_list_bindings(struct call *call, json_t **result, struct error *error)
{
        auto_json *bindings = json_array();

        if (!access_require(call->actor, PERMISSION_USERS_MANAGE, error) ||
            !store_binding_list(call->db, append_binding, bindings, error))
                return false;
        *result = json_pack("{s:O}", "bindings", bindings);
        return true;
}

/* The rows come role by role. */
static void append_role(const char *role, bool is_predefined, const char *permission, void *context)
{
        json_t *roles = context, *last = json_array_get(roles, json_array_size(roles) - 1);

        if (!last || strcmp(document_get_string(last, "name"), role)) {
                last = json_pack("{s:s, s:b, s:[]}", "name", role, "predefined", is_predefined, "permissions");
                json_array_append_new(roles, last);
        }
        if (permission)
                json_array_append_new(json_object_get(last, "permissions"), json_string(permission));
}

bool role_list(struct call *call, json_t **result, struct error *error)
{
        auto_json *roles = json_array();

        if (!store_role_list_permissions(call->db, append_role, roles, error))
                return false;
        *result = json_pack("{s:O}", "roles", roles);
        return true;
}
