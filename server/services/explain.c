#include "server/services/explain.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/environment.h"
#include "server/services/grants.h"
#include "server/services/permission.h"
#include "server/services/role.h"
#include "server/store/access.h"
#include "server/store/user.h"

static bool is_permission(const char *string)
{
        enum permission permission;

        return permission_parse(string, &permission);
}

static const struct field rows[] = {
        STRING_FIELD(struct access_explain_input, user, .is_required = true, .minimum = 1, .maximum = 64,
                     .help = "The user."),
        STRING_FIELD(struct access_explain_input, permission, .is_required = true, .minimum = 1, .maximum = 64,
                     .is_valid = is_permission, .shape = "a permission such as tasks:create",
                     .help = "The permission."),
        STRING_FIELD(struct access_explain_input, environment, .minimum = 1, .maximum = 100,
                     .help = "The environment; for a permission at the server, or in all environments, left out."),
};
const struct field_table access_explain_table = FIELD_TABLE(struct access_explain_input, rows);

struct explaining {
        enum permission permission;
        int64_t environment; /* rid, 0 for none */
        json_t *reasons;
};

/* Whether a binding of that scope decides on the permission where it was asked about. */
static bool reaches(const struct explaining *explaining, const struct store_reason *reason)
{
        if (!strcmp(reason->binding.scope, "server"))
                return true;
        if (permission_row(explaining->permission)->scope == PERMISSION_SCOPE_SERVER)
                return false;
        return !strcmp(reason->binding.scope, "environments") ||
               (explaining->environment && reason->environment == explaining->environment);
}

/* The permission itself, or one that includes it. */
static bool gives(const struct explaining *explaining, const char *string)
{
        enum permission given;

        return string && permission_parse(string, &given) &&
               (permission_given(given) & permission_bit(explaining->permission));
}

static void look(const struct store_reason *reason, void *context)
{
        struct explaining *explaining = context;
        const struct store_binding *binding = &reason->binding;

        if (reaches(explaining, reason) && gives(explaining, reason->permission))
                json_array_append_new(explaining->reasons,
                                      json_pack("{s:s, s:s?, s:s?, s:s, s:s, s:s?, s:s}", "id", binding->id, "user",
                                                binding->user, "team", binding->team, "role", binding->role, "scope",
                                                binding->scope, "environment", binding->environment, "permission",
                                                reason->permission));
}

static bool find_environment(struct call *call, const char *name, int64_t *rid, struct error *error)
{
        *rid = 0;
        if (!name)
                return true;
        auto_environment *found = environment_require(call, name, error);
        if (!found)
                return false;
        *rid = found->rid;
        return true;
}

bool access_explain(struct call *call, const struct access_explain_input *input, json_t **result, struct error *error)
{
        struct explaining explaining = {0};
        auto_json *reasons = json_array();
        auto_store_user user = {0};
        bool is_self = call->actor->user && !strcasecmp(call->actor->user_name, input->user);

        if ((!is_self && !access_require(call->actor, PERMISSION_USERS_MANAGE, error)) ||
            !permission_parse(input->permission, &explaining.permission) ||
            !find_environment(call, input->environment, &explaining.environment, error) ||
            !store_user_find(call->db, input->user, &user, error))
                return false;
        explaining.reasons = reasons;
        if (!store_reason_list(call->db, user.rid, look, &explaining, error))
                return false;
        bool is_allowed = json_array_size(reasons) && !user.is_disabled;
        *result = json_pack("{s:s, s:s, s:s?, s:b, s:b, s:O}", "user", user.name, "permission", input->permission,
                            "environment", input->environment, "disabled", user.is_disabled, "allowed", is_allowed,
                            "reasons", reasons);
        return true;
}
