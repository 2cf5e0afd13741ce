/* How often one may try to log in. */
#ifndef SERVICES_LOGIN_LIMIT_H
#define SERVICES_LOGIN_LIMIT_H

#include <stdint.h>

#include "server/base/error.h"

/* Counts an attempt from the address for the name. ERROR_TOO_MANY with {retryAfterSeconds} when there were too many
 * within a minute: from the address, for the name from the address, or for the name from anywhere. `now` is
 * clock_monotonic's. On any thread. */
MUST_CHECK bool login_limit_take(const char *address, const char *user, int64_t now, struct error *error);
/* Forgets all attempts. */
void login_limit_reset(void);

#endif
