/* A credential that was shown before, looked at again without it. */
#include <stdio.h>

#include "server/base/clock.h"
#include "server/services/access.h"
#include "server/services/grants.h"
#include "server/store/key.h"

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
        default:
                return error_set(error, ERROR_UNAUTHENTICATED, NULL);
        }
}
