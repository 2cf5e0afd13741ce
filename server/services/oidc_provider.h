/* What an OpenID provider publishes (OpenID Connect Discovery 1.0): its endpoints and keys, kept for an hour. */
#ifndef SERVICES_OIDC_PROVIDER_H
#define SERVICES_OIDC_PROVIDER_H

#include <jansson.h>

#include "server/base/error.h"
#include "server/http/fetch.h"

/* Owns its members; constant once it is made. */
struct oidc_provider {
        char *issuer, *authorization_endpoint, *token_endpoint;
        char *userinfo_endpoint; /* NULL: it has none */
        json_t *keys;            /* a JWK set */
        bool wants_post;         /* the client's secret goes into the form, not into a header */
};

/* The provider as it is known, or fetched now. The caller gives it back with oidc_provider_release. Blocks; NULL with
 * ERROR_FETCH_FAILED. A provider that does not answer is not asked again for some seconds. */
const struct oidc_provider *oidc_provider_take(const char *issuer, struct error *error);
/* The same when `stale` lacks a key: fetched again, unless another thread has done so since. */
const struct oidc_provider *oidc_provider_renew(const struct oidc_provider *stale, struct error *error);
void oidc_provider_release(const struct oidc_provider *provider);

/* One request to the provider, whose answer must be a JSON object, which the caller owns; *status gets the HTTP status.
 * NULL with ERROR_FETCH_FAILED. `wanted` lacks only its limits. */
json_t *oidc_provider_ask(struct http_fetch wanted, unsigned *status, struct error *error);

#endif
