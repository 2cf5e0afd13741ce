#include "server/services/caller.h"

#include <string.h>
#include <strings.h>

#include "server/base/clock.h"
#include "server/services/oauth_secret.h"

/* A read is made again at most so often while access changes under it. */
#define AGAIN_MAXIMUM 3

const char *caller_token(const char *authorization)
{
        if (!authorization || strncasecmp(authorization, "Bearer ", 7))
                return "";
        return authorization + 7 + strspn(authorization + 7, " ");
}

bool caller_has_access_token(const struct caller *caller)
{
        return !caller->is_session && oauth_secret_is(OAUTH_ACCESS_TOKEN, caller->token);
}

bool caller_authenticate(struct caller *caller, struct error *error)
{
        if (!*caller->token)
                return error_set(error, ERROR_UNAUTHENTICATED, NULL);
        if (caller->accepts_oauth && caller_has_access_token(caller))
                return access_authenticate_oauth(caller->db, caller->token, &caller->actor, error);
        return caller->is_session ? access_authenticate_session(caller->db, caller->token, &caller->actor, error)
                                  : access_authenticate_key(caller->db, caller->token, &caller->actor, error);
}

struct call caller_as_call(struct caller *caller, const char *source, const json_t *arguments)
{
        return (struct call){
                .services = caller->services,
                .db = caller->db,
                .actor = &caller->actor,
                .arguments = arguments,
                .source = source,
                .address = caller->address,
                .now = clock_now(),
                .progress = caller->progress,
        };
}

static void forget(json_t **result, struct error *error)
{
        json_decref(*result);
        *result = NULL;
        error_clear(error);
}

bool caller_read(struct caller *caller, const char *source, caller_service *service, const void *input,
                 const json_t *arguments, json_t **result, struct error *error)
{
        for (int again = 0; again <= AGAIN_MAXIMUM; again++) {
                if (!caller_authenticate(caller, error))
                        return false;
                struct call call = caller_as_call(caller, source, arguments);
                store_snapshot_begin(call.db);
                bool is_good = service(&call, input, result, error);
                store_snapshot_end(call.db);
                if (access_is_current(caller->db, &caller->actor))
                        return is_good;
                forget(result, error);
        }
        return error_set(error, ERROR_CHANGED, NULL);
}
