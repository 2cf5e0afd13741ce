#include "server/services/session.h"

#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/login_limit.h"
#include "server/services/password.h"
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

static const struct field login_rows[] = {
        STRING_FIELD(struct session_login_input, user, .is_required = true, .minimum = 1, .maximum = 64,
                     .help = "Name of the user."),
        STRING_FIELD(struct session_login_input, password, .is_required = true, .minimum = 1, .maximum = 256,
                     .help = "The user's password."),
};
const struct field_table session_login_table = FIELD_TABLE(struct session_login_input, login_rows);

/* A login on its way. Owns itself. */
struct login {
        struct services *services;
        struct actor actor; /* who it will be */
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

static bool begin_work(struct store_db *db, void *context, struct error *error)
{
        struct login *login = context;
        struct actor *actor = &login->actor;
        int64_t now = clock_now(), expires_at = now + session_life_ms();
        char csrf[SESSION_CSRF_LENGTH + 1];
        uint8_t hash[SECRET_HASH_SIZE];
        auto_store_user user = {0};

        /* The person may have been disabled while the password was checked. */
        if (!store_user_find(db, actor->user_name, &user, error))
                return false;
        if (user.is_disabled || user.rid != actor->user)
                return error_set(error, ERROR_UNAUTHENTICATED, NULL);
        secret_token_new(login->started.token, SESSION_TOKEN_LENGTH);
        secret_hash(login->started.token, SESSION_TOKEN_LENGTH, hash);
        session_csrf(login->started.token, csrf);
        if (!store_session_add(db, hash, user.rid, now, expires_at, actor->credential_id, error) ||
            !audit_write(db, actor, "session.login", actor->credential_id, NULL, error))
                return false;
        login->started.result = json_pack("{s:{s:s, s:s}, s:s, s:o}", "user", "id", user.id, "name", user.name,
                                          "csrfToken", csrf, "expiresAt", document_time(expires_at));
        return true;
}

static void begin_done(void *context, struct error *error)
{
        finish(context, error);
}

static void verified(void *context, bool is_right)
{
        struct login *login = context;
        auto_error error = {0};

        if (is_right && login->actor.user) {
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

bool session_login_later(struct services *services, struct store_db *db, const struct session_login_input *input,
                         const char *address, session_done *done, void *context, struct error *error)
{
        auto_store_user user = {0};

        if (!login_limit_take(address, input->user, clock_monotonic(), error) ||
            !find_person(db, input->user, &user, error))
                return false;
        bool can_log_in = user.rid && user.password_hash && !user.is_disabled;
        struct login *login = memory_new(sizeof *login);
        *login = (struct login){.services = services,
                                .done = done,
                                .context = context,
                                .actor = {.credential = CREDENTIAL_SESSION, .user = can_log_in ? user.rid : 0}};
        snprintf(login->actor.user_id, sizeof login->actor.user_id, "%s", user.id ? user.id : "");
        snprintf(login->actor.user_name, sizeof login->actor.user_name, "%s", user.name ? user.name : "");
        if (password_verify_later(can_log_in ? user.password_hash : NULL, input->password, verified, login, error))
                return true;
        free(login);
        return false;
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
