#include "server/rest/oidc.h"

#include <string.h>

#include "server/rest/cookie.h"
#include "server/rest/html.h"
#include "server/services/oidc.h"
#include "server/services/reader.h"

#define AGAIN "Begin the sign-in again"

/* A request on its way: copies, as the request's own strings are gone once it is suspended. Owns itself. */
struct running {
        const struct rest_door *door;
        struct http_request *request;
        char *return_path;
        bool is_fresh;
        char *ticket, *state, *code, *issuer, *failure;
        char address[HTTP_PEER_SIZE];
};

static void running_free(struct running *running)
{
        free(running->return_path);
        free(running->ticket);
        free(running->state);
        free(running->code);
        free(running->issuer);
        free(running->failure);
        free(running);
}

static void submit(struct running *running, void (*run)(void *context))
{
        auto_error error = {0};

        if (!http_suspend(running->request)) {
                running_free(running);
        } else if (!pool_submit(running->door->pool, run, running)) {
                error_set(&error, ERROR_TOO_MANY, "All workers are busy; retry in a moment.");
                html_refuse(running->request, &error, "/", "Back");
                running_free(running);
        }
}

static void begin(void *context)
{
        struct running *running = context;
        struct oidc_start start = {0};
        auto_error error = {0};

        if (oidc_begin(running->door->services, running->return_path, running->is_fresh, &start, &error)) {
                http_request_set_cookie(running->request, OIDC_TICKET_COOKIE, start.ticket, OIDC_TICKET_SECONDS,
                                        rest_cookie_is_secure());
                html_redirect(running->request, start.url);
        } else {
                html_refuse(running->request, &error, "/", "Back");
        }
        oidc_start_clear(&start);
        running_free(running);
}

void rest_oidc_begin(const struct rest_door *door, struct http_request *request)
{
        const char *to = http_request_query(request, "return"), *fresh = http_request_query(request, "fresh");
        struct running *running = memory_new(sizeof *running);

        *running = (struct running){.door = door,
                                    .request = request,
                                    .return_path = text_copy(to ? to : "/"),
                                    .is_fresh = fresh && !strcmp(fresh, "true")};
        submit(running, begin);
}

static void finish(void *context)
{
        struct running *running = context;
        struct oidc_answer answer = {.ticket = running->ticket,
                                     .state = running->state,
                                     .code = running->code,
                                     .issuer = running->issuer,
                                     .failure = running->failure,
                                     .address = running->address};
        struct oidc_end end = {0};
        auto_error error = {0};
        struct store_db *db = services_reader(running->door->services, &error);

        http_request_set_cookie(running->request, OIDC_TICKET_COOKIE, "", 0, rest_cookie_is_secure());
        if (db && oidc_finish(running->door->services, db, &answer, &end, &error)) {
                rest_session_cookie(running->request, end.session.token);
                html_redirect(running->request, end.return_path);
        } else {
                html_refuse(running->request, &error, OIDC_LOGIN_PATH, AGAIN);
        }
        oidc_end_clear(&end);
        running_free(running);
}

void rest_oidc_callback(const struct rest_door *door, struct http_request *request)
{
        struct running *running = memory_new(sizeof *running);

        *running = (struct running){.door = door,
                                    .request = request,
                                    .ticket = text_copy(http_request_cookie(request, OIDC_TICKET_COOKIE)),
                                    .state = text_copy(http_request_query(request, "state")),
                                    .code = text_copy(http_request_query(request, "code")),
                                    .issuer = text_copy(http_request_query(request, "iss")),
                                    .failure = text_copy(http_request_query(request, "error"))};
        http_request_peer(request, running->address);
        submit(running, finish);
}
