#include "git/branch.h"

#include <string.h>

#include "git/library.h"
#include "server/base/text.h"

static bool has_control(const char *name)
{
        for (const char *at = name; *at; at++)
                if ((unsigned char)*at < 0x20 || *at == 0x7f)
                        return true;
        return false;
}

bool branch_name_check(const char *name, struct error *error)
{
        size_t length = strlen(name);
        int is_valid = 0;

        if (length > BRANCH_NAME_MAXIMUM)
                return error_set(error, ERROR_BRANCH_INVALID, "A branch name has at most %d bytes, this one has %zu",
                                 BRANCH_NAME_MAXIMUM, length);
        /* The library accepts DEL, which git refuses. */
        if (has_control(name) || !utf8_is_valid(name, length))
                return error_set(error, ERROR_BRANCH_INVALID, "The branch name has control characters or is not UTF-8");
        repository_library_init();
        if (git_branch_name_is_valid(&is_valid, name) || !is_valid)
                return error_set(error, ERROR_BRANCH_INVALID,
                                 "'%s' is not a valid branch name: see git-check-ref-format(1) for the rules", name);
        return true;
}
