/* Roles, and their bindings to users and teams. */
#ifndef SERVICES_ROLE_H
#define SERVICES_ROLE_H

#include "server/base/field.h"
#include "server/services/services.h"

/* The predefined role that makes a server administrator when it is bound at the server. */
#define ROLE_SERVER_ADMIN "Server Admin"

/* Brings the predefined roles in the store to what this program says. At start, before anybody is let in. */
MUST_CHECK bool role_seed(struct store *store, struct error *error);

struct role_bind_input {
        const char *user, *team; /* exactly one of them */
        const char *role;
        const char *environment; /* name; NULL: see everywhere */
        bool everywhere;         /* all environments; neither: the server */
};
extern const struct field_table role_bind_table;
/* {id, user, team, role, scope, environment}. Writes (waits for the commit); needs users:manage, and a server
 * administrator for anything that reaches the server. Acts at once. */
MUST_CHECK bool role_bind(struct call *call, const struct role_bind_input *input, json_t **result, struct error *error);

struct role_unbind_input {
        const char *id;
};
extern const struct field_table role_unbind_table;
MUST_CHECK bool role_unbind(struct call *call, const struct role_unbind_input *input, json_t **result,
                            struct error *error);
/* {roles: [{name, predefined, permissions}]}. Reads; for everybody. */
MUST_CHECK bool role_list(struct call *call, json_t **result, struct error *error);
/* {bindings: [...]}. Reads. */
MUST_CHECK bool role_list_bindings(struct call *call, json_t **result, struct error *error);

/* Within a piece of work, which does the audit: binds the user to the role in the environment, or at the server for
 * NULL. All are names. */
MUST_CHECK bool role_bind_user(struct call *call, const char *user, const char *role, const char *environment,
                               struct error *error);

#endif
