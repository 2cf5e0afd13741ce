/* How a client says who it is at the token endpoints (RFC 6749, section 2.3). */
#ifndef SERVICES_OAUTH_PROOF_H
#define SERVICES_OAUTH_PROOF_H

#include "server/services/oauth_token.h"

/* The client's id on the heap, proved by its secret where it has one. ERROR_OAUTH_CLIENT, ERROR_OAUTH_REQUEST. */
MUST_CHECK bool oauth_proof_check(struct store_db *db, const struct oauth_form *form, char **client,
                                  struct error *error);

#endif
