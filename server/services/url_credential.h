/* Credentials within URLs: the login before the host, and the values of query members that carry one. */
#ifndef SERVICES_URL_CREDENTIAL_H
#define SERVICES_URL_CREDENTIAL_H

#include <stddef.h>

/* How many bytes before and behind a credential decide that it is one. */
#define URL_CREDENTIAL_REACH 4096

/* Calls `found` for every credential of a URL in the text, by rising offset. */
void url_credential_search(const char *bytes, size_t length, void (*found)(size_t offset, size_t count, void *context),
                           void *context);

#endif
