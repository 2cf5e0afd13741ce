/* Web sessions: signing in, and logging out.
 *
 * A session is a random token that only the browser keeps. It ends on logout, when it is unused for too long, when it
 * is old, when its person is disabled and when its person gets another password. A page that changes something must
 * show the session's CSRF token as well, which follows from the session's and which no other site can read. */
#ifndef SERVICES_SESSION_H
#define SERVICES_SESSION_H

#include "server/base/field.h"
#include "server/services/services.h"

/* The cookie that the browser keeps the token in. */
#define SESSION_COOKIE "longshore_session"
#define SESSION_TOKEN_LENGTH 40
#define SESSION_CSRF_LENGTH 32

/* As the settings say now, in ms: a session that is unused for so long, or as old, has ended. */
int64_t session_idle_ms(void);
int64_t session_life_ms(void);

/* The CSRF token of a session's token. */
void session_csrf(const char *token, char csrf[SESSION_CSRF_LENGTH + 1]);
/* Whether `shown` (may be NULL) is that token. */
bool session_csrf_is_right(const char *token, const char *shown);

struct session_sign_in_input {
        const char *user, *password;
        const char *code; /* of the person's authenticator app, or a recovery code; NULL when none was given */
};
extern const struct field_table session_sign_in_table;

struct session_started {
        char token[SESSION_TOKEN_LENGTH + 1];
        json_t *result; /* {user: {id, name}, csrfToken, expiresAt}; borrowed */
};
/* Called once with what has begun, or with the error. On some thread; must not block. */
typedef void session_done(void *context, const struct session_started *started, const struct error *error);

/* Signs a person in by password, and by code where an authenticator is enrolled, and begins a session. The one way in
 * for every door; it copies what it needs, checks on other threads and returns at once. `address` is the client's,
 * `db` any connection of the calling thread.
 *
 * False (`done` is not called then) with ERROR_TOO_MANY after too many attempts from the address or for the person.
 * Errors that `done` gets: ERROR_UNAUTHENTICATED for a wrong password, an unknown name, a person without a password and
 * a disabled one, all alike, and for a wrong or used code; ERROR_TOTP_REQUIRED when the password was right and a code
 * is needed that was not given (ask for it and call again with all three); ERROR_TOO_MANY; store errors. */
MUST_CHECK bool session_sign_in(struct services *services, struct store_db *db,
                                const struct session_sign_in_input *input, const char *address, session_done *done,
                                void *context, struct error *error);

/* How the person of a session last proved who they are. */
struct session_origin {
        int64_t signed_in_at; /* ms since the epoch; at the OpenID provider, when it says so, otherwise here */
        bool is_sso;          /* at the OpenID provider: a fresh sign-in is asked for there */
};
/* For an actor that came with a session; ERROR_INVALID_INPUT for another credential, ERROR_UNAUTHENTICATED when the
 * session has ended. A person signs in afresh by getting another session: signed_in_at never changes. Reads. */
MUST_CHECK bool session_origin(struct store_db *db, const struct actor *actor, struct session_origin *origin,
                               struct error *error);

/* Begins a session of a person who has proved who they are, in a piece of work: fills `actor` with the person and the
 * new session, writes the audit entry "session.login", and makes *started (the caller releases its result). */
MUST_CHECK bool session_begin(struct store_db *db, int64_t user, const struct session_origin *origin,
                              struct actor *actor, struct session_started *started, struct error *error);

/* {loggedOut: true}: ends the session that the call came with; ERROR_INVALID_INPUT when it came with another
 * credential. In a piece of work. */
MUST_CHECK bool session_logout(struct call *call, json_t **result, struct error *error);

#endif
