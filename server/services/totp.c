#include "server/services/totp.h"

#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/otp.h"
#include "server/services/audit.h"
#include "server/services/login_limit.h"
#include "server/services/password.h"
#include "server/services/seal.h"
#include "server/services/totp_parts.h"
#include "server/services/user.h"
#include "server/services/write.h"
#include "server/store/user.h"
#include "server/store/vault.h"

#define PASSWORD_ROW(S, ...)                                                                                           \
        STRING_FIELD(S, password, .minimum = 1, .maximum = 256, .help = "Your password.", __VA_ARGS__)
#define CODE_ROW(S, ...) STRING_FIELD(S, code, .minimum = 1, .maximum = TOTP_CODE_MAXIMUM, __VA_ARGS__)

static const struct field enrol_rows[] = {PASSWORD_ROW(struct totp_enrol_input, .is_required = true)};
const struct field_table totp_enrol_table = FIELD_TABLE(struct totp_enrol_input, enrol_rows);

static const struct field confirm_rows[] = {
        CODE_ROW(struct totp_confirm_input, .is_required = true, .help = "What the app shows now.")};
const struct field_table totp_confirm_table = FIELD_TABLE(struct totp_confirm_input, confirm_rows);

static const struct field proof_rows[] = {
        PASSWORD_ROW(struct totp_proof_input),
        CODE_ROW(struct totp_proof_input,
                 .help = "What the app shows now, or a recovery code; instead of the password."),
};
const struct field_table totp_proof_table = FIELD_TABLE(struct totp_proof_input, proof_rows);

char *totp_origin(int64_t user)
{
        return text_format("authenticator %lld", (long long)user);
}

void totp_recovery_hash(const char code[TOTP_RECOVERY_SIZE], uint8_t hash[SECRET_HASH_SIZE])
{
        secret_hash(code, strlen(code), hash);
}

bool totp_state(struct store_db *db, int64_t user, bool *is_confirmed, int64_t *recovery_codes, struct error *error)
{
        struct store_authenticator authenticator;

        if (!store_authenticator_find(db, user, &authenticator, error) ||
            !store_recovery_code_count(db, user, recovery_codes, error))
                return false;
        *is_confirmed = authenticator.confirmed_at != 0;
        return true;
}

/* Only a person has an authenticator, and a task's own credential does nothing here. */
static bool require_person(struct call *call, struct error *error)
{
        if (!call->actor->user)
                return error_set(error, ERROR_INVALID_INPUT, "the command line is nobody; see user totp-reset");
        return call->actor->credential != CREDENTIAL_TASK ||
               error_set(error, ERROR_PERMISSION_DENIED, "a task has no authenticator");
}

static bool require_password(struct call *call, const char *password, struct error *error)
{
        auto_store_user user = {0};
        bool is_right;

        if (!store_user_find_rid(call->db, call->actor->user, &user, error) ||
            !login_limit_take("", user.name, clock_monotonic(), error) ||
            !password_verify(user.password_hash, password, &is_right, error))
                return false;
        return is_right || error_set(error, ERROR_PERMISSION_DENIED, "the password is wrong");
}

static bool enrol_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const char *secret = context;
        int64_t user = call->actor->user, value;
        auto_free char *origin = totp_origin(user);
        struct store_authenticator authenticator;

        (void)result;
        if (!store_authenticator_find(call->db, user, &authenticator, error))
                return false;
        if (authenticator.confirmed_at)
                return error_set(error, ERROR_CONFLICT, "an authenticator is enrolled already; remove it first");
        return seal_add(call->services, call->db, origin, secret, &value, error) &&
               store_authenticator_put(call->db, user, value, call->now, error) && store_value_prune(call->db, error) &&
               audit_write(call->db, call->actor, "totp.enrol", call->actor->user_name, NULL, error);
}

/* The key URI that apps take as a QR code; the characters of names that mean something in a URI are quoted. */
static char *uri_of(const char *name, const char *secret)
{
        auto_text quoted = TEXT_WITH_MAXIMUM(3 * ACTOR_NAME_SIZE);

        for (; *name; name++)
                text_printf(&quoted, *name == '@' || *name == '+' ? "%%%02X" : "%c", (unsigned char)*name);
        return text_format("otpauth://totp/Longshore:%s?secret=%s&issuer=Longshore&algorithm=SHA1&digits=%d&period=%d",
                           text_string(&quoted), secret, OTP_DIGITS, OTP_STEP_MS / 1000);
}

bool totp_enrol(struct call *call, const struct totp_enrol_input *input, json_t **result, struct error *error)
{
        char secret[OTP_SECRET_SIZE];
        json_t *nothing = NULL;

        if (!require_person(call, error) || !require_password(call, input->password, error) ||
            !seal_prepare(call->services, call->db, error))
                return false;
        otp_secret_new(secret);
        bool is_good = call_write(call, enrol_work, secret, &nothing, error);
        if (is_good) {
                auto_free char *uri = uri_of(call->actor->user_name, secret);
                *result = json_pack("{s:s, s:s, s:s, s:i, s:i}", "secret", secret, "uri", uri, "algorithm", "SHA1",
                                    "digits", OTP_DIGITS, "period", OTP_STEP_MS / 1000);
        }
        secret_wipe(secret, sizeof secret);
        return is_good;
}

/* {enrolled: true, recoveryCodes}: makes new ones in place of the old. */
static bool make_recovery_codes(struct call *call, json_t **result, struct error *error)
{
        auto_json *codes = json_array();

        if (!store_recovery_code_clear(call->db, call->actor->user, error))
                return false;
        for (int i = 0; i < TOTP_RECOVERY_COUNT; i++) {
                char code[TOTP_RECOVERY_SIZE];
                uint8_t hash[SECRET_HASH_SIZE];
                letter_code_new(code, TOTP_RECOVERY_LETTERS);
                totp_recovery_hash(code, hash);
                if (!store_recovery_code_add(call->db, call->actor->user, hash, error))
                        return false;
                json_array_append_new(codes, json_string(code));
        }
        *result = json_pack("{s:b, s:O}", "enrolled", 1, "recoveryCodes", codes);
        return true;
}

static bool confirm_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct totp_confirm_input *input = context;
        int64_t user = call->actor->user;
        struct store_authenticator authenticator;
        bool is_right;

        if (!store_authenticator_find(call->db, user, &authenticator, error))
                return false;
        if (!authenticator.value || authenticator.confirmed_at)
                return error_set(error, ERROR_CONFLICT, "there is no authenticator to confirm; enrol one first");
        if (!totp_count_attempt(user, error) || !totp_take_app_code(call->services, call->db, user, &authenticator,
                                                                    input->code, call->now, &is_right, error))
                return false;
        if (!is_right)
                return error_set(error, ERROR_PERMISSION_DENIED,
                                 "the code is wrong; see that the clock of the device with the app is right");
        totp_forget_attempts(user);
        return store_authenticator_confirm(call->db, user, call->now, error) &&
               make_recovery_codes(call, result, error) &&
               audit_write(call->db, call->actor, "totp.confirm", call->actor->user_name, NULL, error);
}

bool totp_confirm(struct call *call, const struct totp_confirm_input *input, json_t **result, struct error *error)
{
        return require_person(call, error) && call_write(call, confirm_work, input, result, error);
}

/* Also checks the code, where one was given, in the piece of work that it allows. */
static bool require_enrolled(struct call *call, const struct totp_proof_input *input, struct error *error)
{
        struct store_authenticator authenticator;

        if (!store_authenticator_find(call->db, call->actor->user, &authenticator, error))
                return false;
        if (!authenticator.confirmed_at)
                return error_set(error, ERROR_CONFLICT, "no authenticator is enrolled");
        if (!input->code || totp_check(call->services, call->db, call->actor->user, input->code, call->now, error))
                return true;
        if (error->code == ERROR_UNAUTHENTICATED) {
                error_clear(error);
                error_set(error, ERROR_PERMISSION_DENIED, "the code is wrong, or was used already");
        }
        return false;
}

static bool require_proof(struct call *call, const struct totp_proof_input *input, struct error *error)
{
        if (!input->password && !input->code)
                return error_set(error, ERROR_INVALID_INPUT, "password or code is missing");
        return require_person(call, error) && (!input->password || require_password(call, input->password, error));
}

static bool renew_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        return require_enrolled(call, context, error) && make_recovery_codes(call, result, error) &&
               audit_write(call->db, call->actor, "totp.recovery-codes", call->actor->user_name, NULL, error);
}

bool totp_renew(struct call *call, const struct totp_proof_input *input, json_t **result, struct error *error)
{
        return require_proof(call, input, error) && call_write(call, renew_work, input, result, error);
}

static bool remove_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        bool is_deleted;

        if (!require_enrolled(call, context, error) ||
            !store_authenticator_delete(call->db, call->actor->user, &is_deleted, error) ||
            !store_value_prune(call->db, error) ||
            !audit_write(call->db, call->actor, "totp.remove", call->actor->user_name, NULL, error))
                return false;
        *result = json_pack("{s:b}", "enrolled", 0);
        return true;
}

bool totp_remove(struct call *call, const struct totp_proof_input *input, json_t **result, struct error *error)
{
        return require_proof(call, input, error) && call_write(call, remove_work, input, result, error);
}

static bool reset_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct user_name_input *input = context;
        auto_store_user user = {0};
        bool is_deleted;

        if (!access_require(call->actor, PERMISSION_USERS_MANAGE, error) ||
            !store_user_find(call->db, input->name, &user, error) || !user_require_manage(call, user.rid, error) ||
            !store_authenticator_delete(call->db, user.rid, &is_deleted, error) ||
            !store_value_prune(call->db, error) ||
            !audit_write(call->db, call->actor, "totp.reset", user.name, json_pack("{s:b}", "wasEnrolled", is_deleted),
                         error))
                return false;
        *result = json_pack("{s:s, s:b}", "name", user.name, "enrolled", 0);
        return true;
}

bool totp_reset(struct call *call, const struct user_name_input *input, json_t **result, struct error *error)
{
        return call_write(call, reset_work, input, result, error);
}
