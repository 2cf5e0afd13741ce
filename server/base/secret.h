/* Secrets: randomness, hashes, passwords, API keys. The one user of libsodium. */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/cleanup.h"

#define SECRET_HASH_SIZE 32
#define SECRET_KEY_SIZE 56
#define SECRET_PASSWORD_HASH_SIZE 128

/* Must be called once before anything else here; ends the process when there is no randomness. */
void secret_init(void);
void secret_random(void *out, size_t size);
uint32_t secret_random_below(uint32_t bound);
/* BLAKE2b-256 (RFC 7693) of the bytes. */
void secret_hash(const void *bytes, size_t length, uint8_t hash[SECRET_HASH_SIZE]);
/* The same of bytes that come in pieces. The struct is not to be moved between them. It has room to align the library's
 * state inside of it: where threads have stacks of a sanitizer's, the compiler cannot. */
struct secret_hasher {
        unsigned char state[384 + 64];
};
void secret_hash_begin(struct secret_hasher *hasher);
void secret_hash_add(struct secret_hasher *hasher, const void *bytes, size_t length);
void secret_hash_end(struct secret_hasher *hasher, uint8_t hash[SECRET_HASH_SIZE]);
/* Compares in constant time. */
bool secret_is_equal(const void *a, const void *b, size_t size);
/* Overwrites a buffer so that the compiler cannot leave it out. */
void secret_wipe(void *buffer, size_t size);

/* Sealing with XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha) under a random nonce, which stands before the rest. */
#define SECRET_SEAL_KEY_SIZE 32
#define SECRET_SEAL_OVERHEAD 40
/* Writes length + SECRET_SEAL_OVERHEAD bytes. `context` says what the bytes are and has to be the same at unsealing. */
void secret_seal(const uint8_t key[SECRET_SEAL_KEY_SIZE], const char *context, const void *bytes, size_t length,
                 uint8_t *sealed);
/* Writes sealed_length - SECRET_SEAL_OVERHEAD bytes; false for another key or context and for changed bytes. */
MUST_CHECK bool secret_unseal(const uint8_t key[SECRET_SEAL_KEY_SIZE], const char *context, const uint8_t *sealed,
                              size_t sealed_length, void *bytes);

/* Base64 (RFC 4648, section 4) with padding, on the heap. */
char *secret_base64(const void *bytes, size_t length);

/* Undoes it, white space between the characters ignored; sets *size. NULL when it is not valid base64. */
void *secret_base64_decode(const char *text, size_t length, size_t *size);

/* Base64 of the URL-safe alphabet (RFC 4648, section 5) without padding, on the heap. */
char *secret_base64url(const void *bytes, size_t length);

/* SHA-256 (FIPS 180-4), where a protocol asks for it. */
void secret_sha256(const void *bytes, size_t length, uint8_t hash[SECRET_HASH_SIZE]);

/* Writes so many random base36 characters and a NUL. */
void secret_token_new(char *out, size_t count);

/* A new API key: "lsk_", forty random base36 characters, six of a checksum over them. */
void secret_key_new(char key[SECRET_KEY_SIZE]);
/* Whether prefix and checksum are those of an API key, without looking it up. */
bool secret_key_is_wellformed(const char *key);

/* argon2id (RFC 9106), about a quarter of a second and 64 MiB; false when memory is exhausted. */
MUST_CHECK bool secret_password_hash(const char *password, char hash[SECRET_PASSWORD_HASH_SIZE]);
bool secret_password_verify(const char *hash, const char *password);

#endif
