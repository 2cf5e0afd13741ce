/* The claims of an ID token (OpenID Connect Core 1.0, section 3.1.3.7). */
#ifndef SERVICES_OIDC_CLAIMS_H
#define SERVICES_OIDC_CLAIMS_H

#include <jansson.h>
#include <stdint.h>

#include "server/base/error.h"

#define OIDC_SUBJECT_MAXIMUM 255
/* How far the provider's clock and ours may be apart. */
#define OIDC_SKEW_SECONDS 60

/* Times are ms since the epoch. */
struct oidc_expected {
        const char *issuer, *client_id, *nonce;
        int64_t now;
        int64_t asked_after; /* the person must have been asked since; 0: whenever */
};
/* ERROR_UNAUTHENTICATED says which claim is not as it has to be. */
MUST_CHECK bool oidc_claims_check(const json_t *claims, const struct oidc_expected *expected, struct error *error);
/* When the person was asked, in ms since the epoch and never later than `now`; 0 when the token does not say. */
int64_t oidc_claims_asked_at(const json_t *claims, int64_t now);
/* The e-mail address, when the provider has verified it; borrowed, NULL otherwise. */
const char *oidc_claims_email(const json_t *claims);

#endif
