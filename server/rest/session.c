#include "server/services/session.h"

#include <string.h>

#include "server/base/document.h"
#include "server/rest/arguments.h"
#include "server/rest/bearer.h"
#include "server/rest/cookie.h"
#include "server/rest/operations.h"
#include "server/services/oidc.h"
#include "server/services/setup.h"

#define LOGIN_STATUS 200

static const struct field person_rows[] = {
        OUT_STRING("id", .is_required = true, .help = "Stable id of the user."),
        OUT_STRING("name", .is_required = true, .help = "Name of the user."),
};
static const struct field_table person = OUTPUT_TABLE("person", person_rows);

static const struct field login_rows[] = {
        OUT_OBJECT("user", person, .is_required = true, .help = "Who is logged in."),
        OUT_STRING("csrfToken", .is_required = true,
                   .help = "To be sent as X-CSRF-Token with every request that changes something."),
        OUT_STRING("expiresAt", .is_required = true, .format = "date-time", .help = "When the session ends at last."),
};
const struct field_table rest_login_output = OUTPUT_TABLE("login", login_rows);

const struct rest_operation rest_login = {
        .input = &session_sign_in_table, .output = &rest_login_output, .mode = REST_BLOCKS, .status = LOGIN_STATUS};

static void logged_in(void *context, const struct session_started *started, const struct error *error)
{
        struct http_request *request = context;

        if (error) {
                rest_refuse(request, error);
                return;
        }
        rest_session_cookie(request, started->token);
        char *body = document_print(started->result);
        http_respond(request, LOGIN_STATUS, HTTP_JSON, body, strlen(body));
}

void rest_login_answer(const struct rest_door *door, struct http_request *request)
{
        struct rest_arguments arguments = {0};
        char address[HTTP_PEER_SIZE];
        auto_error error = {0};
        size_t length;
        const char *body = http_request_body(request, &length);

        http_request_peer(request, address);
        if (!rest_arguments_begin(&rest_login, request, &arguments, &error) ||
            !rest_arguments_end(&rest_login, body, length, &arguments, &error))
                rest_refuse(request, &error);
        else if (http_suspend(request) && !session_sign_in(door->services, http_request_thread(request),
                                                           arguments.input, address, logged_in, request, &error))
                rest_refuse(request, &error);
        rest_arguments_clear(&arguments);
}

static const struct field option_rows[] = {
        OUT_BOOLEAN("password", .is_required = true, .help = "With name and password: POST /login."),
        OUT_BOOLEAN("sso", .is_required = true, .help = "At the OpenID provider: GET /login/oidc."),
        OUT_BOOLEAN("setupNeeded", .is_required = true, .help = "Nobody can yet: POST /setup comes first."),
};
static const struct field_table option_output = OUTPUT_TABLE("login options", option_rows);

static bool run_options(struct call *call, const void *input, json_t **result, struct error *error)
{
        bool is_needed;

        (void)input;
        if (!setup_is_needed(call->db, &is_needed, error))
                return false;
        *result = json_pack("{s:b, s:b, s:b}", "password", 1, "sso", oidc_is_on(settings_current()), "setupNeeded",
                            is_needed);
        return true;
}

const struct rest_operation rest_login_options = {.output = &option_output, .is_public = true, .run = run_options};

static void forget_cookie(struct http_request *request, const struct caller *caller, json_t *result)
{
        (void)caller;
        (void)result;
        rest_session_cookie(request, NULL);
}

static const struct field logout_rows[] = {
        OUT_BOOLEAN("loggedOut", .is_required = true, .help = "The session has ended."),
};
static const struct field_table logout_output = OUTPUT_TABLE("logout", logout_rows);

REST_SERVICE_PLAIN(session_logout)
const struct rest_operation rest_logout = {
        .output = &logout_output, .mode = REST_WRITES, .run = run_session_logout, .decorate = forget_cookie};
