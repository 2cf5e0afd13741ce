/* How often one may register an OAuth client. */
#ifndef SERVICES_OAUTH_LIMIT_H
#define SERVICES_OAUTH_LIMIT_H

#include <stdint.h>

#include "server/base/error.h"

#define OAUTH_LIMIT_WINDOW_MS 600000
#define OAUTH_LIMIT_MAXIMUM 30

/* Counts a registration from the source. ERROR_TOO_MANY with {retryAfterSeconds} when there were more than
 * OAUTH_LIMIT_MAXIMUM of them within the window. `now` is clock_monotonic's. On any thread. */
MUST_CHECK bool oauth_limit_take(const char *source, int64_t now, struct error *error);
/* Forgets all counts. */
void oauth_limit_reset(void);

#endif
