#include "server/services/grants.h"

#include <string.h>

#include "server/services/permission.h"
#include "server/services/role.h"
#include "server/store/access.h"

static size_t size_for(size_t count)
{
        return sizeof(struct grants) + count * sizeof((struct grants *)0)->environments[0];
}

struct grants *grants_copy(const struct grants *grants)
{
        size_t size = size_for(grants->count);

        return memcpy(memory_new(size), grants, size);
}

/* The place of the environment's bits, made when it is missing. */
static uint64_t *bits_of(struct grants **grants, int64_t environment)
{
        size_t count = (*grants)->count;

        for (size_t i = 0; i < count; i++)
                if ((*grants)->environments[i].environment == environment)
                        return &(*grants)->environments[i].permissions;
        *grants = memory_resize(*grants, size_for(count + 1));
        (*grants)->count++;
        (*grants)->environments[count].environment = environment;
        (*grants)->environments[count].permissions = 0;
        return &(*grants)->environments[count].permissions;
}

static uint64_t bits_for(const char *string)
{
        enum permission permission;

        return string && permission_parse(string, &permission) ? permission_given(permission) : 0;
}

static void add_grant(const struct store_grant *grant, void *context)
{
        struct grants **grants = context;
        uint64_t bits = bits_for(grant->permission);

        if (!strcmp(grant->scope, "server")) {
                (*grants)->server |= bits;
                if (grant->is_predefined && !strcmp(grant->role, ROLE_SERVER_ADMIN))
                        (*grants)->is_administrator = true;
        } else if (!strcmp(grant->scope, "environments")) {
                (*grants)->everywhere |= bits;
        } else {
                *bits_of(grants, grant->environment) |= bits;
        }
}

struct grants *grants_resolve(struct store_db *db, int64_t user, struct error *error)
{
        auto_free struct grants *grants = memory_new(size_for(0));

        return store_grant_list(db, user, add_grant, &grants, error) ? take(grants) : NULL;
}
