/* The second bounding of results: whatever a service returns, the text that leaves has a maximum.
 *
 * Strings are cut at 24,000 characters, arrays at 500 items and objects at 500 members; beside what was cut stands
 * <field>Omitted with the number that was left out. When the whole would still be larger than the ceiling, the limits
 * are halved until it fits, and the result gains responseTruncated and responseLimits. Everything happens while the
 * result is written: it is neither copied nor changed, and a small one costs one walk. */
#ifndef BASE_BOUND_H
#define BASE_BOUND_H

#include <jansson.h>
#include <stddef.h>

#include "server/base/error.h"
#include "server/base/text.h"

#define BOUND_CHARACTERS 24000
#define BOUND_ITEMS 500
#define BOUND_MEMBERS 500
#define BOUND_CEILING 512000

/* A string that the caller sized, so that the limit of strings does not hold for it: member `name` of the member
 * `parent` (NULL: of the result itself). Only halving cuts it, and then its end is what stays. */
struct bound_exemption {
        const char *parent, *name;
};

struct bound_rules {
        const struct bound_exemption *exempt; /* ended by a row without a name; NULL for none */
        size_t ceiling;                       /* characters; 0: BOUND_CEILING */
};

/* Appends the object as compact JSON within the bounds. ERROR_LOOKUP_FAILED when it cannot be made to fit (`out` is as
 * before then). */
MUST_CHECK bool bound_write(struct text *out, const json_t *result, const struct bound_rules *rules,
                            struct error *error);

#endif
