/* libgit2, set up once: it reads no configuration but a repository's own, and opens only repositories of this user. */
#ifndef GIT_LIBRARY_H
#define GIT_LIBRARY_H

#include <git2.h>

#include "server/base/cleanup.h"

/* Must be called before any function of the library; safe from any thread, any number of times. */
void repository_library_init(void);
/* The library's last error of this thread as a phrase. */
const char *repository_library_reason(void);

static inline void repository_library_close(git_repository **repository)
{
        git_repository_free(*repository);
}
static inline void repository_library_release(git_reference **reference)
{
        git_reference_free(*reference);
}
#define auto_repository CLEANUP(repository_library_close) git_repository
#define auto_reference CLEANUP(repository_library_release) git_reference

#endif
