/* Credentials of git remotes: lines https://USER:TOKEN@HOST in a file that only the server reads.
 *
 * The file is read at use, so that a change acts at once. Whatever it holds is a managed value: it is redacted from all
 * that leaves the server. */
#ifndef SERVICES_CREDENTIAL_H
#define SERVICES_CREDENTIAL_H

#include "server/base/error.h"
#include "server/base/text.h"
#include "server/services/services.h"
#include "server/services/value_set.h"

/* Owns its strings. */
struct git_login {
        char *username, *password;
};
void git_login_clear(struct git_login *login);
#define auto_git_login CLEANUP(git_login_clear) struct git_login

/* The login for the URL's scheme, host and port; empty when there is none. */
MUST_CHECK bool credential_find(const struct services *services, const char *url, struct git_login *login,
                                struct error *error);

/* Adds every managed value of the file to the set: the passwords of the lines, or the user of a line without one, also
 * as they stand in the file. ERROR_UNAVAILABLE with {reason: "secret_values_unavailable"} when they cannot be told:
 * nothing may leave the server then. */
MUST_CHECK bool credential_values(const struct services *services, struct value_set *values, struct error *error);

/* What tells one state of the file from another. Owns its string. */
struct credential_stamp {
        char *path;
        uint64_t device, inode;
        int64_t size, changed_at; /* changed_at: ns since the epoch; all 0 when there is no file */
};
void credential_stamp_clear(struct credential_stamp *stamp);
#define auto_credential_stamp CLEANUP(credential_stamp_clear) struct credential_stamp
void credential_stamp_take(const struct services *services, struct credential_stamp *stamp);
bool credential_stamp_is_equal(const struct credential_stamp *a, const struct credential_stamp *b);

#endif
