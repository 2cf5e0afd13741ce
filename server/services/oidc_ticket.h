/* What a browser carries while its person is at the OpenID provider, sealed: only this process opens it, and once. */
#ifndef SERVICES_OIDC_TICKET_H
#define SERVICES_OIDC_TICKET_H

#include <stdint.h>

#include "server/base/error.h"

#define OIDC_TOKEN_LENGTH 48

/* Owns its strings. Times are ms since the epoch. */
struct oidc_ticket {
        char *issuer, *state, *nonce, *verifier, *return_path;
        int64_t begun_at;
        bool is_fresh;
};
void oidc_ticket_clear(struct oidc_ticket *ticket);
#define auto_oidc_ticket CLEANUP(oidc_ticket_clear) struct oidc_ticket

/* A new one with new random state, nonce and verifier. */
struct oidc_ticket oidc_ticket_new(const char *issuer, const char *return_path, bool is_fresh, int64_t now);
/* The cookie's value, on the heap. */
char *oidc_ticket_seal(const struct oidc_ticket *ticket);
/* Opens the cookie for the state that came back and uses it up. ERROR_UNAUTHENTICATED when it is not one of ours, is of
 * another state, was used, or is older than lifetime_ms. */
MUST_CHECK bool oidc_ticket_open(const char *cookie, const char *state, int64_t now, int64_t lifetime_ms,
                                 struct oidc_ticket *ticket, struct error *error);

#endif
