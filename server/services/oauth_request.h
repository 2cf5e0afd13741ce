/* A client's request for a person's consent (RFC 6749, section 4.1.1, with RFC 7636, RFC 8707 and RFC 9207). */
#ifndef SERVICES_OAUTH_REQUEST_H
#define SERVICES_OAUTH_REQUEST_H

#include "server/services/oauth_client.h"
#include "server/services/oauth_site.h"

#define OAUTH_PARAMETER_MAXIMUM 4000

/* Owns its strings. */
struct oauth_request {
        struct oauth_client client;
        char *redirect_uri; /* the answer goes here; NULL until it is known to be the client's */
        char *state;        /* NULL when there was none */
        char *challenge;    /* S256 */
};
void oauth_request_clear(struct oauth_request *request);
#define auto_oauth_request CLEANUP(oauth_request_clear) struct oauth_request

/* Checks the parameters, an object of strings. When it fails and request->redirect_uri is set, the client is to be told
 * there; otherwise only the person. `may_fetch`: a client's metadata document is fetched when it has to be (blocks);
 * without it such a client's redirect URI is not known. ERROR_OAUTH_..., ERROR_TOO_MANY. */
MUST_CHECK bool oauth_request_read(struct store_db *db, const struct oauth_site *site, const json_t *parameters,
                                   bool may_fetch, struct oauth_request *request, struct error *error);

/* The URL that tells the client, on the heap: with the code, or without one with the error. */
char *oauth_request_answer(const struct oauth_request *request, const struct oauth_site *site, const char *code,
                           const struct error *error);

/* ERROR_OAUTH_SCOPE for what is no list of scopes. Unknown scopes are not granted, which the answer tells. */
MUST_CHECK bool oauth_scope_check(const char *scope, struct error *error);
/* ERROR_OAUTH_TARGET unless the resource (NULL for none) is the site's. */
MUST_CHECK bool oauth_resource_check(const struct oauth_site *site, const char *resource, struct error *error);
/* A text in which error_description may hold every character (RFC 6749, section 5.2), on the heap. */
char *oauth_description(const struct error *error);
/* The code of an error towards a client. */
const char *oauth_error_code(const struct error *error);

#endif
