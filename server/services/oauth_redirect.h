/* Where an OAuth client may have people sent back to (RFC 6749, section 3.1.2; RFC 8252; RFC 9700, section 4.1).
 *
 * A redirect URI is https, http on loopback, or of a private scheme of an installed program. It is compared to the byte
 * with those the client registered, loopback ones aside from their port. */
#ifndef SERVICES_OAUTH_REDIRECT_H
#define SERVICES_OAUTH_REDIRECT_H

#include <stdbool.h>

#include "server/base/error.h"

#define OAUTH_REDIRECT_MAXIMUM 2000

/* ERROR_OAUTH_REDIRECT_URI says what is wrong with it. */
MUST_CHECK bool oauth_redirect_check(const char *uri, struct error *error);
/* Whether the requested URI is the registered one. */
bool oauth_redirect_matches(const char *registered, const char *requested);
/* Whether the requested URI is one of the registered ones, which stand on a line each. */
bool oauth_redirect_is_registered(const char *list, const char *requested);

/* What a person is shown of it, on the heap: host and port, or "scheme:" of a private one. */
char *oauth_redirect_shown(const char *uri);
/* A source expression for a Content-Security-Policy that lets a form lead there, on the heap. */
char *oauth_redirect_source(const char *uri);

/* Whether a list of hosts (MCP_OAUTH_REDIRECT_HOSTS; NULL: every one) allows the URL's host. Loopback is allowed. */
bool oauth_hosts_allow(const char *hosts, const char *url);
/* Whether the text is such a list. */
bool oauth_hosts_are_valid(const char *hosts);

#endif
