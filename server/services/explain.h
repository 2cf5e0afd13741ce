/* Why somebody may do something. */
#ifndef SERVICES_EXPLAIN_H
#define SERVICES_EXPLAIN_H

#include "server/base/field.h"
#include "server/services/services.h"

struct access_explain_input {
        const char *user, *permission;
        const char *environment; /* NULL: at the server, or in all environments */
};
extern const struct field_table access_explain_table;
/* {user, permission, environment, disabled, allowed, reasons: [{id, user, team, role, scope, environment,
 * permission}]}: the bindings that give the permission. Reads; needs users:manage, and for oneself nothing. */
MUST_CHECK bool access_explain(struct call *call, const struct access_explain_input *input, json_t **result,
                               struct error *error);

#endif
