/* Signed tokens (JWS in its compact form, RFC 7515) checked with the keys of a JWK set (RFC 7517). The one user of
 * libcjose.
 *
 * Only RS256 and ES256 are known (RFC 7518, section 3.1), each only with a key of its own kind: a token cannot choose
 * to be unsigned, or to be signed with a public key as if it were a shared one. */
#ifndef BASE_JWT_H
#define BASE_JWT_H

#include <jansson.h>
#include <stdbool.h>

#include "server/base/error.h"

#define JWT_MAXIMUM 16384
#define JWT_KEYS_MAXIMUM 64

/* The token's claims when one of the set's keys has signed it; the caller owns them. Nothing in them was looked at.
 * NULL with ERROR_UNAUTHENTICATED otherwise, and *is_key_missing when the set has no key of the kind, and with the id,
 * that the token names: it may have been published since. */
json_t *jwt_open(const char *token, const json_t *key_set, bool *is_key_missing, struct error *error);

#endif
