#include "server/rest/bearer.h"

#include <string.h>

#include "server/services/origin.h"
#include "server/services/rate_limit.h"
#include "server/services/session.h"

/* Pages of other origins do not act with the session, however the browser came to attach it. */
static bool may_use_cookie(struct http_request *request)
{
        const char *origin = http_request_header(request, "Origin");

        return !origin || origin_is_own(origin, http_request_header(request, "Host"), settings_current());
}

static struct caller caller_of(struct http_request *request)
{
        const char *authorization = http_request_header(request, "Authorization");
        const char *cookie = authorization ? NULL : http_request_cookie(request, REST_SESSION_COOKIE);

        if (cookie && !may_use_cookie(request))
                cookie = NULL;

        return (struct caller){
                .db = http_request_thread(request),
                .token = cookie ? cookie : caller_token(authorization),
                .is_session = cookie != NULL,
                .request_id = http_request_id(request),
        };
}

struct caller rest_caller(struct services *services, struct http_request *request)
{
        struct caller caller = caller_of(request);

        caller.services = services;
        _Static_assert(CALLER_ADDRESS_SIZE >= HTTP_PEER_SIZE, "an address fits");
        http_request_peer(request, caller.address);
        return caller;
}

static bool is_safe(const char *method)
{
        return !strcmp(method, "GET") || !strcmp(method, "HEAD") || !strcmp(method, "OPTIONS");
}

/* A browser attaches a cookie by itself; only a page of ours can show the token. */
static bool check_csrf(struct http_request *request, const struct caller *caller, struct error *error)
{
        if (!caller->is_session || is_safe(http_request_method(request)) ||
            session_csrf_is_right(caller->token, http_request_header(request, REST_CSRF_HEADER)))
                return true;
        return error_set(error, ERROR_PERMISSION_DENIED,
                         "A session must send the csrfToken of POST /login or GET /me as %s.", REST_CSRF_HEADER);
}

bool rest_authenticate(struct http_request *request, struct store_db *reader, struct actor *actor, struct error *error)
{
        struct caller caller = caller_of(request);

        caller.db = reader;
        if (!*caller.token)
                return error_set(error, ERROR_UNAUTHENTICATED,
                                 "An API key (Authorization: Bearer KEY) or a session is needed.");
        if (!caller_authenticate(&caller, error) || !check_csrf(request, &caller, error))
                return false;
        *actor = caller.actor;
        return true;
}

bool rest_let_in(struct http_request *request, struct store_db *reader)
{
        auto_error error = {0};
        struct actor actor;
        char peer[HTTP_PEER_SIZE];

        if (rest_authenticate(request, reader, &actor, &error) && rate_limit_actor(&actor, &error))
                return true;
        http_request_peer(request, peer);
        rate_limit_refused(peer, &error);
        rest_refuse(request, &error);
        return false;
}

void rest_refuse(struct http_request *request, const struct error *error)
{
        if (error->code == ERROR_UNAUTHENTICATED)
                http_request_add_header(request, "WWW-Authenticate", "Bearer");
        http_respond_error(request, error);
}
