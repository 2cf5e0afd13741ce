#include "server/http/range.h"

#include <string.h>
#include <strings.h>

#define UNIT "bytes="

/* Reads digits; a number too large to hold is the largest. False when there are none. */
static bool read_number(const char **at, uint64_t *number)
{
        const char *begin = *at;

        for (*number = 0; **at >= '0' && **at <= '9'; (*at)++) {
                uint64_t digit = (uint64_t)(**at - '0');
                *number = *number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *number * 10 + digit;
        }
        return *at > begin;
}

static bool is_at_end(const char *at)
{
        return !at[strspn(at, " \t")];
}

/* "-N": the last N bytes. */
static enum range_kind parse_suffix(const char *at, uint64_t size, uint64_t *first, uint64_t *last)
{
        uint64_t count;

        if (!read_number(&at, &count) || !is_at_end(at))
                return RANGE_WHOLE;
        if (!count || !size)
                return RANGE_UNSATISFIABLE;
        *first = count < size ? size - count : 0;
        *last = size - 1;
        return RANGE_PART;
}

enum range_kind range_parse(const char *header, uint64_t size, uint64_t *first, uint64_t *last)
{
        uint64_t from, to = UINT64_MAX;

        if (!header || strncasecmp(header, UNIT, strlen(UNIT)))
                return RANGE_WHOLE;
        const char *at = header + strlen(UNIT);
        at += strspn(at, " \t");
        if (*at == '-')
                return parse_suffix(at + 1, size, first, last);
        if (!read_number(&at, &from) || *at++ != '-')
                return RANGE_WHOLE;
        bool has_end = read_number(&at, &to);
        if (!is_at_end(at) || (has_end && to < from))
                return RANGE_WHOLE;
        if (from >= size)
                return RANGE_UNSATISFIABLE;
        *first = from;
        *last = has_end && to < size ? to : size - 1;
        return RANGE_PART;
}

bool range_is_current(const char *if_range, const char *etag)
{
        return !if_range || (etag && *etag == '"' && !strcmp(if_range, etag));
}
