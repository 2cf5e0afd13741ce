/* Internal to the codes of authenticator apps. */
#ifndef SERVICES_TOTP_PARTS_H
#define SERVICES_TOTP_PARTS_H

#include "server/base/secret.h"
#include "server/services/letter_code.h"
#include "server/services/services.h"
#include "server/store/authenticator.h"

#define TOTP_RECOVERY_LETTERS 16
#define TOTP_RECOVERY_SIZE LETTER_CODE_SIZE(TOTP_RECOVERY_LETTERS)

/* What the secret of the person is sealed for, on the heap. */
char *totp_origin(int64_t user);
void totp_recovery_hash(const char code[TOTP_RECOVERY_SIZE], uint8_t hash[SECRET_HASH_SIZE]);

/* Counts an attempt of the person; ERROR_TOO_MANY. A right code forgets them. */
MUST_CHECK bool totp_count_attempt(int64_t user, struct error *error);
void totp_forget_attempts(int64_t user);
/* Whether the code is the app's, which is used up then. In a piece of work. */
MUST_CHECK bool totp_take_app_code(const struct services *services, struct store_db *db, int64_t user,
                                   const struct store_authenticator *authenticator, const char *code, int64_t now,
                                   bool *is_right, struct error *error);

#endif
