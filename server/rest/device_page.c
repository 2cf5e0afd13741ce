#include "server/rest/device_page.h"

#include <string.h>

#include "server/base/document.h"
#include "server/base/form.h"
#include "server/rest/bearer.h"
#include "server/rest/cookie.h"
#include "server/rest/html.h"
#include "server/services/device.h"
#include "server/services/oidc.h"
#include "server/services/reader.h"
#include "server/services/session.h"

#define CODE_SHOWN_MAXIMUM 64

static void put_hidden(struct text *out, const char *name, const char *value)
{
        text_printf(out, "<input type=\"hidden\" name=\"%s\" value=\"", name);
        html_escape(out, value);
        text_append_string(out, "\">");
}

static void put_input(struct text *out, const char *label, const char *attributes)
{
        text_printf(out, "<label>%s<input %s required></label>", label, attributes);
}

/* The path of the page with the code, which is quoted. */
static char *page_path(const char *code)
{
        auto_text path = TEXT_WITH_MAXIMUM(4096);

        text_append_string(&path, DEVICE_PAGE "?");
        form_append(&path, "code", code);
        return text_take(&path);
}

static void show_sign_in(struct http_request *request, unsigned status, const char *code, const char *user,
                         const struct error *error)
{
        auto_text body = TEXT_WITH_MAXIMUM(HTML_MAXIMUM);
        auto_free char *path = page_path(code);
        auto_text sso = TEXT_WITH_MAXIMUM(4096);

        if (error) {
                text_append_string(&body, "<p class=\"fault\">");
                html_escape(&body, error->message);
                text_append_string(&body, "</p>");
        }
        text_append_string(&body, "<form method=\"post\" action=\"" DEVICE_PAGE "/sign-in\">");
        put_hidden(&body, "userCode", code);
        text_append_string(&body, "<label>User<input name=\"user\" autocomplete=\"username\" maxlength=\"64\" required "
                                  "value=\"");
        html_escape(&body, user ? user : "");
        text_append_string(&body, "\"></label>");
        put_input(&body, "Password",
                  "type=\"password\" name=\"password\" autocomplete=\"current-password\" maxlength=\"256\"");
        if (error && error->code == ERROR_TOTP_REQUIRED)
                put_input(&body, "Code of your authenticator app",
                          "name=\"code\" autocomplete=\"one-time-code\" maxlength=\"40\"");
        text_append_string(&body, "<button>Sign in</button></form>");
        if (oidc_is_on(settings_current())) {
                text_append_string(&sso, OIDC_LOGIN_PATH "?");
                form_append(&sso, "return", path);
                text_append_string(&body, "<p><a href=\"");
                html_escape(&body, text_string(&sso));
                text_append_string(&body, "\">Sign in with SSO</a></p>");
        }
        html_respond(request, status, "Sign in", &body);
}

static void show_entry(struct http_request *request, const struct error *error)
{
        auto_text body = TEXT_WITH_MAXIMUM(HTML_MAXIMUM);

        if (error) {
                text_append_string(&body, "<p class=\"fault\">");
                html_escape(&body, error->message);
                text_append_string(&body, "</p>");
        }
        text_append_string(&body, "<p>A program that you started on another machine shows a code.</p>"
                                  "<form method=\"get\" action=\"" DEVICE_PAGE "\">");
        put_input(&body, "Code", "name=\"code\" class=\"code\" autocomplete=\"off\" maxlength=\"32\"");
        text_append_string(&body, "<button>Continue</button></form>");
        html_respond(request, error ? (unsigned)error_kind(error->code)->status : 200, "Allow a program", &body);
}

static void show_question(struct http_request *request, const struct caller *caller, const json_t *device)
{
        static const char *const told[][2] = {
                {"It calls itself", "name"}, {"It asked from", "address"}, {"It asked at", "createdAt"}};
        auto_text body = TEXT_WITH_MAXIMUM(HTML_MAXIMUM);
        char csrf[SESSION_CSRF_LENGTH + 1];

        text_append_string(&body, "<p>Does the program on your other machine show this code?</p><p class=\"code\">");
        html_escape(&body, document_get_string(device, "userCode"));
        text_append_string(&body, "</p><ul>");
        for (size_t i = 0; i < COUNT_OF(told); i++) {
                text_printf(&body, "<li>%s: <strong>", told[i][0]);
                html_escape(&body, document_get_string(device, told[i][1]));
                text_append_string(&body, "</strong></li>");
        }
        text_append_string(&body, "</ul><p>If you allow it, it gets an API key and can do all that ");
        html_escape(&body, caller->actor.user_name);
        text_append_string(&body, " can. Deny it when you did not start it yourself.</p>"
                                  "<form method=\"post\" action=\"" DEVICE_PAGE "\">");
        session_csrf(caller->token, csrf);
        put_hidden(&body, "csrf", csrf);
        put_hidden(&body, "userCode", document_get_string(device, "userCode"));
        text_append_string(&body, "<button name=\"decision\" value=\"allow\">Allow</button>"
                                  "<button name=\"decision\" value=\"deny\">Deny</button></form>");
        html_respond(request, 200, "Allow a program", &body);
}

/* The person of the browser's session; a bearer does not count on a page. */
static bool find_person(const struct rest_door *door, struct http_request *request, struct caller *caller)
{
        auto_error error = {0};

        *caller = rest_caller(door->services, request);
        return caller->is_session && caller_authenticate(caller, &error);
}

void rest_device_page(const struct rest_door *door, struct http_request *request)
{
        const char *given = http_request_query(request, "code");
        auto_free char *code = text_format("%.*s", CODE_SHOWN_MAXIMUM, given ? given : "");
        struct caller caller;
        auto_json *device = NULL;
        auto_error error = {0};

        if (!find_person(door, request, &caller)) {
                show_sign_in(request, 200, code, NULL, NULL);
                return;
        }
        struct call call = caller_as_call(&caller, "web", NULL);
        if (!*code)
                show_entry(request, NULL);
        else if (!device_show(&call, &(struct device_show_input){code}, &device, &error))
                show_entry(request, &error);
        else
                show_question(request, &caller, device);
}

/* A form on its way. Owns itself. */
struct sent {
        const struct rest_door *door;
        struct http_request *request;
        json_t *form;
        char *token; /* of the session */
        struct caller caller;
        json_t *result;
};

static void sent_free(struct sent *sent)
{
        json_decref(sent->form);
        json_decref(sent->result);
        free(sent->token);
        free(sent);
}

static const char *field(const struct sent *sent, const char *name)
{
        const char *value = document_get_string(sent->form, name);

        return value ? value : "";
}

static struct sent *read_form(const struct rest_door *door, struct http_request *request)
{
        auto_error error = {0};
        size_t length;

        const char *body = http_request_body(request, &length);
        json_t *form = form_parse(body, length, &error);
        if (!form) {
                html_refuse(request, &error, DEVICE_PAGE, "Back");
                return NULL;
        }
        struct sent *sent = memory_new(sizeof *sent);
        *sent = (struct sent){.door = door, .request = request, .form = form};
        return sent;
}

static void signed_in(void *context, const struct session_started *started, const struct error *error)
{
        struct sent *sent = context;
        auto_free char *path = page_path(field(sent, "userCode"));

        if (!error) {
                rest_session_cookie(sent->request, started->token);
                html_redirect(sent->request, path);
        } else if (error->code == ERROR_UNAUTHENTICATED || error->code == ERROR_TOTP_REQUIRED) {
                show_sign_in(sent->request, 403, field(sent, "userCode"), field(sent, "user"), error);
        } else {
                html_refuse(sent->request, error, path, "Back");
        }
        sent_free(sent);
}

static bool is_short(const char *text, size_t minimum, size_t maximum)
{
        size_t length = strlen(text);

        return length >= minimum && length <= maximum;
}

void rest_device_sign_in(const struct rest_door *door, struct http_request *request)
{
        struct sent *sent = read_form(door, request);
        char address[HTTP_PEER_SIZE];
        auto_error error = {0};

        if (!sent)
                return;
        struct session_sign_in_input input = {field(sent, "user"), field(sent, "password"), field(sent, "code")};
        if (!is_short(input.user, 1, 64) || !is_short(input.password, 1, 256) || !is_short(input.code, 0, 40) ||
            !is_short(field(sent, "userCode"), 0, CODE_SHOWN_MAXIMUM)) {
                error_set(&error, ERROR_INVALID_INPUT, "User and password are missing, or too long.");
                html_refuse(request, &error, DEVICE_PAGE, "Back");
                sent_free(sent);
                return;
        }
        http_request_peer(request, address);
        struct store_db *db = http_request_thread(request);
        if (!http_suspend(request)) {
                sent_free(sent);
        } else if (!session_sign_in(door->services, db, &input, address, signed_in, sent, &error)) {
                html_refuse(request, &error, DEVICE_PAGE, "Back");
                sent_free(sent);
        }
}

static bool decide_work(struct store_db *db, void *context, struct error *error)
{
        struct sent *sent = context;
        struct device_decide_input input = {field(sent, "userCode"), !strcmp(field(sent, "decision"), "allow")};

        sent->caller.db = db;
        if (!caller_authenticate(&sent->caller, error))
                return false;
        struct call call = caller_as_call(&sent->caller, "web", NULL);
        return device_decide(&call, &input, &sent->result, error);
}

static void decided(void *context, struct error *error)
{
        struct sent *sent = context;
        auto_text body = TEXT_WITH_MAXIMUM(HTML_MAXIMUM);
        bool is_allowed = json_is_true(json_object_get(sent->result, "allowed"));

        if (error) {
                html_refuse(sent->request, error, DEVICE_PAGE, "Back");
        } else {
                text_append_string(&body, is_allowed
                                                  ? "<p>The program goes on in a moment. You can close this page.</p>"
                                                  : "<p>The program gets nothing. You can close this page.</p>");
                html_respond(sent->request, 200, is_allowed ? "Allowed" : "Denied", &body);
        }
        sent_free(sent);
}

static bool check_form(struct sent *sent, struct error *error)
{
        bool is_decision = !strcmp(field(sent, "decision"), "allow") || !strcmp(field(sent, "decision"), "deny");

        if (!session_csrf_is_right(sent->caller.token, field(sent, "csrf")))
                return error_set(error, ERROR_PERMISSION_DENIED,
                                 "The form is not of this session; open the page again.");
        return (is_decision && is_short(field(sent, "userCode"), 1, 32)) ||
               error_set(error, ERROR_INVALID_INPUT, "The form is not whole; open the page again.");
}

void rest_device_decide_form(const struct rest_door *door, struct http_request *request)
{
        struct sent *sent = read_form(door, request);
        auto_error error = {0};

        if (!sent)
                return;
        if (!find_person(door, request, &sent->caller)) {
                show_sign_in(request, 403, field(sent, "userCode"), NULL, NULL);
                sent_free(sent);
        } else if (!check_form(sent, &error)) {
                html_refuse(request, &error, DEVICE_PAGE, "Back");
                sent_free(sent);
        } else {
                sent->caller.token = sent->token = text_copy(sent->caller.token);
                if (http_suspend(request))
                        store_write_later(door->services->store, decide_work, sent, decided);
                else
                        sent_free(sent);
        }
}
