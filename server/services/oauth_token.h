/* Codes against tokens, tokens against new ones, and their revocation (RFC 6749, sections 4.1.3 and 6; RFC 7009).
 *
 * A grant's code and tokens are a family. Whoever shows a code or a refresh token that was used before ends the family:
 * one of the two who had it had no right to it. Only when the same client shows a replaced refresh token again within
 * OAUTH_GRACE_MS (two of its processes refreshed at once, or an answer was lost), it gets the same successors once
 * more.
 */
#ifndef SERVICES_OAUTH_TOKEN_H
#define SERVICES_OAUTH_TOKEN_H

#include "server/services/oauth_site.h"

#define OAUTH_ACCESS_MS (INT64_C(60) * 60 * 1000)
#define OAUTH_REFRESH_MS (INT64_C(30) * 24 * 60 * 60 * 1000)
#define OAUTH_GRACE_MS 5000

/* What a client sent: the form as an object of strings, and its Authorization header (NULL for none). */
struct oauth_form {
        const json_t *parameters;
        const char *authorization;
};

/* The answer of RFC 6749, section 5.1. Blocks. ERROR_OAUTH_... */
MUST_CHECK bool oauth_token_issue(struct services *services, const struct oauth_site *site,
                                  const struct oauth_form *form, json_t **result, struct error *error);
/* Revokes an access token, or with a refresh token the whole grant; an unknown token is a success. Blocks.
 * ERROR_OAUTH_... */
MUST_CHECK bool oauth_token_revoke(struct services *services, const struct oauth_form *form, struct error *error);

#endif
