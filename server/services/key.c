#include "server/services/key.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/toolset.h"
#include "server/services/user.h"
#include "server/services/write.h"
#include "server/store/key.h"
#include "server/store/user.h"

#define HINT_LENGTH 10
#define DAY_MS (INT64_C(24) * 60 * 60 * 1000)

static const struct field add_rows[] = {
        STRING_FIELD(struct key_add_input, user, .minimum = 1, .maximum = 64,
                     .help = "The user that the key acts for; oneself when left out."),
        STRING_FIELD(struct key_add_input, name, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "What the key is for, to tell it from others."),
        INTEGER_FIELD(struct key_add_input, expiresDays, .minimum = 0, .maximum = 3650,
                      .help = "Days until it stops working; 0 for never."),
        STRING_FIELD(
                struct key_add_input, toolsets, .minimum = 1, .maximum = TOOLSET_NAMES_MAXIMUM,
                .help = "Toolsets of the MCP server that it is limited to, with commas between them. What it may do "
                        "follows from its user's roles all the same."),
};
const struct field_table key_add_table = FIELD_TABLE(struct key_add_input, add_rows);

static const struct field list_rows[] = {
        STRING_FIELD(struct key_list_input, user, .minimum = 1, .maximum = 64,
                     .help = "This user's keys; without it one's own, on the command line all."),
};
const struct field_table key_list_table = FIELD_TABLE(struct key_list_input, list_rows);

static const struct field revoke_rows[] = {
        STRING_FIELD(struct key_revoke_input, id, .is_required = true, .minimum = 1, .maximum = ID_SIZE,
                     .help = "The key's id, as `key list` shows it."),
};
const struct field_table key_revoke_table = FIELD_TABLE(struct key_revoke_input, revoke_rows);

static bool require_own(struct call *call, int64_t user, struct error *error)
{
        return (call->actor->user && call->actor->user == user) || user_require_manage(call, user, error);
}

/* The user of that name, or the actor's own. */
static const char *name_or_own(const struct call *call, const char *name)
{
        return name || !call->actor->user ? name : call->actor->user_name;
}

static bool add_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct key_add_input *input = context;
        int64_t expires_at = input->expiresDays ? call->now + input->expiresDays * DAY_MS : 0;
        char key[SECRET_KEY_SIZE], hint[HINT_LENGTH + 1], id[ID_SIZE];
        uint8_t hash[SECRET_HASH_SIZE];
        auto_store_user user = {0};
        uint32_t toolsets;

        const char *name = name_or_own(call, input->user);
        if (input->toolsets && !toolset_parse(input->toolsets, &toolsets, error))
                return false;
        if (!name)
                return error_set(error, ERROR_INVALID_INPUT, "user is missing");
        if (!store_user_find(call->db, name, &user, error) || !require_own(call, user.rid, error))
                return false;
        secret_key_new(key);
        secret_hash(key, strlen(key), hash);
        snprintf(hint, sizeof hint, "%s", key);
        if (!store_key_add(call->db,
                           &(struct store_key_new){.hash = hash,
                                                   .user = user.rid,
                                                   .name = input->name,
                                                   .hint = hint,
                                                   .created_at = call->now,
                                                   .expires_at = expires_at,
                                                   .toolsets = input->toolsets},
                           id, error) ||
            !audit_write(call->db, call->actor, "key.add", id,
                         json_pack("{s:s, s:s}", "user", user.name, "name", input->name), error))
                return false;
        *result = json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "id", id, "key", key, "user", user.name, "name",
                            input->name, "expiresAt", document_time(expires_at), "toolsets",
                            document_string(input->toolsets));
        secret_wipe(key, sizeof key);
        return true;
}

bool key_add(struct call *call, const struct key_add_input *input, json_t **result, struct error *error)
{
        return call_write(call, add_work, input, result, error);
}

static void append_key(const struct store_key *key, void *context)
{
        json_t *item = json_pack("{s:s, s:s, s:s, s:s}", "id", key->id, "user", key->user_name, "name", key->name,
                                 "hint", key->hint);

        json_object_set_new(item, "createdAt", document_time(key->created_at));
        json_object_set_new(item, "expiresAt", document_time(key->expires_at));
        json_object_set_new(item, "lastUsedAt", document_time(key->last_used_at));
        json_object_set_new(item, "revokedAt", document_time(key->revoked_at));
        json_object_set_new(item, "toolsets", document_string(key->toolsets));
        json_array_append_new(context, item);
}

bool key_list(struct call *call, const struct key_list_input *input, json_t **result, struct error *error)
{
        auto_json *keys = json_array();
        auto_store_user user = {0};

        const char *name = name_or_own(call, input->user);
        if (name) {
                if (!store_user_find(call->db, name, &user, error) || !require_own(call, user.rid, error))
                        return false;
        } else if (!access_require(call->actor, PERMISSION_USERS_MANAGE, error)) {
                return false;
        }
        if (!store_key_list(call->db, user.rid, append_key, keys, error))
                return false;
        *result = json_pack("{s:O}", "keys", keys);
        return true;
}

static bool revoke_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct key_revoke_input *input = context;
        auto_store_key key = {0};

        if (!store_key_find_id(call->db, input->id, &key, error) || !require_own(call, key.user, error) ||
            !store_key_revoke(call->db, key.rid, call->now, error) ||
            !audit_write(call->db, call->actor, "key.revoke", key.id, NULL, error))
                return false;
        *result =
                json_pack("{s:s, s:s, s:s, s:b}", "id", key.id, "user", key.user_name, "name", key.name, "revoked", 1);
        return true;
}

bool key_revoke(struct call *call, const struct key_revoke_input *input, json_t **result, struct error *error)
{
        return call_write(call, revoke_work, input, result, error);
}
