#include "server/services/secret_store.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/secret_value.h"
#include "server/services/vault_scope.h"
#include "server/services/write.h"
#include "server/store/vault.h"

/* Of an environment or a person. */
#define SECRETS_MAXIMUM 200

#define NAME_ROW(S)                                                                                                    \
        STRING_FIELD(S, name, .is_required = true, .minimum = 1, .maximum = SECRET_NAME_MAXIMUM,                       \
                     .is_valid = secret_name_is_valid, .shape = SECRET_NAME_SHAPE, .help = "The secret's name.")
#define SCOPE_ROWS(S)                                                                                                  \
        STRING_FIELD(S, environment, .minimum = 1, .maximum = 100, .help = "The environment it belongs to."),          \
                STRING_FIELD(S, user, .minimum = 1, .maximum = 64, .help = "The user it belongs to, instead.")

static const struct field set_rows[] = {
        NAME_ROW(struct secret_set_input),
        STRING_FIELD(struct secret_set_input, value, .is_required = true, .maximum = SEAL_VALUE_MAXIMUM,
                     .format = "password", .help = "The secret itself."),
        SCOPE_ROWS(struct secret_set_input),
        STRING_FIELD(struct secret_set_input, as, .choices = secret_ways, .text_preset = "variable",
                     .help = "Whether a task gets it as an environment variable or as a file."),
        STRING_FIELD(struct secret_set_input, path, .minimum = 1, .maximum = 200, .is_valid = secret_path_is_valid,
                     .shape = SECRET_PATH_SHAPE,
                     .help = "Where a file stands below /longshore/secrets; by default its name."),
        BOOLEAN_FIELD(struct secret_set_input, tasks, .preset = true, .help = "Whether tasks may have it."),
};
const struct field_table secret_set_table = FIELD_TABLE(struct secret_set_input, set_rows);

static const struct field list_rows[] = {SCOPE_ROWS(struct secret_list_input)};
const struct field_table secret_list_table = FIELD_TABLE(struct secret_list_input, list_rows);

static const struct field remove_rows[] = {NAME_ROW(struct secret_remove_input),
                                           SCOPE_ROWS(struct secret_remove_input)};
const struct field_table secret_remove_table = FIELD_TABLE(struct secret_remove_input, remove_rows);

static json_t *view(const struct store_secret *secret)
{
        json_t *item = json_object();
        bool is_file = !strcmp(secret->given_as, "file");

        json_object_set_new(item, "name", document_string(secret->name));
        json_object_set_new(item, "environment", document_string(secret->environment_name));
        json_object_set_new(item, "user", document_string(secret->user_name));
        json_object_set_new(item, "as", document_string(secret->given_as));
        json_object_set_new(item, "path",
                            is_file ? document_string(secret->path ? secret->path : secret->name) : json_null());
        json_object_set_new(item, "tasks", json_boolean(secret->is_for_tasks));
        json_object_set_new(item, "createdAt", document_time(secret->created_at));
        json_object_set_new(item, "updatedAt", document_time(secret->updated_at));
        return item;
}

static json_t *details(const struct vault_scope *scope, const struct secret_set_input *set)
{
        json_t *object = json_object();

        json_object_set_new(object, scope->environment ? "environment" : "user", document_string(scope->name));
        if (set) {
                json_object_set_new(object, "as", document_string(set->as));
                json_object_set_new(object, "tasks", json_boolean(set->tasks));
        }
        return object;
}

static bool check_room(struct call *call, const struct vault_scope *scope, struct error *error)
{
        auto_store_secrets secrets = {0};

        return store_secret_list(call->db, scope->environment, scope->user, &secrets, error) &&
               (secrets.count < SECRETS_MAXIMUM ||
                error_set(error, ERROR_CONFLICT, "%s has %d secrets, and there cannot be more; remove one first",
                          scope->name, SECRETS_MAXIMUM));
}

static bool put(struct call *call, const struct secret_set_input *input, const struct vault_scope *scope,
                struct error *error)
{
        auto_free char *origin = vault_origin_secret(scope->environment, scope->id, input->name);
        struct store_secret secret = {.environment = scope->environment,
                                      .user = scope->user,
                                      .name = (char *)input->name,
                                      .given_as = (char *)input->as,
                                      .path = (char *)input->path,
                                      .is_for_tasks = input->tasks};
        auto_store_secret earlier = {0};
        bool is_found;

        if (!store_secret_find(call->db, scope->environment, scope->user, input->name, &earlier, &is_found, error) ||
            !seal_add(call->services, call->db, origin, input->value, &secret.value, error))
                return false;
        secret.rid = is_found ? earlier.rid : 0;
        if (!is_found && !check_room(call, scope, error))
                return false;
        return store_secret_put(call->db, &secret, call->now, error) && store_value_prune(call->db, error) &&
               audit_write(call->db, call->actor, "secret.set", input->name, details(scope, input), error);
}

static bool set_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct secret_set_input *input = context;
        struct vault_scope scope;
        auto_store_secret secret = {0};
        bool is_found;

        if (!vault_scope_secret(call, input->environment, input->user, &scope, error) ||
            !put(call, input, &scope, error) ||
            !store_secret_find(call->db, scope.environment, scope.user, input->name, &secret, &is_found, error))
                return false;
        *result = view(&secret);
        json_object_set_new(*result, "redacted", json_boolean(secret_value_is_redacted(input->value)));
        return true;
}

bool secret_set(struct call *call, const struct secret_set_input *input, json_t **result, struct error *error)
{
        struct vault_scope scope;

        if (input->path && strcmp(input->as, "file") != 0)
                return error_set(error, ERROR_INVALID_INPUT, "path is for a secret that is given as a file");
        return vault_scope_secret(call, input->environment, input->user, &scope, error) &&
               secret_value_check(input->value, error) && seal_prepare(call->services, call->db, error) &&
               call_write(call, set_work, input, result, error);
}

bool secret_list(struct call *call, const struct secret_list_input *input, json_t **result, struct error *error)
{
        bool is_all = call->actor->credential == CREDENTIAL_LOCAL && !input->environment && !input->user;
        auto_store_secrets secrets = {0};
        struct vault_scope scope = {0};

        if ((!is_all && !vault_scope_secret(call, input->environment, input->user, &scope, error)) ||
            !store_secret_list(call->db, scope.environment, scope.user, &secrets, error))
                return false;
        json_t *list = json_array();
        for (size_t i = 0; i < secrets.count; i++)
                json_array_append_new(list, view(&secrets.items[i]));
        *result = json_pack("{s:o}", "secrets", list);
        return true;
}

static bool remove_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct secret_remove_input *input = context;
        auto_store_secret secret = {0};
        struct vault_scope scope;
        bool is_found;

        if (!vault_scope_secret(call, input->environment, input->user, &scope, error) ||
            !store_secret_find(call->db, scope.environment, scope.user, input->name, &secret, &is_found, error))
                return false;
        if (!is_found)
                return error_set(error, ERROR_SECRET_NOT_FOUND, "There is no secret %s there.", input->name);
        if (!store_secret_delete(call->db, secret.rid, error) || !store_value_prune(call->db, error) ||
            !audit_write(call->db, call->actor, "secret.remove", input->name, details(&scope, NULL), error))
                return false;
        *result = json_pack("{s:s, s:b}", "name", input->name, "removed", 1);
        return true;
}

bool secret_remove(struct call *call, const struct secret_remove_input *input, json_t **result, struct error *error)
{
        return call_write(call, remove_work, input, result, error);
}

static bool forget_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        int64_t count;

        (void)context;
        if (!store_value_forget(call->db, &count, error) ||
            !audit_write(call->db, call->actor, "secret.forget", NULL, json_pack("{s:I}", "values", (json_int_t)count),
                         error))
                return false;
        *result = json_pack("{s:I}", "forgotten", (json_int_t)count);
        return true;
}

bool secret_forget(struct call *call, json_t **result, struct error *error)
{
        if (!call->actor->grants->is_administrator || call->actor->credential == CREDENTIAL_TASK)
                return error_set(error, ERROR_PERMISSION_DENIED, "only a server administrator gives up sealed values");
        return call_write(call, forget_work, NULL, result, error);
}
