/* Which accounts of an OpenID provider are which user here, as administrators see and set it. All need users:manage. */
#ifndef SERVICES_IDENTITY_H
#define SERVICES_IDENTITY_H

#include "server/base/field.h"
#include "server/services/services.h"
#include "server/services/user.h"

struct identity_input {
        const char *name;
        const char *subject;
        const char *issuer; /* NULL: OIDC_ISSUER */
};
extern const struct field_table identity_table;
/* {name, issuer, subject}. ERROR_CONFLICT when somebody is linked to it already. Blocks: writes. */
MUST_CHECK bool identity_link(struct call *call, const struct identity_input *input, json_t **result,
                              struct error *error);
/* {name, issuer, subject}: the user's sessions end too. ERROR_NOT_FOUND when the user is not linked to it. Blocks. */
MUST_CHECK bool identity_unlink(struct call *call, const struct identity_input *input, json_t **result,
                                struct error *error);
/* {identities: [{issuer, subject, createdAt}]}. Reads. */
MUST_CHECK bool identity_list(struct call *call, const struct user_name_input *input, json_t **result,
                              struct error *error);

#endif
