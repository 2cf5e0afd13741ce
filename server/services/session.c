#include "server/services/session.h"

#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/login_limit.h"
#include "server/services/password.h"
#include "server/services/totp.h"
#include "server/store/session.h"
#include "server/store/user.h"

int64_t session_idle_ms(void)
{
        return settings_current()->session_idle_minutes * 60 * 1000;
}

int64_t session_life_ms(void)
{
        return settings_current()->session_hours * 60 * 60 * 1000;
}

void session_csrf(const char *token, char csrf[SESSION_CSRF_LENGTH + 1])
{
        static const char alphabet[] = "0123456789abcdefghijklmnopqrstuvwxyz";
        auto_free char *named = text_format("csrf:%s", token);
        uint8_t hash[SECRET_HASH_SIZE];

        secret_hash(named, strlen(named), hash);
        for (int i = 0; i < SESSION_CSRF_LENGTH; i++)
                csrf[i] = alphabet[hash[i] % 36];
        csrf[SESSION_CSRF_LENGTH] = '\0';
}

bool session_csrf_is_right(const char *token, const char *shown)
{
        char csrf[SESSION_CSRF_LENGTH + 1];

        session_csrf(token, csrf);
        return shown && strlen(shown) == SESSION_CSRF_LENGTH && secret_is_equal(csrf, shown, SESSION_CSRF_LENGTH);
}

static const struct field sign_in_rows[] = {
        STRING_FIELD(struct session_sign_in_input, user, .is_required = true, .minimum = 1, .maximum = 64,
                     .help = "Name of the user."),
        STRING_FIELD(struct session_sign_in_input, password, .is_required = true, .minimum = 1, .maximum = 256,
                     .help = "The user's password."),
        STRING_FIELD(struct session_sign_in_input, code, .maximum = TOTP_CODE_MAXIMUM,
                     .help = "What the user's authenticator app shows, or a recovery code, where one is enrolled."),
};
const struct field_table session_sign_in_table = FIELD_TABLE(struct session_sign_in_input, sign_in_rows);

/* A sign-in on its way. Owns itself. */
struct login {
        struct services *services;
        int64_t user; /* who it will be; 0: nobody who could log in */
        char code[TOTP_CODE_MAXIMUM + 1];
        struct session_started started;
        session_done *done;
        void *context;
};

static void finish(struct login *login, const struct error *error)
{
        login->done(login->context, error ? NULL : &login->started, error);
        json_decref(login->started.result);
        secret_wipe(login, sizeof *login);
        free(login);
}

bool session_begin(struct store_db *db, int64_t person, const struct session_origin *origin, struct actor *actor,
                   struct session_started *started, struct error *error)
{
        int64_t now = clock_now(), expires_at = now + session_life_ms();
        struct actor signed_in = {.user = person, .credential = CREDENTIAL_SESSION};
        char csrf[SESSION_CSRF_LENGTH + 1];
        uint8_t hash[SECRET_HASH_SIZE];
        auto_store_user user = {0};

        if (!store_user_find_rid(db, person, &user, error))
                return false;
        if (user.is_disabled)
                return error_set(error, ERROR_UNAUTHENTICATED, "The name or the password is wrong.");
        snprintf(signed_in.user_id, sizeof signed_in.user_id, "%s", user.id);
        snprintf(signed_in.user_name, sizeof signed_in.user_name, "%s", user.name);
        secret_token_new(started->token, SESSION_TOKEN_LENGTH);
        secret_hash(started->token, SESSION_TOKEN_LENGTH, hash);
        session_csrf(started->token, csrf);
        struct store_session_new session = {.hash = hash,
                                            .user = user.rid,
                                            .now = now,
                                            .expires_at = expires_at,
                                            .signed_in_at = origin->signed_in_at,
                                            .is_sso = origin->is_sso};
        if (!store_session_add(db, &session, signed_in.credential_id, error) ||
            !audit_write(db, &signed_in, "session.login", signed_in.credential_id, NULL, error))
                return false;
        *actor = signed_in;
        started->result = json_pack("{s:{s:s, s:s}, s:s, s:o}", "user", "id", user.id, "name", user.name, "csrfToken",
                                    csrf, "expiresAt", document_time(expires_at));
        return true;
}

/* The person may have been disabled while the password was checked: session_begin looks. */
static bool begin_work(struct store_db *db, void *context, struct error *error)
{
        struct login *login = context;
        struct session_origin origin = {.signed_in_at = clock_now()};
        struct actor actor;

        return totp_check(login->services, db, login->user, login->code, origin.signed_in_at, error) &&
               session_begin(db, login->user, &origin, &actor, &login->started, error);
}

static void begin_done(void *context, struct error *error)
{
        finish(context, error);
}

static void verified(void *context, bool is_right)
{
        struct login *login = context;
        auto_error error = {0};

        if (is_right && login->user) {
                store_write_later(login->services->store, begin_work, login, begin_done);
                return;
        }
        error_set(&error, ERROR_UNAUTHENTICATED, "The name or the password is wrong.");
        finish(login, &error);
}

/* The person's hash, NULL for nobody who could log in. */
static bool find_person(struct store_db *db, const char *name, struct store_user *user, struct error *error)
{
        if (store_user_find(db, name, user, error))
                return true;
        if (error->code != ERROR_USER_NOT_FOUND)
                return false;
        error_clear(error);
        return true;
}

bool session_sign_in(struct services *services, struct store_db *db, const struct session_sign_in_input *input,
                     const char *address, session_done *done, void *context, struct error *error)
{
        auto_store_user user = {0};

        if (!login_limit_take(address, input->user, clock_monotonic(), error) ||
            !find_person(db, input->user, &user, error))
                return false;
        bool can_log_in = user.rid && user.password_hash && !user.is_disabled;
        struct login *login = memory_new(sizeof *login);
        *login = (struct login){
                .services = services, .done = done, .context = context, .user = can_log_in ? user.rid : 0};
        snprintf(login->code, sizeof login->code, "%s", input->code ? input->code : "");
        if (password_verify_later(can_log_in ? user.password_hash : NULL, input->password, verified, login, error))
                return true;
        secret_wipe(login, sizeof *login);
        free(login);
        return false;
}

bool session_origin(struct store_db *db, const struct actor *actor, struct session_origin *origin, struct error *error)
{
        auto_store_session session = {0};
        bool is_found;

        if (actor->credential != CREDENTIAL_SESSION)
                return error_set(error, ERROR_INVALID_INPUT, "this needs a session; an API key does not sign in");
        if (!store_session_find_id(db, actor->credential_id, &session, &is_found, error))
                return false;
        if (!is_found)
                return error_set(error, ERROR_UNAUTHENTICATED, "The session has ended; log in again.");
        *origin = (struct session_origin){.signed_in_at = session.signed_in_at, .is_sso = session.is_sso};
        return true;
}

bool session_logout(struct call *call, json_t **result, struct error *error)
{
        if (call->actor->credential != CREDENTIAL_SESSION)
                return error_set(error, ERROR_INVALID_INPUT,
                                 "only a session logs out; an API key is revoked with DELETE /api-keys/ID");
        if (!store_session_end(call->db, call->actor->credential_id, error) ||
            !audit_write(call->db, call->actor, "session.logout", call->actor->credential_id, NULL, error))
                return false;
        *result = json_pack("{s:b}", "loggedOut", 1);
        return true;
}
