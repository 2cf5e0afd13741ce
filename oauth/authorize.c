/* The way of a person: sign in, consent, back to the client. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "oauth/asked.h"
#include "oauth/page.h"
#include "server/base/clock.h"
#include "server/base/form.h"
#include "server/services/oidc.h"
#include "server/services/session.h"

#define QUERY_MAXIMUM 65536

static void redirect(struct http_request *request, const char *url)
{
        http_request_add_header(request, "Location", url);
        http_request_add_header(request, "Referrer-Policy", "no-referrer");
        http_respond(request, 303, NULL, NULL, 0);
}

/* Puts the parameters of the form's query in the place of the form's own; the query itself goes out on the heap. */
static bool take_query(struct asked *asked, char **query, struct error *error)
{
        const char *given = asked_for(asked, "query");
        json_t *parameters = form_parse(given ? given : "", given ? strlen(given) : 0, error);

        if (!parameters)
                return false;
        *query = text_copy(given ? given : "");
        json_decref(asked->parameters);
        asked->parameters = parameters;
        return true;
}

/* Where the request goes on, written anew: nothing of the form gets into the header as it came. */
static char *authorize_url(json_t *parameters)
{
        auto_text url = TEXT_WITH_MAXIMUM(QUERY_MAXIMUM);

        text_append_string(&url, OAUTH_AUTHORIZE_PATH "?");
        form_print(parameters, &url);
        return text_take(&url);
}

/* Tells the client where it can be told, otherwise the person. */
static void refuse(const struct asked *asked, const struct oauth_site *site, const struct oauth_request *request,
                   const struct error *error)
{
        if (!request->redirect_uri) {
                page_error(asked->request, error);
                return;
        }
        auto_free char *url = oauth_request_answer(request, site, NULL, error);
        redirect(asked->request, url);
}

static bool begin(struct asked *asked, struct oauth_site *site, struct error *error)
{
        if (!oauth_site_find(asked->door->services, asked->host, site, error))
                return false;
        if (asked->fault.code)
                return error_move(error, &asked->fault);
        return true;
}

/* The path that begins a sign-in at the OpenID provider and comes back to the request; NULL where there is none. */
static char *sso_path(json_t *parameters, bool is_fresh)
{
        auto_text path = TEXT_WITH_MAXIMUM(QUERY_MAXIMUM);
        auto_free char *back = authorize_url(parameters);

        if (!oidc_is_on(settings_current()) || !oidc_return_is_own(back))
                return NULL;
        text_append_string(&path, OIDC_LOGIN_PATH "?");
        form_append(&path, "return", back);
        if (is_fresh || settings_current()->mcp_oauth_fresh_sign_in_minutes)
                form_append(&path, "fresh", "true");
        return text_take(&path);
}

static void show_sign_in(const struct asked *asked, const char *query, const struct oauth_person *person)
{
        auto_free char *sso = sso_path(asked->parameters, person->is_known);

        page_sign_in(asked->request, 200,
                     &(struct page_sign_in){.query = query,
                                            .sso = sso,
                                            .is_again = person->is_known,
                                            .user = person->is_known ? person->name : NULL,
                                            .redirect_uri = asked_for(asked, "redirect_uri")});
}

static void show_consent(const struct asked *asked, const char *query, const struct oauth_request *request,
                         const struct oauth_person *person)
{
        char ticket[OAUTH_TICKET_SIZE];
        int64_t now = clock_now();

        oauth_consent_ticket(asked->session, query, now, ticket);
        page_consent(
                asked->request,
                &(struct page_consent){
                        .asked = request, .person = person->name, .query = query, .ticket = ticket, .issued_at = now});
}

static bool run_authorize(struct asked *asked)
{
        auto_text query = TEXT_WITH_MAXIMUM(QUERY_MAXIMUM);
        auto_oauth_request request = {0};
        auto_oauth_site site = {0};
        auto_error error = {0};
        struct oauth_person person;

        form_print(asked->parameters, &query);
        if (!begin(asked, &site, &error) || !oauth_consent_person(asked->db, asked->session, &person, &error)) {
                page_error(asked->request, &error);
                return true;
        }
        /* Only for somebody who is signed in is anything fetched. */
        bool is_ready = person.is_known && person.is_fresh;
        if (!oauth_request_read(asked->db, &site, asked->parameters, is_ready, &request, &error))
                refuse(asked, &site, &request, &error);
        else if (is_ready)
                show_consent(asked, text_string(&query), &request, &person);
        else
                show_sign_in(asked, text_string(&query), &person);
        return true;
}

void oauth_authorize(const struct oauth_door *door, struct http_request *request)
{
        asked_later(door, request, ASKED_QUERY, run_authorize);
}

static bool is_secure(void)
{
        const char *site = settings_current()->site_url;

        return site && !strncasecmp(site, "https:", 6);
}

static void signed_in(void *context, const struct session_started *started, const struct error *error)
{
        struct asked *asked = context;
        auto_free char *user = text_copy(asked_for(asked, "user"));
        auto_free char *query = NULL;
        auto_error fault = {0};

        if (!take_query(asked, &query, &fault)) {
                page_error(asked->request, &fault);
        } else if (!error) {
                auto_free char *url = authorize_url(asked->parameters);
                http_request_set_cookie(asked->request, SESSION_COOKIE, started->token, session_life_ms() / 1000,
                                        is_secure());
                redirect(asked->request, url);
        } else if (error->code == ERROR_UNAUTHENTICATED || error->code == ERROR_TOTP_REQUIRED) {
                auto_free char *sso = sso_path(asked->parameters, false);
                page_sign_in(asked->request, 403,
                             &(struct page_sign_in){.query = query,
                                                    .sso = sso,
                                                    .message = error->message,
                                                    .user = user,
                                                    .needs_code = error->code == ERROR_TOTP_REQUIRED,
                                                    .redirect_uri = asked_for(asked, "redirect_uri")});
        } else {
                page_error(asked->request, error);
        }
        asked_free(asked);
}

static bool run_sign_in(struct asked *asked)
{
        const char *code = asked_for(asked, "code");
        struct session_sign_in_input input = {.user = asked_for(asked, "user"),
                                              .password = asked_for(asked, "password"),
                                              .code = code && *code ? code : NULL};
        auto_oauth_site site = {0};
        auto_error error = {0};

        if (!begin(asked, &site, &error)) {
                page_error(asked->request, &error);
                return true;
        }
        if (!input.user || !input.password)
                error_set(&error, ERROR_OAUTH_REQUEST, "User and password are missing.");
        else if (session_sign_in(asked->door->services, asked->db, &input, asked->peer, signed_in, asked, &error))
                return false;
        page_error(asked->request, &error);
        return true;
}

void oauth_sign_in(const struct oauth_door *door, struct http_request *request)
{
        asked_later(door, request, ASKED_FORM, run_sign_in);
}

/* The form as this session was given it. */
static bool check_form(const struct asked *asked, struct error *error)
{
        const char *query = asked_for(asked, "query");
        struct oauth_person person;

        if (!oauth_consent_person(asked->db, asked->session, &person, error))
                return false;
        if (!person.is_known || !query ||
            !oauth_consent_ticket_is_good(asked->session, query, asked_for(asked, "issued_at"),
                                          asked_for(asked, "ticket"), clock_now()))
                return error_set(error, ERROR_OAUTH_REQUEST,
                                 "The form expired: it is valid for ten minutes, and only in the session it was "
                                 "shown in.");
        return true;
}

static void decide(const struct asked *asked, const struct oauth_site *site, const struct oauth_request *request,
                   bool is_approved)
{
        char code[OAUTH_SECRET_SIZE] = "";
        auto_error error = {0};

        if (!is_approved)
                error_set(&error, ERROR_OAUTH_DENIED, NULL);
        bool is_done = is_approved &&
                       oauth_consent_approve(asked->door->services, asked->session, site, request, code, &error);
        if (!is_done && error.code != ERROR_UNAUTHENTICATED) {
                refuse(asked, site, request, &error);
                return;
        }
        /* Whoever is no longer signed in, or not freshly enough, begins again. */
        auto_free char *url =
                is_done ? oauth_request_answer(request, site, code, NULL) : authorize_url(asked->parameters);
        secret_wipe(code, sizeof code);
        redirect(asked->request, url);
}

static bool run_consent(struct asked *asked)
{
        auto_oauth_request request = {0};
        auto_oauth_site site = {0};
        auto_free char *query = NULL;
        auto_error error = {0};

        if (!begin(asked, &site, &error) || !check_form(asked, &error)) {
                page_error(asked->request, &error);
                return true;
        }
        const char *decision = asked_for(asked, "decision");
        bool is_approved = decision && !strcmp(decision, "approve");
        if (!take_query(asked, &query, &error) ||
            !oauth_request_read(asked->db, &site, asked->parameters, true, &request, &error))
                refuse(asked, &site, &request, &error);
        else
                decide(asked, &site, &request, is_approved);
        return true;
}

void oauth_consent(const struct oauth_door *door, struct http_request *request)
{
        asked_later(door, request, ASKED_FORM, run_consent);
}
