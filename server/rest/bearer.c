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

static void free_actor(void *actor)
{
        actor_free(actor);
}

bool rest_admit(struct http_request *request, struct store_db *reader)
{
        auto_error error = {0};
        struct actor actor;

        if (!rest_authenticate(request, reader, &actor, &error)) {
                rest_refuse(request, &error);
                return false;
        }
        http_request_set_user(request, actor_copy(&actor), free_actor);
        return true;
}

void rest_refuse(struct http_request *request, const struct error *error)
{
        if (error->code == ERROR_UNAUTHENTICATED)
                http_request_add_header(request, "WWW-Authenticate", "Bearer");
        http_respond_error(request, error);
}
