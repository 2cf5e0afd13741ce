#include "server/services/permission.h"

#include <string.h>

static const struct permission_row rows[PERMISSION_COUNT] = {
#define PERMISSION(constant, string, scope, sentence)                                                                  \
        [PERMISSION_##constant] = {string, PERMISSION_SCOPE_##scope, sentence},
#include "server/services/permission.def"
#undef PERMISSION
};

_Static_assert(PERMISSION_COUNT <= 64, "a set of permissions is one 64-bit word");

const struct permission_row *permission_row(enum permission permission)
{
        return &rows[permission];
}

const char *permission_string(enum permission permission)
{
        return rows[permission].string;
}

bool permission_parse(const char *string, enum permission *permission)
{
        for (size_t i = 0; i < PERMISSION_COUNT; i++)
                if (!strcmp(rows[i].string, string)) {
                        *permission = (enum permission)i;
                        return true;
                }
        return false;
}
