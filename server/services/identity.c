#include "server/services/identity.h"

#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/oidc_claims.h"
#include "server/services/write.h"
#include "server/store/identity.h"
#include "server/store/session.h"
#include "server/store/user.h"

static const struct field rows[] = {
        STRING_FIELD(struct identity_input, name, .is_required = true, .minimum = 1, .maximum = 64,
                     .help = "The user."),
        STRING_FIELD(struct identity_input, subject, .is_required = true, .minimum = 1, .maximum = OIDC_SUBJECT_MAXIMUM,
                     .help = "The provider's id of the account (the claim sub)."),
        STRING_FIELD(struct identity_input, issuer, .minimum = 1, .maximum = 500,
                     .help = "The provider; OIDC_ISSUER when left out."),
};
const struct field_table identity_table = FIELD_TABLE(struct identity_input, rows);

static const char *issuer_of(const struct identity_input *input, struct error *error)
{
        const char *issuer = input->issuer ? input->issuer : settings_current()->oidc_issuer;

        if (!issuer)
                error_set(error, ERROR_INVALID_INPUT, "issuer is missing, and OIDC_ISSUER is not set");
        return issuer;
}

static bool find(struct call *call, const struct identity_input *input, struct store_user *user, struct error *error)
{
        return access_require(call->actor, PERMISSION_USERS_MANAGE, error) &&
               store_user_find(call->db, input->name, user, error) && user_require_manage(call, user->rid, error);
}

static bool tell(struct call *call, const char *action, const struct store_user *user, const char *issuer,
                 const char *subject, json_t **result, struct error *error)
{
        if (!audit_write(call->db, call->actor, action, user->name,
                         json_pack("{s:s, s:s}", "issuer", issuer, "subject", subject), error))
                return false;
        *result = json_pack("{s:s, s:s, s:s}", "name", user->name, "issuer", issuer, "subject", subject);
        return true;
}

static bool link_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct identity_input *input = context;
        const char *issuer = issuer_of(input, error);
        auto_store_user user = {0};
        int64_t linked;

        if (!issuer || !find(call, input, &user, error) ||
            !store_identity_find(call->db, issuer, input->subject, &linked, error))
                return false;
        if (linked)
                return error_set(error, ERROR_CONFLICT, "this account is linked to a user already");
        return store_identity_add(call->db, issuer, input->subject, user.rid, call->now, error) &&
               tell(call, "identity.link", &user, issuer, input->subject, result, error);
}

bool identity_link(struct call *call, const struct identity_input *input, json_t **result, struct error *error)
{
        return call_write(call, link_work, input, result, error);
}

static bool unlink_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct identity_input *input = context;
        const char *issuer = issuer_of(input, error);
        auto_store_user user = {0};
        bool is_removed;

        if (!issuer || !find(call, input, &user, error) ||
            !store_identity_remove(call->db, issuer, input->subject, user.rid, &is_removed, error))
                return false;
        if (!is_removed)
                return error_set(error, ERROR_NOT_FOUND, "the user is not linked to this account");
        return store_session_end_all(call->db, user.rid, "", error) &&
               tell(call, "identity.unlink", &user, issuer, input->subject, result, error);
}

bool identity_unlink(struct call *call, const struct identity_input *input, json_t **result, struct error *error)
{
        return call_write(call, unlink_work, input, result, error);
}

static void append(const struct store_identity *identity, void *context)
{
        json_array_append_new(context, json_pack("{s:s, s:s, s:o}", "issuer", identity->issuer, "subject",
                                                 identity->subject, "createdAt", document_time(identity->created_at)));
}

bool identity_list(struct call *call, const struct user_name_input *input, json_t **result, struct error *error)
{
        auto_json *identities = json_array();
        auto_store_user user = {0};

        if (!access_require(call->actor, PERMISSION_USERS_MANAGE, error) ||
            !store_user_find(call->db, input->name, &user, error) ||
            !store_identity_list(call->db, user.rid, append, identities, error))
                return false;
        *result = json_pack("{s:O}", "identities", identities);
        return true;
}
