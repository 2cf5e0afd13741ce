/* Web sessions: logging in with a password, and out.
 *
 * A session is a random token that only the browser keeps. It ends on logout, when it is unused for too long, when it
 * is old, when its person is disabled and when its person gets another password. A page that changes something must
 * show the session's CSRF token as well, which follows from the session's and which no other site can read. */
#ifndef SERVICES_SESSION_H
#define SERVICES_SESSION_H

#include "server/base/field.h"
#include "server/services/services.h"

#define SESSION_TOKEN_LENGTH 40
#define SESSION_CSRF_LENGTH 32

/* As the settings say now, in ms: a session that is unused for so long, or as old, has ended. */
int64_t session_idle_ms(void);
int64_t session_life_ms(void);

/* The CSRF token of a session's token. */
void session_csrf(const char *token, char csrf[SESSION_CSRF_LENGTH + 1]);
/* Whether `shown` (may be NULL) is that token. */
bool session_csrf_is_right(const char *token, const char *shown);

struct session_login_input {
        const char *user, *password;
};
extern const struct field_table session_login_table;

struct session_started {
        char token[SESSION_TOKEN_LENGTH + 1];
        json_t *result; /* {user: {id, name}, csrfToken, expiresAt}; borrowed */
};
/* Called once with what has begun, or with the error. On some thread; must not block. */
typedef void session_done(void *context, const struct session_started *started, const struct error *error);

/* Checks the password on its own thread and begins a session; returns at once. `address` is the client's. False
 * (`done` is not called then) with ERROR_TOO_MANY after too many attempts from the address or for the person. A wrong
 * password, an unknown name, a person without a password and a disabled one are told alike: ERROR_UNAUTHENTICATED. */
MUST_CHECK bool session_login_later(struct services *services, struct store_db *db,
                                    const struct session_login_input *input, const char *address, session_done *done,
                                    void *context, struct error *error);

/* {loggedOut: true}: ends the session that the call came with; ERROR_INVALID_INPUT when it came with another
 * credential. In a piece of work. */
MUST_CHECK bool session_logout(struct call *call, json_t **result, struct error *error);

#endif
