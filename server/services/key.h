/* API keys: shown once, kept as a hash. A person manages their own; those of others need users:manage. */
#ifndef SERVICES_KEY_H
#define SERVICES_KEY_H

#include "server/base/field.h"
#include "server/services/services.h"

struct key_add_input {
        const char *user; /* NULL: the actor */
        const char *name;
        int64_t expiresDays;  /* 0: never */
        const char *toolsets; /* NULL: not limited */
};
extern const struct field_table key_add_table;
/* {id, key, user, name, expiresAt, toolsets}: the only time that the key itself is shown. Writes. */
MUST_CHECK bool key_add(struct call *call, const struct key_add_input *input, json_t **result, struct error *error);

struct key_list_input {
        const char *user; /* NULL: the actor's own; on the command line everybody's */
};
extern const struct field_table key_list_table;
/* {keys: [{id, user, name, hint, createdAt, expiresAt, lastUsedAt, revokedAt, toolsets}]}. Reads. */
MUST_CHECK bool key_list(struct call *call, const struct key_list_input *input, json_t **result, struct error *error);

struct key_revoke_input {
        const char *id;
};
extern const struct field_table key_revoke_table;
/* {id, user, name, revoked}. Acts at once. Writes. */
MUST_CHECK bool key_revoke(struct call *call, const struct key_revoke_input *input, json_t **result,
                           struct error *error);

#endif
