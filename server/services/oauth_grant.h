/* The OAuth clients that a person has approved. */
#ifndef SERVICES_OAUTH_GRANT_H
#define SERVICES_OAUTH_GRANT_H

#include "server/base/field.h"
#include "server/services/services.h"

/* {grants: [{clientId, clientName, redirectHost, scope, createdAt, lastUsedAt, expiresAt}]}: the actor's own, by
 * client. Reads. */
MUST_CHECK bool oauth_grant_list(struct call *call, json_t **result, struct error *error);

struct oauth_grant_revoke_input {
        const char *client_id;
};
extern const struct field_table oauth_grant_revoke_table;
/* {revoked}: ends what the actor has approved for that client, with all its tokens, at once. ERROR_CLIENT_NOT_FOUND. In
 * a piece of work. */
MUST_CHECK bool oauth_grant_revoke(struct call *call, const struct oauth_grant_revoke_input *input, json_t **result,
                                   struct error *error);
/* {revoked}: the same for every client. */
MUST_CHECK bool oauth_grant_revoke_all(struct call *call, json_t **result, struct error *error);

#endif
