#include <string.h>

#include "server/base/clock.h"
#include "server/base/otp.h"
#include "server/services/attempts.h"
#include "server/services/seal.h"
#include "server/services/totp.h"
#include "server/services/totp_parts.h"
#include "server/store/authenticator.h"

#define WRONG_MAXIMUM 5
#define WRONG_WINDOW_MS (INT64_C(15) * 60 * 1000)

/* By the person's rid: only somebody who knows the password comes so far. */
static struct attempts attempts = ATTEMPTS_INITIALIZER;

void totp_limit_reset(void)
{
        attempts_reset(&attempts);
}

/* What a person typed, without the spaces that apps show. */
static void squeeze(const char *typed, char code[TOTP_CODE_MAXIMUM + 1])
{
        size_t length = 0;

        for (; *typed && length < TOTP_CODE_MAXIMUM; typed++)
                if (*typed != ' ')
                        code[length++] = *typed;
        code[length] = '\0';
}

bool totp_take_app_code(const struct services *services, struct store_db *db, int64_t user,
                        const struct store_authenticator *authenticator, const char *code, int64_t now, bool *is_right,
                        struct error *error)
{
        auto_free char *origin = totp_origin(user);
        char squeezed[TOTP_CODE_MAXIMUM + 1];
        int64_t step;

        *is_right = false;
        squeeze(code, squeezed);
        char *secret = seal_read(services, db, authenticator->value, origin, error);
        if (!secret)
                return false;
        bool is_code = otp_is_right(secret, squeezed, now, authenticator->last_step, &step);
        seal_free(secret);
        return !is_code || store_authenticator_take(db, user, step, is_right, error);
}

static bool take_recovery_code(struct store_db *db, int64_t user, const char *typed, bool *is_right,
                               struct error *error)
{
        char code[TOTP_RECOVERY_SIZE];
        uint8_t hash[SECRET_HASH_SIZE];

        *is_right = false;
        if (!letter_code_read(typed, code, TOTP_RECOVERY_LETTERS))
                return true;
        totp_recovery_hash(code, hash);
        return store_recovery_code_take(db, user, hash, is_right, error);
}

bool totp_count_attempt(int64_t user, struct error *error)
{
        auto_free char *name = text_format("%lld", (long long)user);
        int64_t wait = attempts_take(&attempts, name, WRONG_MAXIMUM, WRONG_WINDOW_MS, clock_monotonic());

        return !wait || attempts_refuse(wait, "give a code", error);
}

void totp_forget_attempts(int64_t user)
{
        auto_free char *name = text_format("%lld", (long long)user);

        attempts_forget(&attempts, name);
}

bool totp_check(const struct services *services, struct store_db *db, int64_t user, const char *code, int64_t now,
                struct error *error)
{
        struct store_authenticator authenticator;
        bool is_right;

        if (!store_authenticator_find(db, user, &authenticator, error))
                return false;
        if (!authenticator.confirmed_at)
                return true;
        if (!code || !*code)
                return error_set(error, ERROR_TOTP_REQUIRED, NULL);
        if (!totp_count_attempt(user, error) ||
            !totp_take_app_code(services, db, user, &authenticator, code, now, &is_right, error) ||
            (!is_right && !take_recovery_code(db, user, code, &is_right, error)))
                return false;
        if (!is_right)
                return error_set(error, ERROR_UNAUTHENTICATED, "The code is wrong, or was used already.");
        totp_forget_attempts(user);
        return true;
}
