/* People: what the command line and the doors do with them. Everything here needs users:manage, and a server
 * administrator is changed only by another. */
#ifndef SERVICES_USER_H
#define SERVICES_USER_H

#include "server/base/field.h"
#include "server/services/services.h"

struct user_add_input {
        const char *name, *password;
        const char *role;        /* bound at once; NULL for none */
        const char *environment; /* where the role holds; NULL for the server */
};
extern const struct field_table user_add_table;
/* {id, name, role?, environment?}. Blocks: hashes the password, then writes. */
MUST_CHECK bool user_add(struct call *call, const struct user_add_input *input, json_t **result, struct error *error);

/* {users: [{id, name, disabled, hasPassword, createdAt}]}. Reads. */
MUST_CHECK bool user_list(struct call *call, json_t **result, struct error *error);

struct user_password_input {
        const char *name, *password;
};
extern const struct field_table user_password_table;
/* Blocks as user_add does. */
MUST_CHECK bool user_set_password(struct call *call, const struct user_password_input *input, json_t **result,
                                  struct error *error);

struct user_name_input {
        const char *name;
};
extern const struct field_table user_name_table;
/* {name, disabled}. A disabled person's credentials stop working at once. Both write. */
MUST_CHECK bool user_disable(struct call *call, const struct user_name_input *input, json_t **result,
                             struct error *error);
MUST_CHECK bool user_enable(struct call *call, const struct user_name_input *input, json_t **result,
                            struct error *error);
/* {name, removed}. Ends everything of the person's for ever, at once: keys, sessions, grants, roles, memberships, links,
 * secrets, accounts and pins; the name is free again. What they did keeps its author, and what runs goes on to its end.
 * ERROR_CONFLICT for oneself. Writes. */
MUST_CHECK bool user_remove(struct call *call, const struct user_name_input *input, json_t **result,
                            struct error *error);

/* Whether the text can be the name of a user or team. */
bool user_name_is_valid(const char *name);
#define USER_NAME_SHAPE "1 to 64 letters, digits, or one of . _ - @ +"

/* ERROR_PERMISSION_DENIED when the person is a server administrator and the actor is none. */
MUST_CHECK bool user_require_below(struct call *call, int64_t user, struct error *error);
/* The same, and the actor must hold users:manage. */
MUST_CHECK bool user_require_manage(struct call *call, int64_t user, struct error *error);

#endif
