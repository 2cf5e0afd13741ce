/* Addresses of remotes: which are accepted, and their one normal form. */
#ifndef GIT_URL_H
#define GIT_URL_H

#include <stdbool.h>

#include "server/base/error.h"

/* The normal form of a remote's address, on the heap; NULL with ERROR_GIT_URL_REFUSED. Accepted are https:// and
 * http:// (RFC 3986, without user information, query or fragment) and, turned into https, ssh://user@host/path and
 * user@host:path. Scheme and host come out in lower case, without the scheme's own port and without a slash at the end.
 * The error never repeats an address that holds credentials. */
char *repository_url_normalise(const char *url, struct error *error);

/* Whether repository_url_normalise() accepts the address. ERROR_GIT_URL_REFUSED. */
MUST_CHECK bool repository_url_check(const char *url, struct error *error);

#endif
