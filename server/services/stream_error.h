/* What an agent's own words about a failure mean. */
#ifndef SERVICES_STREAM_ERROR_H
#define SERVICES_STREAM_ERROR_H

#include <stdbool.h>
#include <stdint.h>

/* rate_limit, auth, timeout or unknown, by the provider's word for the error (may be NULL) and its message. */
const char *stream_error_category(const char *type, const char *message);
/* When the limit that the message speaks of ends: "|1700000000", "in 3 days 2 hours", "at 4:47 PM", "resets 3pm"; times
 * of day are UTC, as the containers' clocks are. Milliseconds since the epoch, 0 when it does not tell. */
int64_t stream_error_resets_at(const char *message, int64_t now);
/* Whether a reply is a program's notice that the account's usage limit is reached. */
bool stream_error_is_limit_notice(const char *reply);

#endif
