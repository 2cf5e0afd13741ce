/* How often something may be tried: counts in a table of fixed size, so that whoever floods it pushes out the oldest
 * counts and takes no memory. */
#ifndef SERVICES_ATTEMPTS_H
#define SERVICES_ATTEMPTS_H

#include <pthread.h>
#include <stdint.h>

#include "server/base/error.h"
#include "server/base/secret.h"

#define ATTEMPTS_SETS 1024
#define ATTEMPTS_WAYS 4

struct attempts_count {
        uint8_t key[SECRET_HASH_SIZE];
        int64_t began; /* of its window; 0: empty */
        unsigned count;
};

/* Static, each with its own purpose: what is counted in one pushes nothing out of another. */
struct attempts {
        pthread_mutex_t mutex;
        struct attempts_count counts[ATTEMPTS_SETS][ATTEMPTS_WAYS];
};
#define ATTEMPTS_INITIALIZER                                                                                           \
        {                                                                                                              \
                .mutex = PTHREAD_MUTEX_INITIALIZER                                                                     \
        }

/* Counts an attempt under the name, in which small and capital letters are alike. The ms until another is allowed when
 * this was one too many within the window, else 0. `now` is clock_monotonic's. All on any thread. */
int64_t attempts_take(struct attempts *attempts, const char *name, unsigned maximum, int64_t window_ms, int64_t now);
/* Forgets what was counted under the name. */
void attempts_forget(struct attempts *attempts, const char *name);
/* Forgets everything. */
void attempts_reset(struct attempts *attempts);

/* ERROR_TOO_MANY with {retryAfterSeconds} and "Too many attempts to WHAT". */
bool attempts_refuse(int64_t wait_ms, const char *what, struct error *error);

#endif
