/* Codes of authenticator apps: a second proof besides the password.
 *
 * A person enrols (the secret is shown this once and kept sealed), and confirms with a code; from then on every sign-in
 * with a password needs a code: that of the app, accepted within one step of thirty seconds and only once, or one of
 * the recovery codes, each good for one time and kept as a hash. Five wrong codes within a quarter of an hour close the
 * person's sign-in by code for the rest of it. */
#ifndef SERVICES_TOTP_H
#define SERVICES_TOTP_H

#include "server/base/field.h"
#include "server/services/services.h"

#define TOTP_CODE_MAXIMUM 40 /* characters of what a person may type as a code */
#define TOTP_RECOVERY_COUNT 10

/* Lets the person through: true when no authenticator is confirmed, or the code is right, which is used up then.
 * ERROR_TOTP_REQUIRED when one is needed and `code` is NULL; ERROR_UNAUTHENTICATED for a wrong or used one;
 * ERROR_TOO_MANY. `now` is ms since the epoch. In a piece of work. */
MUST_CHECK bool totp_check(const struct services *services, struct store_db *db, int64_t user, const char *code,
                           int64_t now, struct error *error);
/* Forgets how many wrong codes there were. */
void totp_limit_reset(void);

/* What GET /me tells: whether codes are needed, and how many recovery codes are left. */
MUST_CHECK bool totp_state(struct store_db *db, int64_t user, bool *is_confirmed, int64_t *recovery_codes,
                           struct error *error);

/* Whoever wants to change something of this proves who they are with the password or a code (both are checked when both
 * are given). A wrong password is ERROR_PERMISSION_DENIED. */
struct totp_proof_input {
        const char *password, *code;
};
struct totp_enrol_input {
        const char *password;
};
extern const struct field_table totp_enrol_table;
/* {secret, uri, algorithm, digits, period}. One that was not confirmed is replaced; ERROR_CONFLICT when one is. Blocks:
 * checks the password, seals, writes. So do all of these. */
MUST_CHECK bool totp_enrol(struct call *call, const struct totp_enrol_input *input, json_t **result,
                           struct error *error);

struct totp_confirm_input {
        const char *code;
};
extern const struct field_table totp_confirm_table;
/* {enrolled: true, recoveryCodes: [...]}: shown this once. ERROR_CONFLICT when there is nothing to confirm;
 * ERROR_PERMISSION_DENIED for a wrong code; ERROR_TOO_MANY. */
MUST_CHECK bool totp_confirm(struct call *call, const struct totp_confirm_input *input, json_t **result,
                             struct error *error);

extern const struct field_table totp_proof_table;
/* {enrolled: true, recoveryCodes: [...]}: new ones, the old ones are void. */
MUST_CHECK bool totp_renew(struct call *call, const struct totp_proof_input *input, json_t **result,
                           struct error *error);
/* {enrolled: false}: no code is needed any more. ERROR_CONFLICT when there was no authenticator. */
MUST_CHECK bool totp_remove(struct call *call, const struct totp_proof_input *input, json_t **result,
                            struct error *error);

struct user_name_input;
/* {name, enrolled: false}: an administrator takes the authenticator of somebody who has lost it. Needs users:manage. */
MUST_CHECK bool totp_reset(struct call *call, const struct user_name_input *input, json_t **result,
                           struct error *error);

#endif
