/* Credentials of git remotes: lines https://USER:TOKEN@HOST in a file that only the server reads.
 *
 * The file is read at use, so that a change acts at once. Whatever it holds is a managed value: it is redacted from all
 * that leaves the server. */
#ifndef SERVICES_CREDENTIAL_H
#define SERVICES_CREDENTIAL_H

#include "server/base/error.h"
#include "server/base/text.h"
#include "server/services/services.h"

/* Owns its strings. */
struct git_login {
        char *username, *password;
};
void git_login_clear(struct git_login *login);
#define auto_git_login CLEANUP(git_login_clear) struct git_login

/* The login for the URL's scheme, host and port; empty when there is none. */
MUST_CHECK bool credential_find(const struct services *services, const char *url, struct git_login *login,
                                struct error *error);

struct secret_values {
        char **items;
        size_t count;
};
void secret_values_clear(struct secret_values *values);
#define auto_secret_values CLEANUP(secret_values_clear) struct secret_values

/* Every managed value of at least SECRET_VALUE_MINIMUM characters in the forms it is met in, longest first: the
 * passwords of the lines, or the user of a line without one. ERROR_UNAVAILABLE with
 * {reason: "secret_values_unavailable"} when they cannot be told: nothing may leave the server then. */
MUST_CHECK bool credential_values(const struct services *services, struct secret_values *values, struct error *error);

#define SECRET_VALUE_MINIMUM 6
#define SECRET_VALUE_MAXIMUM 8192

#endif
