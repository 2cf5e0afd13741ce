/* The audit: who did what, with which credential, for good. */
#ifndef SERVICES_AUDIT_H
#define SERVICES_AUDIT_H

#include "server/base/field.h"
#include "server/services/services.h"

/* Records an action ("user.add") in the piece of work that does it. `target` is what it was done to and may be NULL;
 * `details` is a JSON object (taken over) or NULL and must hold no secret. */
MUST_CHECK bool audit_write(struct store_db *db, const struct actor *actor, const char *action, const char *target,
                            json_t *details, struct error *error);

/* "session", "api_key" ... */
const char *audit_credential_name(enum credential credential);

struct audit_list_input {
        int64_t limit;
        const char *cursor; /* NULL: from the newest on */
};
extern const struct field_table audit_list_table;
/* {entries: [...], nextCursor}, newest first. Reads; needs users:manage. ERROR_INVALID_CURSOR. */
MUST_CHECK bool audit_list(struct call *call, const struct audit_list_input *input, json_t **result,
                           struct error *error);

#endif
