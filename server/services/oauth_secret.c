#include "server/services/oauth_secret.h"

#include <string.h>

#define DIGITS "0123456789abcdef"
#define PREFIX_LENGTH 4

static const char *const prefixes[] = {[OAUTH_ACCESS_TOKEN] = "lsa_",
                                       [OAUTH_REFRESH_TOKEN] = "lsr_",
                                       [OAUTH_CODE] = "lsc_",
                                       [OAUTH_CLIENT_SECRET] = "lss_"};

static void spell(enum oauth_secret kind, const uint8_t bytes[SECRET_HASH_SIZE], char secret[OAUTH_SECRET_SIZE])
{
        memcpy(secret, prefixes[kind], PREFIX_LENGTH);
        for (size_t i = 0; i < SECRET_HASH_SIZE; i++) {
                secret[PREFIX_LENGTH + 2 * i] = DIGITS[bytes[i] >> 4];
                secret[PREFIX_LENGTH + 2 * i + 1] = DIGITS[bytes[i] & 15];
        }
        secret[OAUTH_SECRET_SIZE - 1] = '\0';
}

void oauth_secret_new(enum oauth_secret kind, char secret[OAUTH_SECRET_SIZE])
{
        uint8_t bytes[SECRET_HASH_SIZE];

        secret_random(bytes, sizeof bytes);
        spell(kind, bytes, secret);
        secret_wipe(bytes, sizeof bytes);
}

void oauth_secret_derive(enum oauth_secret kind, const char *from, const uint8_t *salt, size_t salt_size,
                         char secret[OAUTH_SECRET_SIZE])
{
        uint8_t bytes[PREFIX_LENGTH + 64 + OAUTH_SECRET_SIZE], hash[SECRET_HASH_SIZE];
        size_t length = strlen(from);

        salt_size = salt_size < 64 ? salt_size : 64;
        length = length < OAUTH_SECRET_SIZE ? length : OAUTH_SECRET_SIZE;
        memcpy(bytes, prefixes[kind], PREFIX_LENGTH);
        memcpy(bytes + PREFIX_LENGTH, salt, salt_size);
        memcpy(bytes + PREFIX_LENGTH + salt_size, from, length);
        secret_hash(bytes, PREFIX_LENGTH + salt_size + length, hash);
        spell(kind, hash, secret);
        secret_wipe(bytes, sizeof bytes);
        secret_wipe(hash, sizeof hash);
}

bool oauth_secret_is(enum oauth_secret kind, const char *text)
{
        return !strncmp(text, prefixes[kind], PREFIX_LENGTH) &&
               strspn(text + PREFIX_LENGTH, DIGITS) == OAUTH_SECRET_SIZE - 1 - PREFIX_LENGTH &&
               !text[OAUTH_SECRET_SIZE - 1];
}

void oauth_secret_hash(const char *secret, uint8_t hash[SECRET_HASH_SIZE])
{
        secret_hash(secret, strlen(secret), hash);
}
