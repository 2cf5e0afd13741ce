#include "server/services/oauth_grant.h"

#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/oauth_client.h"
#include "server/store/oauth.h"

static const struct field revoke_rows[] = {
        STRING_FIELD(struct oauth_grant_revoke_input, client_id, .is_required = true, .minimum = 1,
                     .maximum = OAUTH_CLIENT_ID_MAXIMUM, .help = "The client's id, as the list shows it."),
};
const struct field_table oauth_grant_revoke_table = FIELD_TABLE(struct oauth_grant_revoke_input, revoke_rows);

static void append(const struct store_oauth_approved *approved, void *context)
{
        json_t *item = json_pack("{s:s, s:s, s:s, s:s}", "clientId", approved->client, "clientName", approved->name,
                                 "redirectHost", approved->redirect_host, "scope", approved->scope);

        json_object_set_new(item, "createdAt", document_time(approved->created_at));
        json_object_set_new(item, "lastUsedAt", document_time(approved->last_used_at));
        json_object_set_new(item, "expiresAt", document_time(approved->expires_at));
        json_array_append_new(context, item);
}

bool oauth_grant_list(struct call *call, json_t **result, struct error *error)
{
        auto_json *grants = json_array();

        if (!store_oauth_grant_list(call->db, call->actor->user, call->now, append, grants, error))
                return false;
        *result = json_pack("{s:O}", "grants", grants);
        return true;
}

static bool end(struct call *call, const char *client, json_t **result, struct error *error)
{
        int count;

        if (!store_oauth_grants_end(call->db, call->actor->user, client, &count, error))
                return false;
        if (client && !count)
                return error_set(error, ERROR_CLIENT_NOT_FOUND, NULL);
        if (!audit_write(call->db, call->actor, "oauth.revoke", client, json_pack("{s:i}", "grants", count), error))
                return false;
        *result = json_pack("{s:i}", "revoked", count);
        return true;
}

bool oauth_grant_revoke(struct call *call, const struct oauth_grant_revoke_input *input, json_t **result,
                        struct error *error)
{
        return end(call, input->client_id, result, error);
}

bool oauth_grant_revoke_all(struct call *call, json_t **result, struct error *error)
{
        return end(call, NULL, result, error);
}
