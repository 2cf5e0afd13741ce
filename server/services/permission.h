/* The table of permissions: string, scope, sentence. */
#ifndef SERVICES_PERMISSION_H
#define SERVICES_PERMISSION_H

#include "server/services/access.h"

enum permission_scope { PERMISSION_SCOPE_ENVIRONMENT, PERMISSION_SCOPE_SERVER };

struct permission_row {
        const char *string;
        enum permission_scope scope;
        const char *sentence;
};
const struct permission_row *permission_row(enum permission permission);

/* The bits of the permission and of those that it includes. */
uint64_t permission_given(enum permission permission);

static inline uint64_t permission_bit(enum permission permission)
{
        return UINT64_C(1) << permission;
}

#endif
