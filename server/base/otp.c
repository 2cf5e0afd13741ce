#include "server/base/otp.h"

#include <liboath/oath.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/secret.h"

#define SECRET_BYTES 20

void otp_secret_new(char secret[OTP_SECRET_SIZE])
{
        char bytes[SECRET_BYTES], *text = NULL;
        size_t length = 0;

        secret_random(bytes, sizeof bytes);
        if (oath_base32_encode(bytes, sizeof bytes, &text, &length) != OATH_OK || length != OTP_SECRET_SIZE - 1)
                abort();
        memcpy(secret, text, OTP_SECRET_SIZE);
        secret_wipe(text, length);
        secret_wipe(bytes, sizeof bytes);
        free(text);
}

bool otp_code(const char *secret, int64_t step, char code[OTP_DIGITS + 1])
{
        char *bytes = NULL;
        size_t length = 0;

        if (step < 0 || oath_base32_decode(secret, strlen(secret), &bytes, &length) != OATH_OK)
                return false;
        bool is_made = oath_hotp_generate(bytes, length, (uint64_t)step, OTP_DIGITS, false,
                                          OATH_HOTP_DYNAMIC_TRUNCATION, code) == OATH_OK;
        secret_wipe(bytes, length);
        free(bytes);
        return is_made;
}

bool otp_is_right(const char *secret, const char *code, int64_t now, int64_t after, int64_t *step)
{
        char expected[OTP_DIGITS + 1];
        bool is_right = false;

        if (strlen(code) != OTP_DIGITS)
                return false;
        for (int64_t at = now / OTP_STEP_MS - 1; at <= now / OTP_STEP_MS + 1; at++) {
                if (at <= after || !otp_code(secret, at, expected) || !secret_is_equal(expected, code, OTP_DIGITS))
                        continue;
                is_right = true;
                *step = at;
        }
        return is_right;
}
