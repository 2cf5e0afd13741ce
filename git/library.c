#include "git/library.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void init(void)
{
        static const int levels[] = {GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_GLOBAL, GIT_CONFIG_LEVEL_XDG,
                                     GIT_CONFIG_LEVEL_PROGRAMDATA};

        if (git_libgit2_init() < 0)
                abort();
        /* An empty search path finds nothing, so no safe.directory can widen the owner check, which stays on. */
        for (size_t i = 0; i < COUNT_OF(levels); i++)
                if (git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, levels[i], ""))
                        abort();
}

void repository_library_init(void)
{
        pthread_once(&once, init);
}

const char *repository_library_reason(void)
{
        const git_error *last = git_error_last();

        return last && last->message ? last->message : "unknown reason";
}
