/* A credential that was shown before, looked at again without it. */
#include <stdio.h>

#include "server/base/clock.h"
#include "server/services/access.h"
#include "server/services/grants.h"
#include "server/services/oauth_site.h"
#include "server/services/session.h"
#include "server/store/key.h"
#include "server/store/oauth.h"
#include "server/store/session.h"

/* The generation is taken before reading, so that a change in between makes the actor stale and never too fresh. */
static bool renew_key(struct store_db *db, struct actor *actor, int64_t *expires_at, struct error *error)
{
        auto_store_key key = {0};

        actor->generation = store_generation(db);
        if (!store_key_find_id(db, actor->credential_id, &key, error))
                return error->code == ERROR_KEY_NOT_FOUND
                               ? (error_clear(error), error_set(error, ERROR_UNAUTHENTICATED, NULL))
                               : false;
        if (key.revoked_at || key.is_user_disabled || (key.expires_at && key.expires_at <= clock_now()))
                return error_set(error, ERROR_UNAUTHENTICATED, NULL);
        actor->grants = grants_resolve(db, key.user, error);
        *expires_at = key.expires_at;
        return actor->grants;
}

/* A token that is followed by another one in time still stands for its grant. */
static bool renew_grant(struct store_db *db, struct actor *actor, int64_t *expires_at, struct error *error)
{
        auto_store_oauth_grant grant = {0};
        bool is_found;

        actor->generation = store_generation(db);
        if (!store_oauth_grant_find(db, actor->credential_id, &grant, &is_found, error))
                return false;
        if (!is_found || grant.is_user_disabled || grant.expires_at <= clock_now() ||
            !settings_current()->mcp_oauth_enabled || !oauth_site_is_resource(grant.resource))
                return error_set(error, ERROR_UNAUTHENTICATED, NULL);
        actor->grants = grants_resolve(db, grant.user, error);
        *expires_at = grant.expires_at;
        return actor->grants;
}

/* What is open on the session does not keep it from being idle: only requests do. */
static bool renew_session(struct store_db *db, struct actor *actor, int64_t *expires_at, struct error *error)
{
        auto_store_session session = {0};
        int64_t now = clock_now();
        bool is_found;

        actor->generation = store_generation(db);
        if (!store_session_find_id(db, actor->credential_id, &session, &is_found, error))
                return false;
        if (!is_found || session.is_user_disabled || session.expires_at <= now ||
            session.last_used_at + session_idle_ms() <= now)
                return error_set(error, ERROR_UNAUTHENTICATED, NULL);
        actor->grants = grants_resolve(db, session.user, error);
        *expires_at = session.last_used_at + session_idle_ms();
        if (*expires_at > session.expires_at)
                *expires_at = session.expires_at;
        return actor->grants;
}

bool access_renew(struct store_db *db, const struct actor *actor, struct actor **fresh, int64_t *expires_at,
                  struct error *error)
{
        auto_free struct actor *copy = memory_new(sizeof *copy);

        *copy = *actor;
        *expires_at = 0;
        switch (actor->credential) {
        case CREDENTIAL_LOCAL:
                *fresh = actor_copy(actor);
                return true;
        case CREDENTIAL_API_KEY:
                if (!renew_key(db, copy, expires_at, error))
                        return false;
                *fresh = take(copy);
                return true;
        case CREDENTIAL_OAUTH:
                if (!renew_grant(db, copy, expires_at, error))
                        return false;
                *fresh = take(copy);
                return true;
        case CREDENTIAL_SESSION:
                if (!renew_session(db, copy, expires_at, error))
                        return false;
                *fresh = take(copy);
                return true;
        default:
                return error_set(error, ERROR_UNAUTHENTICATED, NULL);
        }
}
