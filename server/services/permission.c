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

/* Who may see others' private tasks sees the shared ones too, so that one task and the list of tasks agree. */
uint64_t permission_given(enum permission permission)
{
        uint64_t bits = permission_bit(permission);

        return permission == PERMISSION_TASKS_VIEW_ANY ? bits | permission_bit(PERMISSION_TASKS_VIEW) : bits;
}
