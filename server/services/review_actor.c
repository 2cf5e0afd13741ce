#include "server/services/review_actor.h"

#include <stdio.h>

#include "server/base/clock.h"
#include "server/services/grants.h"
#include "server/store/user.h"

void review_actor_clear(struct review_actor *actor)
{
        free(actor->grants);
        *actor = (struct review_actor){0};
}

bool review_actor_open(struct store_db *db, int64_t user, struct review_actor *actor, struct error *error)
{
        auto_store_user person = {0};
        auto_error missing = {0};

        if (!store_user_find_rid(db, user, &person, &missing)) {
                if (missing.code != ERROR_USER_NOT_FOUND)
                        return error_move(error, &missing);
                return error_set(error, ERROR_PERMISSION_DENIED, "Who asked for the review is gone.");
        }
        if (person.is_disabled)
                return error_set(error, ERROR_PERMISSION_DENIED, "Who asked for the review is locked out.");
        struct grants *grants = grants_resolve(db, user, error);
        if (!grants)
                return false;
        *actor = (struct review_actor){
                .actor = {.user = user, .credential = CREDENTIAL_NONE, .generation = store_generation(db)},
                .grants = grants};
        snprintf(actor->actor.user_id, sizeof actor->actor.user_id, "%s", person.id);
        snprintf(actor->actor.user_name, sizeof actor->actor.user_name, "%s", person.name);
        actor->actor.grants = grants;
        return true;
}

struct call review_actor_call(const struct services *services, struct store_db *db, const struct review_actor *actor,
                              const char *source)
{
        return (struct call){.services = (struct services *)services,
                             .db = db,
                             .actor = &actor->actor,
                             .source = source,
                             .now = clock_now()};
}

bool review_error_is_passing(enum error_code code)
{
        static const enum error_code passing[] = {
                ERROR_TASK_SOURCE_BUSY, ERROR_STORE_FAILED, ERROR_STORE_FULL, ERROR_ENGINE_UNREACHABLE,
                ERROR_UNAVAILABLE,      ERROR_TOO_MANY,     ERROR_CHANGED};

        for (size_t i = 0; i < COUNT_OF(passing); i++)
                if (passing[i] == code)
                        return true;
        return false;
}
