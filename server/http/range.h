/* The Range header of a request (RFC 9110, section 14). */
#ifndef HTTP_RANGE_H
#define HTTP_RANGE_H

#include <stdbool.h>
#include <stdint.h>

enum range_kind {
        RANGE_WHOLE,         /* no range, or one that is to be ignored: several ranges, another unit, bad syntax */
        RANGE_PART,          /* bytes first to last, both included */
        RANGE_UNSATISFIABLE, /* nothing of it is there: 416 */
};

/* What of a representation of `size` bytes is asked for; `header` may be NULL. */
enum range_kind range_parse(const char *header, uint64_t size, uint64_t *first, uint64_t *last);
/* Whether a Range counts under an If-Range header (NULL for none): only when it is the strong entity tag itself (RFC
 * 9110, section 13.1.5). `etag` is NULL for a representation that has none. */
bool range_is_current(const char *if_range, const char *etag);

#endif
