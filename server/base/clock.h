/* Time: wall clock in milliseconds since the epoch, monotonic clock in milliseconds, ISO 8601. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "server/base/cleanup.h"

#define CLOCK_ISO_SIZE 32

/* Milliseconds since 1970-01-01T00:00:00Z. */
int64_t clock_now(void);
/* Milliseconds of a clock that never goes back. */
int64_t clock_monotonic(void);
/* What clock_now was when this process first asked for it, and the time of clock_monotonic since: a wall clock that is
 * never set, for delays that are kept in the store. */
int64_t clock_steady(void);
/* For tests: has clock_now go ahead of the wall clock by so much, as if that had been set. */
void clock_set_lead(int64_t ms);
/* Writes `ms` as 2026-01-31T12:00:00.000Z. */
void clock_format(int64_t ms, char iso[CLOCK_ISO_SIZE]);
/* Reads an ISO 8601 date and time with an offset (RFC 3339, section 5.6); false when it is anything else. */
MUST_CHECK bool clock_parse(const char *iso, int64_t *ms);

#endif
