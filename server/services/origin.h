/* Which web pages may call, and under which names: the defence against other sites' pages and DNS rebinding.
 *
 * A browser tells the page's origin with every cross-site request, and in Host the name it looked up. A page of another
 * site is refused by its origin. A site that lets its own name point to this server (rebinding) looks like the same
 * origin to the browser, so names are checked too:
 *
 * - An Origin is allowed when it is absent (no browser), a loopback host on any port, SITE_URL's,
 *   MCP_PUBLIC_BASE_URL's, one of ALLOWED_ORIGINS, or the very address in Host when that is an IP literal (nobody can
 * rebind a literal).
 * - A Host is allowed when it is absent, loopback, of one of these settings, or HOST itself. While the
 *   server listens only on loopback nothing else has a reason to arrive. When it listens on other addresses, IP
 * literals are allowed as well, and other names as long as SITE_URL does not say what the name is: no credential here
 * is one that a browser attaches for a foreign name, and /mcp wants a bearer. */
#ifndef SERVICES_ORIGIN_H
#define SERVICES_ORIGIN_H

#include <stdbool.h>

#include "server/base/error.h"
#include "server/services/setting.h"

/* `origin` and `host` are the headers, NULL when absent. ERROR_FOREIGN_ORIGIN names the header and what to set. */
MUST_CHECK bool origin_check(const char *origin, const char *host, const struct settings *settings,
                             struct error *error);

/* Whether the Origin is the server's own: SITE_URL's, or what the Host header names. Only its pages act with the cookie
 * that a browser attaches; a page of another allowed origin brings a bearer credential. */
bool origin_is_own(const char *origin, const char *host, const struct settings *settings);

#endif
