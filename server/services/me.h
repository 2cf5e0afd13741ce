/* One's own profile. */
#ifndef SERVICES_ME_H
#define SERVICES_ME_H

#include "server/base/field.h"
#include "server/services/services.h"

/* {id, name, credential, isServerAdministrator, hasPassword, permissions: {server, everywhere, environments: [{name,
 * permissions}]}, totpEnrolled, recoveryCodesLeft, ssoLinked, signedInAt?, sso?}: who acts, what they may do and how
 * they sign in (the last two with a session). Reads. */
MUST_CHECK bool me_get(struct call *call, json_t **result, struct error *error);

struct me_change_input {
        const char *name;
};
extern const struct field_table me_change_table;
/* {id, name}: gives oneself another name. Writes (in a piece of work). */
MUST_CHECK bool me_change(struct call *call, const struct me_change_input *input, json_t **result, struct error *error);

struct me_password_input {
        const char *currentPassword, *password;
};
extern const struct field_table me_password_table;
/* {changed: true}: sets another password; every other session of the person ends. ERROR_PERMISSION_DENIED when the
 * current one is not right, ERROR_TOO_MANY after too many attempts. Blocks. */
MUST_CHECK bool me_set_password(struct call *call, const struct me_password_input *input, json_t **result,
                                struct error *error);

#endif
