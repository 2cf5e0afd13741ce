/* Passwords, hashed and checked on a thread of their own: one at a time (a hash takes 64 MiB), a few waiting, the rest
 * refused with ERROR_TOO_MANY. */
#ifndef SERVICES_PASSWORD_H
#define SERVICES_PASSWORD_H

#include "server/base/error.h"
#include "server/base/secret.h"

#define PASSWORD_QUEUE_MAXIMUM 8

/* Called on the pool's thread; must not block. */
typedef void password_done(void *context, bool is_right);
/* Queues a check of the password against the hash (both are copied) and returns at once. A NULL hash costs the same and
 * is never right, so that the time does not tell who has an account. ERROR_TOO_MANY. */
MUST_CHECK bool password_verify_later(const char *hash, const char *password, password_done *done, void *context,
                                      struct error *error);

/* Both block, about a quarter of a second each: not for a thread that serves others. ERROR_TOO_MANY. */
MUST_CHECK bool password_hash(const char *password, char hash[SECRET_PASSWORD_HASH_SIZE], struct error *error);
MUST_CHECK bool password_verify(const char *hash, const char *password, bool *is_right, struct error *error);

#endif
