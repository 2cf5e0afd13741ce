/* URLs taken apart strictly (RFC 3986): what another reader might understand differently is refused. */
#ifndef BASE_URL_H
#define BASE_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "server/base/cleanup.h"

/* A part, borrowed from the text; `at` is NULL when it is absent, the mark that goes before it is left out. */
struct url_part {
        const char *at;
        size_t length;
};

struct url {
        struct url_part scheme, user, host, port, path, query, fragment;
        bool is_ipv6; /* the host is an IPv6 literal; its brackets are left out */
};

/* Takes an absolute URL apart. False when a character has no place in one, an escape is not one, the host is no name of
 * letters, digits, '-', '_' and '.', no address in its usual form, or the port is no number of 1 to 65535. */
MUST_CHECK bool url_parse(const char *text, struct url *url);

/* Whether a part is that text, in upper or lower case. */
bool url_part_is(const struct url_part *part, const char *text);
/* Whether two parts are the same to the byte, both absent included. */
bool url_part_is_same(const struct url_part *a, const struct url_part *b);
/* Whether the host is this machine for whoever follows the URL: localhost, 127.0.0.1 or [::1], in these spellings only.
 */
bool url_is_loopback(const struct url *url);

#endif
