#include "server/base/secret.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define KEY_PREFIX "lsk_"
#define KEY_RANDOM 40
#define KEY_CHECKSUM 6

static const char alphabet[] = "0123456789abcdefghijklmnopqrstuvwxyz";

void secret_init(void)
{
        if (sodium_init() < 0)
                abort();
}

void secret_random(void *out, size_t size)
{
        randombytes_buf(out, size);
}

uint32_t secret_random_below(uint32_t bound)
{
        return randombytes_uniform(bound);
}

void secret_hash(const void *bytes, size_t length, uint8_t hash[SECRET_HASH_SIZE])
{
        crypto_generichash(hash, SECRET_HASH_SIZE, bytes, length, NULL, 0);
}

#define STATE_ALIGNMENT _Alignof(crypto_generichash_state)

_Static_assert(sizeof(struct secret_hasher) >= sizeof(crypto_generichash_state) + STATE_ALIGNMENT,
               "the library's state has room");

static crypto_generichash_state *state_of(struct secret_hasher *hasher)
{
        uintptr_t at = (uintptr_t)hasher->state;

        return (crypto_generichash_state *)((at + STATE_ALIGNMENT - 1) / STATE_ALIGNMENT * STATE_ALIGNMENT);
}

void secret_hash_begin(struct secret_hasher *hasher)
{
        crypto_generichash_init(state_of(hasher), NULL, 0, SECRET_HASH_SIZE);
}

void secret_hash_add(struct secret_hasher *hasher, const void *bytes, size_t length)
{
        crypto_generichash_update(state_of(hasher), bytes, length);
}

void secret_hash_end(struct secret_hasher *hasher, uint8_t hash[SECRET_HASH_SIZE])
{
        crypto_generichash_final(state_of(hasher), hash, SECRET_HASH_SIZE);
}

void secret_sha256(const void *bytes, size_t length, uint8_t hash[SECRET_HASH_SIZE])
{
        crypto_hash_sha256(hash, bytes, length);
}

bool secret_is_equal(const void *a, const void *b, size_t size)
{
        return sodium_memcmp(a, b, size) == 0;
}

void secret_wipe(void *buffer, size_t size)
{
        sodium_memzero(buffer, size);
}

#define NONCE_SIZE crypto_aead_xchacha20poly1305_ietf_NPUBBYTES

_Static_assert(SECRET_SEAL_KEY_SIZE == crypto_aead_xchacha20poly1305_ietf_KEYBYTES, "the size of a sealing key");
_Static_assert(SECRET_SEAL_OVERHEAD == NONCE_SIZE + crypto_aead_xchacha20poly1305_ietf_ABYTES, "what sealing adds");

void secret_seal(const uint8_t key[SECRET_SEAL_KEY_SIZE], const char *context, const void *bytes, size_t length,
                 uint8_t *sealed)
{
        randombytes_buf(sealed, NONCE_SIZE);
        crypto_aead_xchacha20poly1305_ietf_encrypt(sealed + NONCE_SIZE, NULL, bytes, length, (const uint8_t *)context,
                                                   strlen(context), NULL, sealed, key);
}

bool secret_unseal(const uint8_t key[SECRET_SEAL_KEY_SIZE], const char *context, const uint8_t *sealed,
                   size_t sealed_length, void *bytes)
{
        return sealed_length >= SECRET_SEAL_OVERHEAD &&
               crypto_aead_xchacha20poly1305_ietf_decrypt(bytes, NULL, NULL, sealed + NONCE_SIZE,
                                                          sealed_length - NONCE_SIZE, (const uint8_t *)context,
                                                          strlen(context), sealed, key) == 0;
}

static char *base64(const void *bytes, size_t length, int variant)
{
        size_t size = sodium_base64_encoded_len(length, variant);
        char *encoded = malloc(size);

        if (!encoded)
                abort();
        return sodium_bin2base64(encoded, size, bytes, length, variant);
}

char *secret_base64(const void *bytes, size_t length)
{
        return base64(bytes, length, sodium_base64_VARIANT_ORIGINAL);
}

char *secret_base64url(const void *bytes, size_t length)
{
        return base64(bytes, length, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

void *secret_base64_decode(const char *text, size_t length, size_t *size)
{
        size_t maximum = length / 4 * 3 + 3;
        unsigned char *bytes = malloc(maximum);
        const char *end;

        if (!bytes)
                abort();
        if (sodium_base642bin(bytes, maximum, text, length, " \t\r\n", size, &end, sodium_base64_VARIANT_ORIGINAL) ||
            end != text + length) {
                free(bytes);
                return NULL;
        }
        return bytes;
}

static void key_checksum(const char *key, char checksum[KEY_CHECKSUM + 1])
{
        uint8_t hash[SECRET_HASH_SIZE];

        secret_hash(key, strlen(KEY_PREFIX) + KEY_RANDOM, hash);
        for (int i = 0; i < KEY_CHECKSUM; i++)
                checksum[i] = alphabet[hash[i] % 36];
        checksum[KEY_CHECKSUM] = '\0';
}

void secret_token_new(char *out, size_t count)
{
        for (size_t i = 0; i < count; i++)
                out[i] = alphabet[secret_random_below(36)];
        out[count] = '\0';
}

void secret_key_new(char key[SECRET_KEY_SIZE])
{
        memcpy(key, KEY_PREFIX, sizeof KEY_PREFIX);
        for (size_t i = 0; i < KEY_RANDOM; i++)
                key[strlen(KEY_PREFIX) + i] = alphabet[secret_random_below(36)];
        key_checksum(key, key + strlen(KEY_PREFIX) + KEY_RANDOM);
}

bool secret_key_is_wellformed(const char *key)
{
        char checksum[KEY_CHECKSUM + 1];
        size_t prefix = strlen(KEY_PREFIX);

        if (strncmp(key, KEY_PREFIX, prefix) || strspn(key + prefix, alphabet) != KEY_RANDOM + KEY_CHECKSUM ||
            key[prefix + KEY_RANDOM + KEY_CHECKSUM])
                return false;
        key_checksum(key, checksum);
        return !strcmp(checksum, key + prefix + KEY_RANDOM);
}

bool secret_password_hash(const char *password, char hash[SECRET_PASSWORD_HASH_SIZE])
{
        return crypto_pwhash_str(hash, password, strlen(password), crypto_pwhash_OPSLIMIT_INTERACTIVE,
                                 crypto_pwhash_MEMLIMIT_INTERACTIVE) == 0;
}

bool secret_password_verify(const char *hash, const char *password)
{
        return crypto_pwhash_str_verify(hash, password, strlen(password)) == 0;
}
