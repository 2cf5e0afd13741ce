#include "server/services/me.h"

#include "server/rest/operations.h"
#include "server/services/session.h"

static const struct field environment_rows[] = {
        OUT_STRING("name", .is_required = true, .help = "The environment."),
        OUT_STRINGS("permissions", .is_required = true, .help = "What you may do in it."),
};
static const struct field_table environment = OUTPUT_TABLE("environment permissions", environment_rows);

static const struct field permission_rows[] = {
        OUT_STRINGS("server", .is_required = true, .help = "By roles at the server; they hold everywhere."),
        OUT_STRINGS("everywhere", .is_required = true, .help = "In all environments."),
        OUT_OBJECTS("environments", environment, .is_required = true, .help = "In single environments."),
};
static const struct field_table permissions = OUTPUT_TABLE("permissions", permission_rows);

static const struct field me_rows[] = {
        OUT_STRING("id", .is_required = true, .help = "Your stable id."),
        OUT_STRING("name", .is_required = true, .help = "Your name."),
        OUT_STRING("credential", .is_required = true, .help = "session or api_key: how you came."),
        OUT_BOOLEAN("isServerAdministrator", .is_required = true, .help = "Whether you may do everything."),
        OUT_BOOLEAN("hasPassword", .is_required = true, .help = "Whether you can log in with a password."),
        OUT_BOOLEAN("totpEnrolled", .is_required = true,
                    .help = "Whether a code of your authenticator app goes with the password."),
        OUT_INTEGER("recoveryCodesLeft", .is_required = true, .help = "Recovery codes that were not used yet."),
        OUT_BOOLEAN("ssoLinked", .is_required = true, .help = "Whether you can sign in at the OpenID provider."),
        OUT_STRING("signedInAt", .is_nullable = true, .format = "date-time",
                   .help = "Of a session: when you last proved who you are, null when the provider "
                           "did not tell."),
        OUT_BOOLEAN("sso", .help = "Of a session: whether you did so at the OpenID provider."),
        OUT_OBJECT("permissions", permissions, .is_required = true, .help = "What your roles let you do."),
        OUT_STRING("csrfToken", .help = "Of the session, for requests that change something."),
};
static const struct field_table me_output = OUTPUT_TABLE("me", me_rows);

static void add_csrf(struct http_request *request, const struct caller *caller, json_t *result)
{
        char csrf[SESSION_CSRF_LENGTH + 1];

        (void)request;
        if (!caller->is_session)
                return;
        session_csrf(caller->token, csrf);
        json_object_set_new(result, "csrfToken", json_string(csrf));
}

REST_SERVICE_PLAIN(me_get)
const struct rest_operation rest_me_get = {.output = &me_output, .run = run_me_get, .decorate = add_csrf};

static const struct field change_rows[] = {
        OUT_STRING("id", .is_required = true, .help = "Your stable id."),
        OUT_STRING("name", .is_required = true, .help = "Your new name."),
};
static const struct field_table change_output = OUTPUT_TABLE("me changed", change_rows);

REST_SERVICE(me_change, struct me_change_input)
const struct rest_operation rest_me_change = {
        .input = &me_change_table, .output = &change_output, .mode = REST_WRITES, .run = run_me_change};

static const struct field password_rows[] = {
        OUT_BOOLEAN("changed", .is_required = true, .help = "The new password holds; your other sessions have ended."),
};
static const struct field_table password_output = OUTPUT_TABLE("password", password_rows);

REST_SERVICE(me_set_password, struct me_password_input)
const struct rest_operation rest_me_password = {
        .input = &me_password_table, .output = &password_output, .mode = REST_BLOCKS, .run = run_me_set_password};
