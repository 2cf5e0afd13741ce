/* Sign-in at an OpenID provider (OpenID Connect Core 1.0): the authorization code flow with PKCE.
 *
 * A browser is sent to the provider with a state, a nonce and a challenge; what answers them is sealed into a cookie of
 * that browser alone, for ten minutes and one use. The code that comes back is exchanged at the token endpoint, and the
 * ID token checked: signature by a published key, issuer, audience, times, nonce. The pair of issuer and subject says
 * who it is here. All of these block: not for a thread that serves others. */
#ifndef SERVICES_OIDC_H
#define SERVICES_OIDC_H

#include "server/services/services.h"
#include "server/services/session.h"

#define OIDC_LOGIN_PATH "/login/oidc"
#define OIDC_CALLBACK_PATH "/login/oidc/callback"
#define OIDC_TICKET_COOKIE "longshore_oidc"
#define OIDC_TICKET_SECONDS 600
#define OIDC_RETURN_MAXIMUM 2000

/* Whether people may sign in so: an issuer and a client id are set. */
bool oidc_is_on(const struct settings *settings);
/* Whether the text is a path of this server that a browser may be sent to afterwards: it begins with one slash, holds
 * no control character and is at most OIDC_RETURN_MAXIMUM bytes long. */
bool oidc_return_is_own(const char *path);

/* Owns its strings. */
struct oidc_start {
        char *url;    /* where the browser goes */
        char *ticket; /* for its cookie */
};
void oidc_start_clear(struct oidc_start *start);
/* `is_fresh` has the provider ask the person again (prompt=login) and refuses whom it has not. ERROR_NOT_FOUND while it
 * is off, ERROR_INVALID_INPUT for a return path that is not own, ERROR_FETCH_FAILED. */
MUST_CHECK bool oidc_begin(const struct services *services, const char *return_path, bool is_fresh,
                           struct oidc_start *start, struct error *error);

/* What the browser comes back with; each may be NULL. */
struct oidc_answer {
        const char *ticket, *state, *code, *issuer, *failure;
        const char *address; /* the client's */
};
/* Owns its members. */
struct oidc_end {
        struct session_started session;
        char *return_path;
};
void oidc_end_clear(struct oidc_end *end);
/* Begins the session. ERROR_UNAUTHENTICATED for anything that is not as it should be, ERROR_PERMISSION_DENIED for
 * somebody whom nobody let in here, ERROR_FETCH_FAILED, ERROR_TOO_MANY. `db` is the thread's reader. */
MUST_CHECK bool oidc_finish(const struct services *services, struct store_db *db, const struct oidc_answer *answer,
                            struct oidc_end *end, struct error *error);
/* Forgets how many answers came from where. */
void oidc_limit_reset(void);

#endif
