/* Whose secrets or accounts a call is about, and whether the actor may manage them. */
#ifndef SERVICES_VAULT_SCOPE_H
#define SERVICES_VAULT_SCOPE_H

#include "server/base/id.h"
#include "server/services/services.h"

struct vault_scope {
        int64_t environment, user; /* rids; both 0: the server's own */
        char id[ID_SIZE];          /* of the environment or user, "" */
        const char *name;          /* of the environment or user as it was given, or the actor's own; borrowed */
};

/* The environment of that name, with environments:manage; else the user of that name, who must be the actor; else the
 * actor. ERROR_INVALID_INPUT when both are given, and for the command line, which is nobody, when none is. */
MUST_CHECK bool vault_scope_secret(struct call *call, const char *environment, const char *user,
                                   struct vault_scope *scope, struct error *error);
/* The user of that name, who must be the actor. */
MUST_CHECK bool vault_scope_user(struct call *call, const char *user, struct vault_scope *scope, struct error *error);
/* ERROR_PERMISSION_DENIED for a task's own credential. */
MUST_CHECK bool vault_scope_person(const struct call *call, struct error *error);

/* What a value is sealed for; on the heap. */
char *vault_origin_secret(bool is_environment, const char *id, const char *name);
char *vault_origin_account(const char *user_id, const char *agent, const char *variable);

#endif
