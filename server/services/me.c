#include "server/services/me.h"

#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/environment_snapshot.h"
#include "server/services/login_limit.h"
#include "server/services/password.h"
#include "server/services/permission.h"
#include "server/services/session.h"
#include "server/services/totp.h"
#include "server/services/user.h"
#include "server/services/write.h"
#include "server/store/identity.h"
#include "server/store/session.h"
#include "server/store/user.h"

static json_t *strings_of(uint64_t bits)
{
        json_t *list = json_array();

        for (int i = 0; i < PERMISSION_COUNT; i++)
                if (bits & permission_bit((enum permission)i))
                        json_array_append_new(list, json_string(permission_string((enum permission)i)));
        return list;
}

/* By name; environments that are gone are left out. */
static json_t *environments_of(const struct call *call)
{
        const struct grants *grants = call->actor->grants;
        auto_environment_snapshot *current = environments_current(call->services->environments);
        json_t *list = json_array();

        for (size_t i = 0; i < current->count; i++)
                for (size_t j = 0; j < grants->count; j++)
                        if (grants->environments[j].environment == current->by_name[i]->rid)
                                json_array_append_new(list, json_pack("{s:o, s:o}", "name",
                                                                      document_string(current->by_name[i]->name),
                                                                      "permissions",
                                                                      strings_of(grants->environments[j].permissions)));
        return list;
}

static bool find_self(struct call *call, struct store_user *user, struct error *error)
{
        if (!call->actor->user)
                return error_set(error, ERROR_INVALID_INPUT, "the command line is nobody; name a user");
        return store_user_find_rid(call->db, call->actor->user, user, error);
}

static void note_link(const struct store_identity *identity, void *context)
{
        (void)identity;
        *(bool *)context = true;
}

/* What there is besides the password: {totpEnrolled, recoveryCodesLeft, ssoLinked}, and of a session {signedInAt, sso}.
 */
static bool add_sign_in(struct call *call, int64_t user, json_t *me, struct error *error)
{
        struct session_origin origin;
        bool is_enrolled, is_linked = false;
        int64_t left;

        if (!totp_state(call->db, user, &is_enrolled, &left, error) ||
            !store_identity_list(call->db, user, note_link, &is_linked, error))
                return false;
        json_object_set_new(me, "totpEnrolled", json_boolean(is_enrolled));
        json_object_set_new(me, "recoveryCodesLeft", json_integer(left));
        json_object_set_new(me, "ssoLinked", json_boolean(is_linked));
        if (call->actor->credential != CREDENTIAL_SESSION)
                return true;
        if (!session_origin(call->db, call->actor, &origin, error))
                return false;
        json_object_set_new(me, "signedInAt", document_time(origin.signed_in_at));
        json_object_set_new(me, "sso", json_boolean(origin.is_sso));
        return true;
}

bool me_get(struct call *call, json_t **result, struct error *error)
{
        const struct grants *grants = call->actor->grants;
        auto_store_user user = {0};

        if (!find_self(call, &user, error))
                return false;
        auto_json *me = json_pack("{s:s, s:s, s:s, s:b, s:b, s:{s:o, s:o, s:o}}", "id", user.id, "name", user.name,
                                  "credential", audit_credential_name(call->actor->credential), "isServerAdministrator",
                                  grants->is_administrator, "hasPassword", user.password_hash != NULL, "permissions",
                                  "server", strings_of(grants->server), "everywhere", strings_of(grants->everywhere),
                                  "environments", environments_of(call));
        if (!add_sign_in(call, user.rid, me, error))
                return false;
        *result = take(me);
        return true;
}

static const struct field change_rows[] = {
        STRING_FIELD(struct me_change_input, name, .is_required = true, .minimum = 1, .maximum = 64,
                     .is_valid = user_name_is_valid, .shape = USER_NAME_SHAPE, .help = "Your new name."),
};
const struct field_table me_change_table = FIELD_TABLE(struct me_change_input, change_rows);

bool me_change(struct call *call, const struct me_change_input *input, json_t **result, struct error *error)
{
        auto_store_user user = {0};

        if (!find_self(call, &user, error) || !store_user_set_name(call->db, user.rid, input->name, error) ||
            !audit_write(call->db, call->actor, "user.rename", user.name, json_pack("{s:s}", "name", input->name),
                         error))
                return false;
        *result = json_pack("{s:s, s:s}", "id", user.id, "name", input->name);
        return true;
}

static const struct field password_rows[] = {
        STRING_FIELD(struct me_password_input, currentPassword, .is_required = true, .minimum = 1, .maximum = 256,
                     .help = "The password until now."),
        STRING_FIELD(struct me_password_input, password, .is_required = true, .minimum = 8, .maximum = 256,
                     .help = "The new password."),
};
const struct field_table me_password_table = FIELD_TABLE(struct me_password_input, password_rows);

static bool password_work(struct call *call, const void *hash, json_t **result, struct error *error)
{
        const struct actor *actor = call->actor;
        bool is_session = actor->credential == CREDENTIAL_SESSION;
        auto_store_user user = {0};

        if (!find_self(call, &user, error) || !store_user_set_password(call->db, user.rid, hash, error) ||
            !store_session_end_all(call->db, user.rid, is_session ? actor->credential_id : "", error) ||
            !audit_write(call->db, actor, "user.password", user.name, NULL, error))
                return false;
        *result = json_pack("{s:b}", "changed", 1);
        return true;
}

bool me_set_password(struct call *call, const struct me_password_input *input, json_t **result, struct error *error)
{
        char hash[SECRET_PASSWORD_HASH_SIZE];
        auto_store_user user = {0};
        bool is_right;

        if (!find_self(call, &user, error) || !login_limit_take("", user.name, clock_monotonic(), error) ||
            !password_verify(user.password_hash, input->currentPassword, &is_right, error))
                return false;
        if (!is_right)
                return error_set(error, ERROR_PERMISSION_DENIED, "the current password is wrong");
        return password_hash(input->password, hash, error) && call_write(call, password_work, hash, result, error);
}
