#include "server/services/account.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/account_limit.h"
#include "server/services/agent.h"
#include "server/services/audit.h"
#include "server/services/secret_value.h"
#include "server/services/vault_scope.h"
#include "server/services/write.h"
#include "server/store/vault.h"

#define AGENT_ROW(S)                                                                                                   \
        STRING_FIELD(S, agent, .is_required = true, .minimum = 1, .maximum = 64, .help = "The agent it is for.")
#define USER_ROW(S)                                                                                                    \
        STRING_FIELD(S, user, .minimum = 1, .maximum = 64, .help = "Whose it is; without it, the server's default.")

static const struct field set_rows[] = {
        AGENT_ROW(struct account_set_input),
        STRING_FIELD(struct account_set_input, variable, .is_required = true, .minimum = 1,
                     .maximum = SECRET_NAME_MAXIMUM, .is_valid = secret_name_is_valid, .shape = SECRET_NAME_SHAPE,
                     .help = "The environment variable in which the agent reads it."),
        STRING_FIELD(struct account_set_input, value, .is_required = true, .maximum = SEAL_VALUE_MAXIMUM,
                     .format = "password", .help = "The credential itself."),
        USER_ROW(struct account_set_input),
};
const struct field_table account_set_table = FIELD_TABLE(struct account_set_input, set_rows);

static const struct field list_rows[] = {USER_ROW(struct account_list_input)};
const struct field_table account_list_table = FIELD_TABLE(struct account_list_input, list_rows);

static const struct field remove_rows[] = {AGENT_ROW(struct account_remove_input),
                                           USER_ROW(struct account_remove_input)};
const struct field_table account_remove_table = FIELD_TABLE(struct account_remove_input, remove_rows);

/* A user's own account, or with settings:manage the server's default. */
static bool scope_of(struct call *call, const char *user, struct vault_scope *scope, struct error *error)
{
        *scope = (struct vault_scope){0};
        if (!vault_scope_person(call, error))
                return false;
        return user ? vault_scope_user(call, user, scope, error)
                    : access_require(call->actor, PERMISSION_SETTINGS_MANAGE, error);
}

static json_t *view(const struct call *call, const struct store_account *account)
{
        json_t *item = json_object();
        bool is_told = account->user || access_allows(call->actor, PERMISSION_SETTINGS_MANAGE, 0);

        json_object_set_new(item, "agent", document_string(account->agent));
        json_object_set_new(item, "user", document_string(account->user_name));
        json_object_set_new(item, "variable", document_string(account->variable));
        json_object_set_new(item, "state", json_string(account->refused_at ? "refused" : "valid"));
        json_object_set_new(item, "reason", is_told ? document_string(account->refused_reason) : json_null());
        json_object_set_new(item, "createdAt", document_time(account->created_at));
        json_object_set_new(item, "updatedAt", document_time(account->updated_at));
        return item;
}

static bool reads_variable(const struct agent *agent, const char *variable)
{
        for (const char *const *name = agent->accounts; name && *name; name++)
                if (!strcmp(*name, variable))
                        return true;
        return false;
}

static bool check_agent(const struct account_set_input *input, struct error *error)
{
        const struct agent *agent = agent_find_known(input->agent);
        auto_text names = TEXT_WITH_MAXIMUM(1000);

        if (!agent)
                return error_set(error, ERROR_AGENT_UNKNOWN, "agent: this server has no agent %.100s", input->agent);
        if (!agent->accounts)
                return error_set(error, ERROR_INVALID_INPUT, "agent: %s needs no account", agent->name);
        if (reads_variable(agent, input->variable))
                return true;
        for (const char *const *name = agent->accounts; *name; name++)
                text_printf(&names, "%s%s", names.length ? ", " : "", *name);
        return error_set(error, ERROR_INVALID_INPUT, "variable: %s reads its credential from %s", agent->name,
                         text_string(&names));
}

static bool set_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct account_set_input *input = context;
        struct store_account account = {.agent = (char *)input->agent, .variable = (char *)input->variable};
        auto_store_account earlier = {0}, now = {0};
        struct vault_scope scope;
        bool is_found;

        if (!scope_of(call, input->user, &scope, error) ||
            !store_account_find(call->db, scope.user, input->agent, &earlier, &is_found, error))
                return false;
        auto_free char *origin = vault_origin_account(scope.id, input->agent, input->variable);
        account.user = scope.user;
        account.rid = is_found ? earlier.rid : 0;
        if (!seal_add(call->services, call->db, origin, input->value, &account.value, error) ||
            !store_account_put(call->db, &account, call->now, error) ||
            !account_limit_forget(call->db, account.rid, error) || !store_value_prune(call->db, error) ||
            !audit_write(call->db, call->actor, "account.set", input->agent,
                         json_pack("{s:s?, s:s}", "user", scope.name, "variable", input->variable), error) ||
            !store_account_find(call->db, scope.user, input->agent, &now, &is_found, error))
                return false;
        *result = view(call, &now);
        return true;
}

bool account_set(struct call *call, const struct account_set_input *input, json_t **result, struct error *error)
{
        struct vault_scope scope;

        return scope_of(call, input->user, &scope, error) && check_agent(input, error) &&
               secret_value_check(input->value, error) && seal_prepare(call->services, call->db, error) &&
               call_write(call, set_work, input, result, error);
}

struct listing {
        const struct call *call;
        json_t *accounts;
};

static void append(const struct store_account *account, void *context)
{
        const struct listing *listing = context;

        json_array_append_new(listing->accounts, view(listing->call, account));
}

bool account_list(struct call *call, const struct account_list_input *input, json_t **result, struct error *error)
{
        auto_json *accounts = json_array();
        struct listing listing = {call, accounts};
        struct vault_scope scope = {0};

        if (!vault_scope_person(call, error))
                return false;
        if (input->user) {
                if (!vault_scope_user(call, input->user, &scope, error) ||
                    !store_account_list(call->db, scope.user, append, &listing, error))
                        return false;
        } else if (call->actor->credential == CREDENTIAL_LOCAL) {
                if (!store_account_list(call->db, -1, append, &listing, error))
                        return false;
        } else if (!store_account_list(call->db, 0, append, &listing, error) ||
                   (call->actor->user && !store_account_list(call->db, call->actor->user, append, &listing, error))) {
                return false;
        }
        *result = json_pack("{s:O}", "accounts", accounts);
        return true;
}

static bool remove_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct account_remove_input *input = context;
        auto_store_account account = {0};
        struct vault_scope scope;
        bool is_found;

        if (!scope_of(call, input->user, &scope, error) ||
            !store_account_find(call->db, scope.user, input->agent, &account, &is_found, error))
                return false;
        if (!is_found)
                return error_set(error, ERROR_ACCOUNT_NOT_FOUND, "There is no account for %.100s there.", input->agent);
        if (!store_account_delete(call->db, account.rid, error) ||
            !account_limit_forget(call->db, account.rid, error) || !store_value_prune(call->db, error) ||
            !audit_write(call->db, call->actor, "account.remove", input->agent, json_pack("{s:s?}", "user", scope.name),
                         error))
                return false;
        *result = json_pack("{s:s, s:b}", "agent", input->agent, "removed", 1);
        return true;
}

bool account_remove(struct call *call, const struct account_remove_input *input, json_t **result, struct error *error)
{
        return call_write(call, remove_work, input, result, error);
}
