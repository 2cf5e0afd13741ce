/* How many requests a caller may make: a token bucket for each credential, each user, and each address that shows no
 * credential that is right.
 *
 * A bucket holds the requests of one minute (RATE_LIMIT_KEY, RATE_LIMIT_USER, RATE_LIMIT_ADDRESS; 0 for no limit) and
 * fills up evenly. Taking from it is an atomic exchange or two, on any thread. There are so many buckets that only more
 * callers than a server has at once make one of them be forgotten early, which gives that caller a full one. */
#ifndef SERVICES_RATE_LIMIT_H
#define SERVICES_RATE_LIMIT_H

#include "server/services/access.h"

/* A request of somebody known. ERROR_TOO_MANY with {retryAfterSeconds}. */
MUST_CHECK bool rate_limit_actor(const struct actor *actor, struct error *error);
/* A request without a credential. ERROR_TOO_MANY with {retryAfterSeconds}. */
MUST_CHECK bool rate_limit_address(const char *address, struct error *error);
/* A request that is refused with the error: when its credential is wrong it counts for the address, and the error
 * becomes ERROR_TOO_MANY once that has had its share. */
void rate_limit_refused(const char *address, struct error *error);

/* Takes from the bucket of the key at a time (monotonic, in ns); the nanoseconds to wait, 0 when there was enough. */
int64_t rate_limit_take(uint64_t key, int64_t per_minute, int64_t now);

#endif
