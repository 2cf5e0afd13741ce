/* Client ID Metadata Documents: a client whose id is the https URL of a JSON document that describes it. */
#ifndef SERVICES_OAUTH_DOCUMENT_H
#define SERVICES_OAUTH_DOCUMENT_H

#include "server/http/fetch.h"
#include "server/services/oauth_client.h"

#define OAUTH_DOCUMENT_MAXIMUM 65536
#define OAUTH_DOCUMENT_TIMEOUT_MS 10000

/* The client that the document at the URL describes. Fetches it, or takes what was fetched lately: only https, only
 * public addresses, no redirects. Blocks. ERROR_OAUTH_CLIENT says why the document is not good; ERROR_TOO_MANY when
 * too many are being fetched. */
MUST_CHECK bool oauth_document_find(const char *url, struct oauth_client *client, struct error *error);
/* Reads a document that the URL answered with. ERROR_OAUTH_CLIENT. */
MUST_CHECK bool oauth_document_read(const char *url, const char *bytes, size_t length, struct oauth_client *client,
                                    struct error *error);
/* Whether the text may be such a client's id: https, with a path, without user, fragment and dot segments. */
bool oauth_document_url_is_valid(const char *url);

/* How documents are fetched; NULL brings http_fetch back. For tests: forgets what was fetched. */
void oauth_document_fetch_with(bool (*fetch)(const struct http_fetch *wanted, struct http_fetched *fetched,
                                             struct error *error));

#endif
