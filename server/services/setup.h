/* The first administrator: made by whoever knows the one-time code, which only the server's log and a file that root
 * alone can read show, and only while there is no user at all. */
#ifndef SERVICES_SETUP_H
#define SERVICES_SETUP_H

#include "server/base/field.h"
#include "server/services/services.h"
#include "server/services/session.h"

/* When the server starts: while there is no user a new code is written to DATA/setup-code (mode 0600) and logged; when
 * there is one the file goes. */
MUST_CHECK bool setup_open(const struct services *services, struct store_db *db, struct error *error);

/* {needed}: whether there is no user. Reads; for everybody. */
MUST_CHECK bool setup_status(struct call *call, json_t **result, struct error *error);
/* Whether there is no user. */
MUST_CHECK bool setup_is_needed(struct store_db *db, bool *is_needed, struct error *error);

struct setup_input {
        const char *code, *name, *password;
};
extern const struct field_table setup_table;
/* {user: {id, name}, csrfToken, expiresAt, token}: makes the user, binds Server Admin and begins a session, whose token
 * the door takes out of the result. ERROR_CONFLICT when there is a user, ERROR_PERMISSION_DENIED for a wrong code,
 * ERROR_TOO_MANY. Blocks; for everybody. */
MUST_CHECK bool setup_run(struct call *call, const struct setup_input *input, json_t **result, struct error *error);
/* Forgets how many attempts there were. */
void setup_limit_reset(void);

#endif
