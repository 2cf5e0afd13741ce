/* Who may do what.
 *
 * An actor is the acting person, the credential that was shown and, for a task's own token, the task. What a person may
 * do follows from bindings (user or team; environment, all environments or server; role) and is resolved once per
 * generation of the store (store_generation) into a bit set per environment.
 *
 * Access to a task has three answers: hidden (as if it did not exist), withheld (metadata only), full. */
#ifndef SERVICES_ACCESS_H
#define SERVICES_ACCESS_H

#include "server/base/id.h"
#include "server/store/task.h"

enum permission {
#define PERMISSION(constant, string, scope, sentence) PERMISSION_##constant,
#include "server/services/permission.def"
#undef PERMISSION
        PERMISSION_COUNT
};

/* As a bit, in constant expressions: PERMISSION_BIT(TASKS_VIEW). */
#define PERMISSION_BIT(constant) (UINT64_C(1) << PERMISSION_##constant)

enum credential {
        CREDENTIAL_LOCAL,
        CREDENTIAL_SESSION,
        CREDENTIAL_API_KEY,
        CREDENTIAL_OAUTH,
        CREDENTIAL_TASK,
        CREDENTIAL_NONE, /* nobody has said who calls */
};

#define ACTOR_NAME_SIZE 128

/* What one person may do, resolved. Bits are 1 << enum permission. */
struct grants {
        bool is_administrator; /* Server Admin by a server binding: everything, everywhere */
        uint64_t server;       /* by server bindings; holds in every environment too */
        uint64_t everywhere;   /* by bindings to all environments */
        size_t count;
        struct {
                int64_t environment;
                uint64_t permissions;
        } environments[];
};

struct actor {
        int64_t user; /* rid; 0 for the local administrator of the command line */
        char user_id[ID_SIZE];
        char user_name[ACTOR_NAME_SIZE];
        enum credential credential;
        char credential_id[ID_SIZE];
        char task_id[ID_SIZE];       /* of a task token, else "" */
        uint32_t toolsets;           /* that the credential is limited to; 0: to none */
        uint64_t generation;         /* of the store when the grants were read */
        const struct grants *grants; /* borrowed: valid until the thread that resolved it authenticates again */
};

/* Who acts through the command line on the server's machine: may do everything, is nobody in the store. */
extern const struct actor actor_local;
/* Who calls what is open to everybody: may do nothing else. */
extern const struct actor actor_nobody;

/* A copy with grants of its own, for work that goes on after the thread has turned to other calls; actor_free it. */
struct actor *actor_copy(const struct actor *actor);
void actor_free(struct actor *actor);

enum task_access { TASK_ACCESS_HIDDEN, TASK_ACCESS_WITHHELD, TASK_ACCESS_FULL };

/* The string of a permission ("tasks:view") and its sentence. */
const char *permission_string(enum permission permission);
/* Finds a permission by its string; false when there is none. */
MUST_CHECK bool permission_parse(const char *string, enum permission *permission);

/* Whether the actor has the permission in the environment (rid), or at the server for a server permission. */
bool access_allows(const struct actor *actor, enum permission permission, int64_t environment);
/* Whether the actor has one of the permissions (bits) anywhere at all. */
bool access_allows_somewhere(const struct actor *actor, uint64_t permissions);
/* Whether the environment is visible: any binding that reaches it. */
bool access_sees_environment(const struct actor *actor, int64_t environment);
/* The answer for viewing a task: private tasks need ownership and tasks:view, or tasks:view_any. */
enum task_access access_to_task(const struct actor *actor, const struct store_task *task);

/* Reads a task that the actor may view; ERROR_TASK_NOT_FOUND for hidden and absent alike. */
MUST_CHECK bool access_task_view(struct store_db *db, const struct actor *actor, const char *task_id,
                                 struct store_task *task, struct error *error);
/* The same, and the actor must hold `permission` on it: for a private task of another `any` instead. A task that can be
 * seen but not changed is ERROR_PERMISSION_DENIED. */
MUST_CHECK bool access_task_require(struct store_db *db, const struct actor *actor, const char *task_id,
                                    enum permission permission, enum permission any, struct store_task *task,
                                    struct error *error);

/* ERROR_PERMISSION_DENIED, with the permission's string, unless the actor has the permission at the server. */
MUST_CHECK bool access_require(const struct actor *actor, enum permission permission, struct error *error);

/* Resolves an API key to its actor. Results are cached per thread until the generation changes; the time of last use is
 * noted (and written later, coalesced). ERROR_UNAUTHENTICATED for an unknown, revoked or expired key and for a disabled
 * user, all alike. `token` is the bearer credential as sent. */
MUST_CHECK bool access_authenticate_key(struct store_db *db, const char *token, struct actor *actor,
                                        struct error *error);
/* The same for an access token of the OAuth server, which is good only while MCP_OAUTH_ENABLED is on and only for the
 * MCP endpoint: no other door may ask for it. */
MUST_CHECK bool access_authenticate_oauth(struct store_db *db, const char *token, struct actor *actor,
                                          struct error *error);
/* Resolves the credential of an actor again, as if it were shown now: *fresh is a copy with the present grants
 * (actor_free it), *expires_at the time (ms) at which it ends, 0 for never. ERROR_UNAUTHENTICATED when it is no longer
 * good. */
MUST_CHECK bool access_renew(struct store_db *db, const struct actor *actor, struct actor **fresh, int64_t *expires_at,
                             struct error *error);
/* The same for the token of a web session, which also ends when it has been unused for too long. */
MUST_CHECK bool access_authenticate_session(struct store_db *db, const char *token, struct actor *actor,
                                            struct error *error);
/* Whether what the actor may do is still what it was when it was resolved. */
bool access_is_current(struct store_db *db, const struct actor *actor);

#endif
