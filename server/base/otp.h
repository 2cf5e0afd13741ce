/* Time-based one-time codes of authenticator apps (RFC 6238: HMAC-SHA-1, six digits, steps of thirty seconds). The one
 * user of liboath. */
#ifndef BASE_OTP_H
#define BASE_OTP_H

#include <stdbool.h>
#include <stdint.h>

#include "server/base/cleanup.h"

#define OTP_STEP_MS 30000
#define OTP_DIGITS 6
/* 160 bits in base32 and a NUL. */
#define OTP_SECRET_SIZE 33

/* A new secret in base32, as apps take it. secret_init() must have been called. */
void otp_secret_new(char secret[OTP_SECRET_SIZE]);
/* The code of a time step; false when the secret is not valid base32. */
MUST_CHECK bool otp_code(const char *secret, int64_t step, char code[OTP_DIGITS + 1]);
/* Whether the code is that of the time step of `now` (ms since the epoch) or of one beside it, and of a later one than
 * `after`; tells which. */
bool otp_is_right(const char *secret, const char *code, int64_t now, int64_t after, int64_t *step);

#endif
