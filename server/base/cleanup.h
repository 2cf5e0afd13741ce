/* Ownership helpers: scope-bound cleanup and explicit hand-over.
 *
 * A variable declared with one of the auto_* macros owns what it points to and releases it when its scope ends;
 * take() hands the ownership out and leaves the variable empty. */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(string, first) __attribute__((format(printf, string, first)))
/* `unused`: clang warns of a variable that is only there to be cleaned up. */
#define CLEANUP(function) __attribute__((cleanup(function), unused))
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static inline void cleanup_free(void *pointer)
{
        free(*(void **)pointer);
}

static inline void cleanup_fd(int *fd)
{
        if (*fd >= 0)
                close(*fd);
}

/* Frees heap memory. */
#define auto_free CLEANUP(cleanup_free)
/* Closes a file descriptor that is not negative. */
#define auto_fd CLEANUP(cleanup_fd) int

/* Hands the pointer out and empties the variable that owned it. */
#define take(pointer)                                                                                                  \
        ({                                                                                                             \
                __typeof__(pointer) taken_ = (pointer);                                                                \
                (pointer) = NULL;                                                                                      \
                taken_;                                                                                                \
        })

static inline int take_fd(int *fd)
{
        int taken = *fd;
        *fd = -1;
        return taken;
}

#endif
