#include "server/services/user.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/grants.h"
#include "server/services/password.h"
#include "server/services/role.h"
#include "server/services/setup_code.h"
#include "server/services/write.h"
#include "server/store/oauth.h"
#include "server/store/session.h"
#include "server/store/user.h"
#include "server/store/vault.h"

bool user_name_is_valid(const char *name)
{
        size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@+");

        return length >= 1 && length <= 64 && !name[length];
}

#define NAME_LIMITS .is_required = true, .minimum = 1, .maximum = 64
#define PASSWORD_LIMITS .minimum = 8, .maximum = 256

static const struct field add_rows[] = {
        STRING_FIELD(struct user_add_input, name, NAME_LIMITS, .is_valid = user_name_is_valid, .shape = USER_NAME_SHAPE,
                     .help = "The new user's name."),
        STRING_FIELD(struct user_add_input, password, PASSWORD_LIMITS,
                     .help = "For logging in; API keys work without one."),
        STRING_FIELD(struct user_add_input, role, .minimum = 1, .maximum = 64, .help = "A role to give at once."),
        STRING_FIELD(struct user_add_input, environment, .minimum = 1, .maximum = 100,
                     .help = "The environment in which the role holds; without it, at the server."),
};
const struct field_table user_add_table = FIELD_TABLE(struct user_add_input, add_rows);

static const struct field password_rows[] = {
        STRING_FIELD(struct user_password_input, name, NAME_LIMITS, .help = "The user."),
        STRING_FIELD(struct user_password_input, password, PASSWORD_LIMITS, .is_required = true,
                     .help = "The new password."),
};
const struct field_table user_password_table = FIELD_TABLE(struct user_password_input, password_rows);

static const struct field name_rows[] = {
        STRING_FIELD(struct user_name_input, name, NAME_LIMITS, .help = "The user."),
};
const struct field_table user_name_table = FIELD_TABLE(struct user_name_input, name_rows);

bool user_require_below(struct call *call, int64_t user, struct error *error)
{
        if (call->actor->grants->is_administrator)
                return true;
        auto_free struct grants *grants = grants_resolve(call->db, user, error);
        if (!grants)
                return false;
        return !grants->is_administrator ||
               error_set(error, ERROR_PERMISSION_DENIED, "only a server administrator changes another one");
}

bool user_require_manage(struct call *call, int64_t user, struct error *error)
{
        return access_require(call->actor, PERMISSION_USERS_MANAGE, error) && user_require_below(call, user, error);
}

/* An input with the hash of its password, "" for none. */
struct with_hash {
        const void *input;
        char hash[SECRET_PASSWORD_HASH_SIZE];
};

static bool add_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct with_hash *with = context;
        const struct user_add_input *input = with->input;
        char id[ID_SIZE];
        int64_t rid;

        if (!access_require(call->actor, PERMISSION_USERS_MANAGE, error) ||
            !store_user_add(call->db, input->name, *with->hash ? with->hash : NULL, call->now, id, &rid, error))
                return false;
        if (input->role && !role_bind_user(call, input->name, input->role, input->environment, error))
                return false;
        if (!audit_write(
                    call->db, call->actor, "user.add", input->name,
                    json_pack("{s:s, s:s*, s:s*}", "id", id, "role", input->role, "environment", input->environment),
                    error))
                return false;
        *result = json_pack("{s:s, s:s, s:s*, s:s*}", "id", id, "name", input->name, "role", input->role, "environment",
                            input->environment);
        return true;
}

bool user_add(struct call *call, const struct user_add_input *input, json_t **result, struct error *error)
{
        struct with_hash with = {.input = input};

        if (input->environment && !input->role)
                return error_set(error, ERROR_INVALID_INPUT, "an environment needs a role that holds in it");
        if (!access_require(call->actor, PERMISSION_USERS_MANAGE, error) ||
            (input->password && !password_hash(input->password, with.hash, error)))
                return false;
        if (!call_write(call, add_work, &with, result, error))
                return false;
        setup_code_remove(call->services->data_folder);
        return true;
}

static void append_user(const struct store_user *user, void *context)
{
        json_t *item = json_pack("{s:s, s:s, s:b, s:b}", "name", user->name, "id", user->id, "disabled",
                                 user->is_disabled, "hasPassword", user->password_hash != NULL);

        json_object_set_new(item, "createdAt", document_time(user->created_at));
        json_array_append_new(context, item);
}

bool user_list(struct call *call, json_t **result, struct error *error)
{
        auto_json *users = json_array();

        if (!access_require(call->actor, PERMISSION_USERS_MANAGE, error) ||
            !store_user_list(call->db, append_user, users, error))
                return false;
        *result = json_pack("{s:O}", "users", users);
        return true;
}

/* Who may not manage users does not learn who there is. */
static bool find_managed(struct call *call, const char *name, struct store_user *user, struct error *error)
{
        return access_require(call->actor, PERMISSION_USERS_MANAGE, error) &&
               store_user_find(call->db, name, user, error) && user_require_manage(call, user->rid, error);
}

static bool password_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct with_hash *with = context;
        const struct user_password_input *input = with->input;
        auto_store_user user = {0};

        if (!find_managed(call, input->name, &user, error) ||
            !store_user_set_password(call->db, user.rid, with->hash, error) ||
            !store_session_end_all(call->db, user.rid, "", error) ||
            !audit_write(call->db, call->actor, "user.password", user.name, NULL, error))
                return false;
        *result = json_pack("{s:s, s:b}", "name", user.name, "hasPassword", 1);
        return true;
}

bool user_set_password(struct call *call, const struct user_password_input *input, json_t **result, struct error *error)
{
        struct with_hash with = {.input = input};

        if (!access_require(call->actor, PERMISSION_USERS_MANAGE, error) ||
            !password_hash(input->password, with.hash, error))
                return false;
        return call_write(call, password_work, &with, result, error);
}

static bool set_disabled(struct call *call, const struct user_name_input *input, bool is_disabled, json_t **result,
                         struct error *error)
{
        auto_store_user user = {0};

        if (!find_managed(call, input->name, &user, error) ||
            !store_user_set_disabled(call->db, user.rid, is_disabled, error) ||
            (is_disabled && (!store_session_end_all(call->db, user.rid, "", error) ||
                             !store_oauth_grants_end(call->db, user.rid, NULL, NULL, error))) ||
            !audit_write(call->db, call->actor, is_disabled ? "user.disable" : "user.enable", user.name, NULL, error))
                return false;
        *result = json_pack("{s:s, s:b}", "name", user.name, "disabled", is_disabled);
        return true;
}

static bool disable_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return set_disabled(call, input, true, result, error);
}

static bool enable_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return set_disabled(call, input, false, result, error);
}

bool user_disable(struct call *call, const struct user_name_input *input, json_t **result, struct error *error)
{
        return call_write(call, disable_work, input, result, error);
}

bool user_enable(struct call *call, const struct user_name_input *input, json_t **result, struct error *error)
{
        return call_write(call, enable_work, input, result, error);
}

static bool remove_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct user_name_input *input = context;
        auto_store_user user = {0};

        if (!find_managed(call, input->name, &user, error))
                return false;
        if (user.rid == call->actor->user)
                return error_set(error, ERROR_CONFLICT, "Nobody removes oneself; another administrator can.");
        if (!store_user_remove(call->db, user.rid, call->now, error) || !store_value_prune(call->db, error) ||
            !audit_write(call->db, call->actor, "user.remove", user.name, json_pack("{s:s}", "id", user.id), error))
                return false;
        *result = json_pack("{s:s, s:b}", "name", user.name, "removed", 1);
        return true;
}

bool user_remove(struct call *call, const struct user_name_input *input, json_t **result, struct error *error)
{
        return call_write(call, remove_work, input, result, error);
}
