/* Provider accounts: the credential that an agent shows its provider, one for each person and agent, and the server's
 * defaults for who has none. A default needs settings:manage; one's own is one's own. A credential never comes out. */
#ifndef SERVICES_ACCOUNT_H
#define SERVICES_ACCOUNT_H

#include "server/base/field.h"
#include "server/services/services.h"

struct account_set_input {
        const char *agent, *variable, *value;
        const char *user; /* NULL: the server's default */
};
extern const struct field_table account_set_table;
/* {agent, user, variable, state, reason, createdAt, updatedAt}: user is null for the server's default, state is valid
 * or refused. An account of the agent is replaced. ERROR_AGENT_UNKNOWN; ERROR_INVALID_INPUT for a variable that the
 * agent does not read. Blocks: seals, then writes. */
MUST_CHECK bool account_set(struct call *call, const struct account_set_input *input, json_t **result,
                            struct error *error);

struct account_list_input {
        const char *user; /* NULL: the server's defaults and the actor's own; on the command line: all there are */
};
extern const struct field_table account_list_table;
/* {accounts: [...]}. That there is a server's default everybody may know; why one was refused is for settings:manage.
 * Reads. */
MUST_CHECK bool account_list(struct call *call, const struct account_list_input *input, json_t **result,
                             struct error *error);

struct account_remove_input {
        const char *agent;
        const char *user; /* NULL: the server's default */
};
extern const struct field_table account_remove_table;
/* {agent, removed}; ERROR_ACCOUNT_NOT_FOUND. Blocks: writes. */
MUST_CHECK bool account_remove(struct call *call, const struct account_remove_input *input, json_t **result,
                               struct error *error);

#endif
