/* A store with the predefined roles, and people in it. */
#ifndef TESTS_SERVICES_IDENTITY_FIXTURE_H
#define TESTS_SERVICES_IDENTITY_FIXTURE_H

#include "server/services/services.h"
#include "tests/cmocka.h"

struct identity {
        char folder[64];
        struct services services;
        struct store_db *db;
};

int identity_open(void **state);
int identity_close(void **state);

/* A call of the actor on the fixture's reader. */
struct call identity_call(struct identity *identity, const struct actor *actor);
/* Adds a user; role and environment may be NULL (no role; at the server). */
void identity_user(struct identity *identity, const char *name, const char *role, const char *environment);
/* Binds a role in all environments. */
void identity_bind_everywhere(struct identity *identity, const char *user, const char *role);
/* Makes an API key of the user and returns it; the id is written to `id`. The caller frees the key. */
char *identity_key(struct identity *identity, const char *user, int64_t expires_days, char id[ID_SIZE]);
/* The user's actor, by a new key; its grants are good until this thread authenticates again. */
struct actor identity_actor(struct identity *identity, const char *user);
/* Makes an environment and returns its rid. */
int64_t identity_environment(struct identity *identity, const char *name);
/* Makes a task of the user (NULL: of nobody) and returns its id, which the caller frees. */
char *identity_task(struct identity *identity, const char *creator, const char *environment, bool is_shared);

#endif
