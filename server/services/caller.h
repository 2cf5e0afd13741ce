/* Who calls a door, on the thread that works for them. */
#ifndef SERVICES_CALLER_H
#define SERVICES_CALLER_H

#include "server/services/services.h"

#define CALLER_ADDRESS_SIZE 48

struct caller {
        struct services *services;
        struct store_db *db; /* of this thread */
        const char *token;   /* the bearer credential or the session's token as sent; borrowed */
        bool is_session;
        bool accepts_oauth;                /* an access token of the OAuth server is a credential too */
        const char *request_id;            /* for the log; borrowed */
        struct progress *progress;         /* of its calls; NULL for none */
        char address[CALLER_ADDRESS_SIZE]; /* of the client, numeric; "" when it is not known */
        struct actor actor;                /* filled by caller_authenticate, valid on the thread that called it */
};

/* What runs for a caller: `input` is the struct that the operation's input table filled, the result an object that the
 * caller owns. */
typedef bool caller_service(struct call *call, const void *input, json_t **result, struct error *error);

/* The credential of an Authorization header with the Bearer scheme (RFC 6750, section 2.1), "" when it is none. */
const char *caller_token(const char *authorization);
/* Whether the token is one of the OAuth server. */
bool caller_has_access_token(const struct caller *caller);
/* Resolves the token with the caller's connection, each time anew. */
MUST_CHECK bool caller_authenticate(struct caller *caller, struct error *error);
/* The call of the authenticated caller; `source` is recorded with what is created. Borrows from the caller. */
struct call caller_as_call(struct caller *caller, const char *source, const json_t *arguments);
/* Authenticates and runs a service that reads, again while access changes under it. ERROR_CHANGED when it does not stop
 * changing. */
MUST_CHECK bool caller_read(struct caller *caller, const char *source, caller_service *service, const void *input,
                            const json_t *arguments, json_t **result, struct error *error);

#endif
