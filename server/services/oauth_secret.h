/* The secrets of the OAuth server: random, told apart by a prefix, kept only as hashes. */
#ifndef SERVICES_OAUTH_SECRET_H
#define SERVICES_OAUTH_SECRET_H

#include <stdint.h>

#include "server/base/secret.h"

/* Four characters that say what it is, 64 hexadecimal digits, a NUL. */
#define OAUTH_SECRET_SIZE 69

enum oauth_secret { OAUTH_ACCESS_TOKEN, OAUTH_REFRESH_TOKEN, OAUTH_CODE, OAUTH_CLIENT_SECRET };

void oauth_secret_new(enum oauth_secret kind, char secret[OAUTH_SECRET_SIZE]);
/* The secret of that kind that follows from another one and a salt: whoever has both gets the same each time. */
void oauth_secret_derive(enum oauth_secret kind, const char *from, const uint8_t *salt, size_t salt_size,
                         char secret[OAUTH_SECRET_SIZE]);
/* Whether the text has the form of such a secret. */
bool oauth_secret_is(enum oauth_secret kind, const char *text);
/* What is kept of it. */
void oauth_secret_hash(const char *secret, uint8_t hash[SECRET_HASH_SIZE]);

#endif
