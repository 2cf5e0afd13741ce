/* Whom the claims of an OpenID provider mean here. */
#ifndef SERVICES_OIDC_PERSON_H
#define SERVICES_OIDC_PERSON_H

#include "server/services/services.h"

/* The rid of the user whom issuer and subject were linked to; where OIDC_LINK_BY_EMAIL or OIDC_CREATE_USERS allow it,
 * they are linked now, which is audited. ERROR_PERMISSION_DENIED for somebody outside OIDC_ALLOWED_DOMAINS, whom nobody
 * let in, or whose name cannot be had. In a piece of work. */
MUST_CHECK bool oidc_person(const struct services *services, struct store_db *db, const json_t *claims, int64_t now,
                            int64_t *user, struct error *error);

#endif
