#include "server/rest/bearer.h"

#include <string.h>
#include <strings.h>

#define SCHEME "Bearer "

bool rest_authenticate(struct http_request *request, struct store_db *reader, struct actor *actor, struct error *error)
{
        const char *header = http_request_header(request, "Authorization");

        if (!header || strncasecmp(header, SCHEME, strlen(SCHEME)))
                return error_set(error, ERROR_UNAUTHENTICATED, "An API key is needed: Authorization: Bearer KEY.");
        header += strlen(SCHEME);
        return access_authenticate_key(reader, header + strspn(header, " "), actor, error);
}

void rest_refuse(struct http_request *request, const struct error *error)
{
        if (error->code == ERROR_UNAUTHENTICATED)
                http_request_add_header(request, "WWW-Authenticate", "Bearer");
        http_respond_error(request, error);
}
