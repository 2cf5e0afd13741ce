/* Roles, bindings and what follows from them in the store. Permissions are opaque strings here. */
#ifndef STORE_ACCESS_H
#define STORE_ACCESS_H

#include "server/base/id.h"
#include "server/store/store.h"

/* Makes the role when it is missing and gives it exactly these permissions. In a piece of work. */
MUST_CHECK bool store_role_put(struct store_db *db, const char *name, bool is_predefined,
                               const char *const *permissions, size_t count, struct error *error);
/* ERROR_NOT_FOUND names the roles there are. */
MUST_CHECK bool store_role_find(struct store_db *db, const char *name, int64_t *rid, struct error *error);
/* Calls `each` with every role's name, the predefined ones first. */
MUST_CHECK bool store_role_list(struct store_db *db, void (*each)(const char *name, void *context), void *context,
                                struct error *error);

/* Of user and team one is 0; environment is 0 unless the scope is "environment". */
struct store_binding_new {
        int64_t user, team;
        const char *scope; /* environment, environments or server */
        int64_t environment, role;
};
/* Writes the id of the new binding, or of the one that says the same already. Acts at once. */
MUST_CHECK bool store_binding_add(struct store_db *db, const struct store_binding_new *binding, int64_t now,
                                  char id[ID_SIZE], struct error *error);
/* Acts at once. ERROR_NOT_FOUND. */
MUST_CHECK bool store_binding_remove(struct store_db *db, const char *id, struct error *error);

/* A binding in words; borrowed. user or team is NULL, environment is NULL outside its scope. */
struct store_binding {
        const char *id, *user, *team, *role, *scope, *environment;
};
MUST_CHECK bool store_binding_list(struct store_db *db,
                                   void (*each)(const struct store_binding *binding, void *context), void *context,
                                   struct error *error);

/* One permission that a binding of a user or of the user's teams gives; borrowed. */
struct store_reason {
        struct store_binding binding;
        int64_t environment;    /* 0 outside its scope */
        const char *permission; /* NULL for a role that has none */
};
MUST_CHECK bool store_reason_list(struct store_db *db, int64_t user,
                                  void (*each)(const struct store_reason *reason, void *context), void *context,
                                  struct error *error);

/* Calls `each` with every role and each of its permissions (NULL for a role that has none), role by role. */
MUST_CHECK bool store_role_list_permissions(struct store_db *db,
                                            void (*each)(const char *role, bool is_predefined, const char *permission,
                                                         void *context),
                                            void *context, struct error *error);

/* One permission that a binding gives; borrowed. */
struct store_grant {
        const char *scope;
        int64_t environment; /* 0 outside its scope */
        const char *role;
        bool is_predefined;
        const char *permission; /* NULL for a role that has none */
};
/* Calls `each` for every permission that the bindings of the user and of the user's teams give. */
MUST_CHECK bool store_grant_list(struct store_db *db, int64_t user,
                                 void (*each)(const struct store_grant *grant, void *context), void *context,
                                 struct error *error);

#endif
