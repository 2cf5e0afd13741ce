#include "server/services/vault_scope.h"

#include <stdio.h>
#include <string.h>

#include "server/store/environment.h"
#include "server/store/user.h"

bool vault_scope_person(const struct call *call, struct error *error)
{
        return call->actor->credential != CREDENTIAL_TASK ||
               error_set(error, ERROR_PERMISSION_DENIED, "A task may not manage secrets and accounts.");
}

static bool find_environment(struct call *call, const char *name, struct vault_scope *scope, struct error *error)
{
        auto_store_environment environment = {0};
        bool is_found;

        if (!store_environment_find(call->db, name, &environment, &is_found, error))
                return false;
        if (!is_found || !access_sees_environment(call->actor, environment.rid))
                return error_set(error, ERROR_ENVIRONMENT_NOT_FOUND, "There is no environment %.100s.", name);
        if (!access_allows(call->actor, PERMISSION_ENVIRONMENTS_MANAGE, environment.rid))
                return error_set(error, ERROR_PERMISSION_DENIED,
                                 "The secrets of %.100s need the permission environments:manage.", name);
        *scope = (struct vault_scope){.environment = environment.rid, .name = name};
        snprintf(scope->id, sizeof scope->id, "%s", environment.id);
        return true;
}

bool vault_scope_user(struct call *call, const char *user, struct vault_scope *scope, struct error *error)
{
        bool is_local = call->actor->credential == CREDENTIAL_LOCAL;
        auto_store_user found = {0};

        /* Who else there is, is not told. */
        if (!is_local && strcmp(user, call->actor->user_name) != 0)
                return error_set(error, ERROR_PERMISSION_DENIED, "Only the person themself manages what is personal.");
        if (!store_user_find(call->db, user, &found, error))
                return false;
        *scope = (struct vault_scope){.user = found.rid, .name = user};
        snprintf(scope->id, sizeof scope->id, "%s", found.id);
        return true;
}

bool vault_scope_secret(struct call *call, const char *environment, const char *user, struct vault_scope *scope,
                        struct error *error)
{
        if (!vault_scope_person(call, error))
                return false;
        if (environment && user)
                return error_set(error, ERROR_INVALID_INPUT, "give either environment or user");
        if (environment)
                return find_environment(call, environment, scope, error);
        if (!user && !call->actor->user)
                return error_set(error, ERROR_INVALID_INPUT, "whose secret? give environment or user");
        return vault_scope_user(call, user ? user : call->actor->user_name, scope, error);
}

char *vault_origin_secret(bool is_environment, const char *id, const char *name)
{
        return text_format("secret/%s/%s/%s", is_environment ? "environment" : "user", id, name);
}

char *vault_origin_account(const char *user_id, const char *agent, const char *variable)
{
        return text_format("account/%s/%s/%s", user_id && *user_id ? user_id : "server", agent, variable);
}
