#include "server/services/access.h"

#include "server/services/grants.h"
#include "server/services/permission.h"

static const struct grants everything = {.is_administrator = true};
const struct actor actor_local = {
        .user_name = "local administrator", .credential = CREDENTIAL_LOCAL, .grants = &everything};

static const struct grants no_grants;
const struct actor actor_nobody = {.credential = CREDENTIAL_NONE, .grants = &no_grants};

struct actor *actor_copy(const struct actor *actor)
{
        struct actor *copy = memory_new(sizeof *copy);

        *copy = *actor;
        copy->grants = grants_copy(actor->grants);
        return copy;
}

void actor_free(struct actor *actor)
{
        if (actor)
                free((void *)actor->grants);
        free(actor);
}

static bool is_bound(const struct grants *grants, int64_t environment, uint64_t *bits)
{
        for (size_t i = 0; i < grants->count; i++)
                if (grants->environments[i].environment == environment) {
                        *bits = grants->environments[i].permissions;
                        return true;
                }
        return false;
}

bool access_allows(const struct actor *actor, enum permission permission, int64_t environment)
{
        const struct grants *grants = actor->grants;
        uint64_t bits = grants->server, bound;

        if (grants->is_administrator)
                return true;
        if (permission_row(permission)->scope == PERMISSION_SCOPE_ENVIRONMENT) {
                bits |= grants->everywhere;
                if (is_bound(grants, environment, &bound))
                        bits |= bound;
        }
        return bits & permission_bit(permission);
}

bool access_allows_somewhere(const struct actor *actor, uint64_t permissions)
{
        const struct grants *grants = actor->grants;
        uint64_t bits = grants->server | grants->everywhere;

        for (size_t i = 0; i < grants->count; i++)
                bits |= grants->environments[i].permissions;
        return grants->is_administrator || (bits & permissions);
}

/* The permissions that mean something in an environment. */
static uint64_t environment_permissions(void)
{
        uint64_t bits = 0;

        for (int i = 0; i < PERMISSION_COUNT; i++)
                if (permission_row((enum permission)i)->scope == PERMISSION_SCOPE_ENVIRONMENT)
                        bits |= permission_bit((enum permission)i);
        return bits;
}

bool access_sees_environment(const struct actor *actor, int64_t environment)
{
        const struct grants *grants = actor->grants;
        uint64_t bound;

        return grants->is_administrator || ((grants->server | grants->everywhere) & environment_permissions()) ||
               is_bound(grants, environment, &bound);
}

static bool is_owner(const struct actor *actor, const struct store_task *task)
{
        return actor->user && task->creator == actor->user;
}

enum task_access access_to_task(const struct actor *actor, const struct store_task *task)
{
        bool is_open = task->is_shared || is_owner(actor, task);
        enum permission wanted = is_open ? PERMISSION_TASKS_VIEW : PERMISSION_TASKS_VIEW_ANY;

        return access_allows(actor, wanted, task->environment) ? TASK_ACCESS_FULL : TASK_ACCESS_HIDDEN;
}

bool access_task_view(struct store_db *db, const struct actor *actor, const char *task_id, struct store_task *task,
                      struct error *error)
{
        auto_store_task found = {0};
        bool is_found;

        if (!id_is_task(task_id))
                return error_set(error, ERROR_TASK_NOT_FOUND, NULL);
        if (!store_task_find(db, task_id, actor->user, &found, &is_found, error))
                return false;
        if (!is_found || access_to_task(actor, &found) == TASK_ACCESS_HIDDEN)
                return error_set(error, ERROR_TASK_NOT_FOUND, NULL);
        *task = found;
        found = (struct store_task){0};
        return true;
}

bool access_task_require(struct store_db *db, const struct actor *actor, const char *task_id,
                         enum permission permission, enum permission any, struct store_task *task, struct error *error)
{
        auto_store_task found = {0};

        if (!access_task_view(db, actor, task_id, &found, error))
                return false;
        enum permission wanted = found.is_shared || is_owner(actor, &found) ? permission : any;
        if (!access_allows(actor, wanted, found.environment))
                return error_set(error, ERROR_PERMISSION_DENIED, "this needs %s in the environment %s",
                                 permission_string(wanted), found.environment_name);
        *task = found;
        found = (struct store_task){0};
        return true;
}

bool access_require(const struct actor *actor, enum permission permission, struct error *error)
{
        return access_allows(actor, permission, 0) ||
               error_set(error, ERROR_PERMISSION_DENIED, "this needs %s at the server", permission_string(permission));
}

bool access_is_current(struct store_db *db, const struct actor *actor)
{
        return actor->credential == CREDENTIAL_LOCAL || actor->generation == store_generation(db);
}
