/* Who asked for a review, when the time has come to do it: what the person may do now, not when it was asked. */
#ifndef SERVICES_REVIEW_ACTOR_H
#define SERVICES_REVIEW_ACTOR_H

#include "server/services/services.h"

struct review_actor {
        struct actor actor;
        struct grants *grants;
};
void review_actor_clear(struct review_actor *actor);
#define auto_review_actor CLEANUP(review_actor_clear) struct review_actor

/* ERROR_PERMISSION_DENIED when the person is locked out or gone. */
MUST_CHECK bool review_actor_open(struct store_db *db, int64_t user, struct review_actor *actor, struct error *error);
/* A call of the person, which did not come through a door. */
struct call review_actor_call(const struct services *services, struct store_db *db, const struct review_actor *actor,
                              const char *source);
/* Whether what failed with the code may be tried again by itself. */
bool review_error_is_passing(enum error_code code);

#endif
